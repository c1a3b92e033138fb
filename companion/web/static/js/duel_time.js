/* A touch on its time line: what each player's die and hand did before it, the guard around it; and why it was ruled so, in words. */

import { el, hidden, svg } from "./dom.js";

const BEFORE_MS = 1000;
const AFTER_MS = 250;
const WIDTH = 430;
const LANE = 42;
const TOP = 20;
const MARKS = {
  released: { sign: "↗", word: "let go" },
  settled: { sign: "●", word: "came to rest" },
  "taken up": { sign: "○", word: "taken up" },
  lost: { sign: "○", word: "out of sight" },
  hidden: { sign: "▒", word: "hidden" },
  shown: { sign: "◐", word: "in sight again" },
  pushed: { sign: "↔", word: "pushed" },
  tipped: { sign: "⤺", word: "tipped" },
  unsettled: { sign: "~", word: "went on" },
  raised: { sign: "▲", word: "hand" },
  swing: { sign: "→", word: "reached out" },
  closing: { sign: "➤", word: "closed in" },
};

/** Milliseconds with one decimal, for reading. */
export function ms(us) {
  return `${(us / 1000).toFixed(1)} ms`;
}

/** The time line as a picture, with its words for screen readers. */
export function timeLine(touch) {
  const shown = (touch.line ?? []).filter((entry) => entry.from_us >= -BEFORE_MS * 1000 && entry.from_us <= AFTER_MS * 1000);
  const lanes = touch.seats ?? [];
  const height = TOP + lanes.length * LANE + 24;
  const parts = [
    svg("rect", { class: "guard", x: x(-touch.guard_us), y: TOP - 6, width: x(touch.guard_us) - x(-touch.guard_us), height: lanes.length * LANE + 8 }),
    ...lanes.flatMap((seat, lane) => laneOf(seat, lane, shown.filter((entry) => entry.seat === seat))),
    ...ticks(height),
    svg("line", { class: "touch-line", x1: x(0), x2: x(0), y1: TOP - 12, y2: TOP + lanes.length * LANE + 4 }),
    svg("text", { class: "touch-word", x: x(0), y: TOP - 10 }, "touch"),
  ];
  const words = shown.map((entry) => `${entry.seat ?? "both"}: ${entry.text}, ${ms(Math.abs(entry.from_us))} ${entry.from_us < 0 ? "before" : "after"}`);
  return el("figure", { class: "time-line" },
    svg("svg", { viewBox: `0 0 ${WIDTH} ${height}`, role: "img", "aria-label": `Time line of the touch. ${words.join("; ")}` }, ...parts));
}

/** Where a moment stands, from the touch; what lies beyond the line's ends stands there. */
export function x(us) {
  const ms = Math.min(AFTER_MS, Math.max(-BEFORE_MS, us / 1000));
  return 56 + ((ms + BEFORE_MS) / (BEFORE_MS + AFTER_MS)) * (WIDTH - 66);
}

function laneOf(seat, lane, entries) {
  const y = TOP + lane * LANE + LANE / 2;
  return [
    svg("text", { class: "lane-name", x: 4, y: y + 4 }, seat),
    svg("line", { class: "lane", x1: x(-BEFORE_MS * 1000), x2: x(AFTER_MS * 1000), y1: y, y2: y }),
    ...lives(entries).map(([from, until, face]) => svg("rect", { class: `life ${face}`, x: x(from), y: y - 7, width: Math.max(2, x(until) - x(from)), height: 14, rx: 4 })),
    ...entries.flatMap((entry) => markOf(entry, y)),
  ];
}

/** From a die's rest to when it was taken up: the stretch in which a symbol lay there. */
function lives(entries) {
  const found = [];
  for (const settled of entries.filter((entry) => entry.what === "settled")) {
    const gone = entries.find((entry) => ["taken up", "lost"].includes(entry.what) && entry.die === settled.die && entry.from_us > settled.from_us);
    const read = entries.find((entry) => entry.what === "read" && entry.die === settled.die && Math.abs(entry.from_us - settled.from_us) < 60_000);
    found.push([settled.from_us, gone?.from_us ?? AFTER_MS * 1000, read?.text === "blank" ? "blank" : "symbol"]);
  }
  return found;
}

function markOf(entry, y) {
  if (entry.what === "read") return [svg("text", { class: "face-word", x: x(entry.from_us) - 4, y: y - 10 - 9 * (entry.die ?? 0) }, entry.text)];
  const mark = MARKS[entry.what];
  if (!mark) return [];
  const half = x(entry.within_us) - x(0);
  return [
    half > 1 ? svg("line", { class: "within", x1: x(entry.from_us) - half, x2: x(entry.from_us) + half, y1: y + 11, y2: y + 11 }) : null,
    svg("text", { class: `mark ${entry.what.replaceAll(" ", "-")}`, x: x(entry.from_us), y: y + 5 }, mark.sign, svg("title", {}, `${mark.word}: ${entry.text}`)),
  ].filter(Boolean);
}

function ticks(height) {
  return [-750, -500, -250, 0].map((at) =>
    svg("text", { class: "tick", x: x(at * 1000), y: height - 4 }, at === 0 ? "0" : `${at} ms`));
}

/** Why a touch was ruled so: gaps with their uncertainty, windows, doubts, evidence, the rule. */
export function reasons(touch) {
  return [
    el("p", {}, `Rule: ${touch.rule}`),
    touch.gaps?.length ? el("ul", { class: "gaps" }, ...touch.gaps.map(gapLine)) : el("p", {}, "No symbol lay there at the touch."),
    el("p", {}, `Nearer than ${ms(touch.guard_us)} and its uncertainty two moments have no order. A hand that was up for ${ms(touch.defence_us)} has defended itself.`),
    touch.doubts?.length ? el("p", { class: "doubts" }, `Open: ${touch.doubts.join("; ")}.`) : null,
    touch.blinds?.length ? el("p", { class: "doubts" }, `Blind then: ${touch.blinds.map((blind) => `${blind.source} (${blind.why})`).join("; ")}.`) : null,
    el("p", {}, `The ${touch.source === "pad" ? "pad felt" : "table told"} it within ${ms(touch.within_us)}; ruled ${Math.round(touch.ruled_after_us / 1000)} ms after it.`),
    el("details", { class: "rests-on", "data-key": `evidence ${touch.key}` },
      el("summary", { "data-focus": `evidence ${touch.key}` }, `Rests on ${touch.line?.length ?? 0} reports`),
      el("ul", {}, ...(touch.line ?? []).map((entry) => el("li", { dir: "auto" },
        el("span", { class: "when" }, `${entry.from_us <= 0 ? "−" : "+"}${ms(Math.abs(entry.from_us))} ± ${(entry.within_us / 1000).toFixed(1)}`),
        ` ${entry.source}: ${entry.seat ? `${entry.seat} ` : ""}${entry.text}`)))),
  ];
}

function gapLine(gap) {
  const counts = gap.counts_as.filter((face) => face !== gap.face);
  const what = `${gap.seat}’s ${gap.face}${counts.length ? ` (counts as ${counts.join(", ")})` : ""}`;
  const away = `${ms(Math.abs(gap.gap_us))} (± ${(gap.within_us / 1000).toFixed(1)})`;
  const how = gap.since === "settled"
    ? `came to rest ${away} ${gap.gap_us >= 0 ? "before" : "after"} the touch`
    : `was taken up ${away} ${gap.gap_us >= 0 ? "after" : "before"} the touch`;
  return el("li", { class: gap.close ? "gap close" : "gap", dir: "auto" }, `${what} ${how}`, gap.close ? el("span", { class: "tag gold" }, "too close") : null, hidden(` ${gap.life}`));
}
