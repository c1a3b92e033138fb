/* What happens now, in any game: headline, the outcome, what may happen and why, what to tap, findings, prompts. */

import { $, drawOnChange, el, hidden, plural, replaceKeeping, say, setText } from "./dom.js";
import { act, twoTaps } from "./act.js";

const LEVELS = {
  illegal: { mark: "✕", word: "Not allowed" },
  proved: { mark: "■", word: "Proved" },
  suspect: { mark: "?", word: "Suspected" },
  note: { mark: "i", word: "Note" },
};
const SHOWN = 3;
let turnWord = "trick";
const heard = new Map();
const ROLES = { lead: "leads", draw: "draws" };

export function drawHead(view) {
  document.body.dataset.phase = view.phase;
  document.body.dataset.game = view.game;
  setText($("title"), view.title);
  document.title = `${view.points} · ${view.title} · Hoshiban`;
  setText($("progress"), progress(view));
  setText($("headline"), view.headline);
  turnWord = view.turn_word ?? "trick";
  setText($("tricks-title"), view.past_title ?? "Tricks");
}

export const drawOutcome = drawOnChange((outcome) => {
  const place = $("outcome");
  place.hidden = !outcome;
  if (!outcome) return;
  const who = outcome.winners.join(" and ");
  place.replaceChildren(
    el("p", { class: "winner", dir: "auto" }, outcome.winners.length ? `${who} ${outcome.winners.length > 1 ? "share the win" : "wins"}` : "No winner"),
    el("p", { class: "decided" }, `Decided by: ${outcome.decided_by}`),
  );
});

export const drawExpects = drawOnChange((expectations, worlds) => {
  const items = expectations.map((expected) =>
    el("li", {}, explained(`${expected.who}|${expected.act}`, expected.must ? "must" : "may", [
      el("span", { class: "expect-text", dir: "auto" }, expected.text || `${expected.who ?? "Everyone"}: ${expected.act}`),
      el("span", { class: "tag" }, expected.must ? "must" : "may"),
    ], [
      el("p", {}, `Why: ${expected.rule}`),
      expected.options?.length ? el("p", { class: "options" }, ...expected.options.map((option) => el("span", { class: "option" }, option))) : null,
    ])),
  );
  if (!items.length) items.push(el("li", { class: "nothing" }, "Nothing is expected of anyone."));
  replaceKeeping($("expects"), items);
  $("worlds").hidden = !worlds;
  setText($("worlds"), worlds ? `Hands that are still possible: ${worlds}` : "");
});

export const drawFindings = drawOnChange((findings) => {
  const ordered = [...findings].reverse().sort((a, b) => weight(a) - weight(b));
  const cards = ordered.map((finding, i) => findingCard(finding, i === 0));
  const shown = cards.slice(0, SHOWN);
  const rest = cards.slice(SHOWN);
  if (rest.length) {
    shown.push(el("details", { class: "earlier", "data-key": "earlier" },
      el("summary", { "data-focus": "earlier" }, `${plural(rest.length, "finding")} more`),
      el("div", {}, ...rest)));
  }
  replaceKeeping($("verdicts"), shown);
  tellNew("finding", findings.filter((finding) => !isClosed(finding)).map((finding) => `${(LEVELS[finding.level] ?? LEVELS.note).word}: ${finding.text}`));
});

/** What no camera sees and is due now: one tap tells it. An act that lacks something opens the form instead. */
export const drawTaps = drawOnChange((taps) => {
  const buttons = taps.map((tap) => {
    const button = el("button", { type: "button", class: "tap quiet", "data-focus": tap.label, dir: "auto" }, tap.label);
    button.addEventListener("click", () => (isWhole(tap) ? tellTap(tap, button) : onForm(tap.act)));
    return button;
  });
  replaceKeeping($("taps"), buttons);
});

let onForm = () => {};

/** `open` is called with an act for which something is still to be asked. */
export function setUpTaps({ open }) {
  onForm = open;
}

function isWhole(tap) {
  return tap.whole !== false;
}

async function tellTap(tap, button) {
  if (await act("/api/tell", { act: tap.act }, [button])) say(`Recorded: ${tap.label}`);
}

export const drawPrompts = drawOnChange((prompts) => {
  $("prompts").replaceChildren(
    ...prompts.map((prompt) => el("p", { class: "prompt" }, el("span", { class: "prompt-mark", "aria-hidden": "true" }, "✦"), el("span", { dir: "auto" }, prompt.text))),
  );
  tellNew("prompt", prompts.map((prompt) => prompt.text));
});

function progress(view) {
  if (view.progress) return view.progress;
  if (view.phase === "setup") return "Set-up";
  if (view.phase === "bid") return "The bids";
  if (view.phase === "over") return "Game over";
  return view.tricks_total ? `Trick ${view.trick} of ${view.tricks_total}` : `Trick ${view.trick}`;
}

/** What a seat's tile says of its turn. */
export function seatWords(seat, won, outcome) {
  if (won) return [el("span", { class: "tag gold" }, "★ wins")];
  if (outcome) return [];
  return [
    ROLES[seat.role] ? el("span", { class: "tag" }, ROLES[seat.role]) : null,
    seat.turn ? el("span", { class: "is-on" }, "▲ now") : null,
  ];
}

/** Breaches first, then what else was noticed, then what was taken back; newest first in each. */
function weight(finding) {
  if (isClosed(finding)) return 2;
  return isGrave(finding) ? 0 : 1;
}

function isGrave(finding) {
  return finding.level === "illegal" || finding.level === "proved";
}

/** Says those lines of a kind to screen readers that were not there before; the first view is not news. */
function tellNew(kind, lines) {
  const before = heard.get(kind);
  heard.set(kind, new Set(lines));
  const fresh = before ? lines.filter((line) => !before.has(line)) : [];
  if (fresh.length) say(fresh.join(" "));
}

function findingCard(finding, first) {
  const level = LEVELS[finding.level] ?? LEVELS.note;
  const where = [
    finding.trick ? `${turnWord} ${finding.trick}` : null,
    finding.proved_at && finding.proved_at !== finding.trick ? `came to light in ${turnWord} ${finding.proved_at}` : null,
  ].filter(Boolean).join(", ");
  const details = explained(`finding ${finding.id}`, finding.level, [
    el("span", { class: "level" }, el("span", { class: "level-mark", "aria-hidden": "true" }, level.mark), level.word),
    el("span", { class: "finding-text", dir: "auto" }, finding.text),
    ...lifeTags(finding),
  ], [
    el("p", {}, `Rule: ${finding.rule}`),
    where ? el("p", {}, where[0].toUpperCase() + where.slice(1)) : null,
    finding.evidence?.length ? el("ul", { class: "evidence", "aria-label": "Evidence" }, ...finding.evidence.map((line) => el("li", { dir: "auto" }, line))) : null,
    finding.ruling?.text ? el("p", { dir: "auto" }, `${finding.ruling.by}: ${finding.ruling.text}`) : null,
    isGrave(finding) && !isClosed(finding) ? refereeButtons(finding) : null,
  ]);
  details.open = first && isGrave(finding) && !isClosed(finding);
  return el("article", { class: `finding ${finding.level}${isClosed(finding) ? " withdrawn" : ""}` }, details);
}

/** Nothing to answer for any more: withdrawn, put right in time, or dismissed. */
function isClosed(finding) {
  return finding.withdrawn || finding.life === "put right" || finding.ruling?.verdict === "dismissed";
}

/** How far a finding has come, and what it costs. */
function lifeTags(finding) {
  const open = isGrave(finding) ? "can still be put right" : null;
  const words = finding.withdrawn ? "withdrawn"
    : finding.ruling ? `${finding.ruling.verdict} by ${finding.ruling.by}`
    : { "put right": "put right in time", correctable: open }[finding.life];
  return [
    words ? el("span", { class: "tag", dir: "auto" }, words) : null,
    finding.penalty ? el("span", { class: "tag gold" }, finding.penalty) : null,
  ];
}

/** The referee's word, on a second tap. */
function refereeButtons(finding) {
  const rule = (verdict, label, sure) =>
    twoTaps(el("button", { type: "button", class: "quiet small", "data-focus": `${verdict} ${finding.id}`, "aria-label": `${label}: ${finding.text}` }), {
      label, sure, onSure: (button) => act("/api/rule", { finding: Number(finding.id), verdict }, [button]),
    });
  return el("p", { class: "finding-acts" },
    finding.ruling ? null : rule("upheld", "Uphold", "Uphold: sure?"),
    rule("dismissed", "Dismiss", "Dismiss: sure?"));
}

/** A line that tells its reason when it is tapped. */
function explained(key, kind, summary, body) {
  return el("details", { "data-key": key, class: kind },
    el("summary", { "data-focus": key }, ...summary, hidden(" – why?")),
    el("div", { class: "because" }, ...body),
  );
}
