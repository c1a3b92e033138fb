/* The page: takes each view from the stream and hands its parts to those who draw them. */

import { $, drawOnChange, el } from "./dom.js";
import { Link } from "./link.js";
import { clearBanner, setAge, showBanner } from "./banners.js";
import { gameOf } from "./games.js";
import { drawExpects, drawFindings, drawHead, drawOutcome, drawPrompts, drawTaps, setUpTaps } from "./now.js";
import { drawHistory, setUpRecord } from "./record.js";
import { drawQuestion } from "./question.js";
import { correct, drawTell, fillIn, setUpTell } from "./tell.js";
import { setUpFaults } from "./faults.js";
import { drawWho, keep, keepWho, recall } from "./act.js";

const SCHEME_KEY = "hoshiban.scheme";
const STATES = {
  settled: { mark: "●", word: "sees the table" },
  moving: { mark: "◐", word: "something moves" },
  covered: { mark: "◑", word: "a hand is in the way" },
  lost: { mark: "✕", word: "lost" },
  ended: { mark: "■", word: "at its end" },
  ready: { mark: "●", word: "ready" },
  waiting: { mark: "◌", word: "looked for" },
  gap: { mark: "◑", word: "something may be missing" },
  stepped: { mark: "◑", word: "was set" },
};

/** A banner tells of these at length: the badge needs only its word. */
const BANNERED = new Set(["lost", "gap"]);

let connection = { state: "live", heardAt: null };

function show(view) {
  const names = view.seats.map((seat) => seat.name);
  const parts = [
    () => drawHead(view),
    () => drawOutcome(view.outcome ?? null),
    () => drawQuestion(view.questions ?? []),
    ...(gameOf(view)?.parts(view) ?? []),
    () => drawTaps(view.taps ?? []),
    () => drawExpects(view.expectations ?? [], view.worlds ?? null),
    () => drawFindings(view.findings ?? []),
    () => drawPrompts(view.prompts ?? []),
    () => drawSources(view.sources ?? []),
    () => drawHistory(view.history ?? []),
    () => drawWho(names),
    () => drawTell(view),
  ];
  const failed = parts.filter((part) => !succeeds(part));
  if (failed.length) showBanner("draw", "warning", "A part of this page could not be drawn and may be out of date. Reload it.");
  else clearBanner("draw");
  document.body.dataset.version = view.version;
}

/** One part that fails must not keep the others from being drawn. */
function succeeds(part) {
  try {
    part();
    return true;
  } catch (error) {
    console.error(error);
    return false;
  }
}

const drawSources = drawOnChange((sources) => {
  $("sources").replaceChildren(...sources.map((source) => {
    const state = STATES[source.state] ?? STATES.settled;
    return el("li", { class: `source ${source.state}` },
      el("span", { class: "source-mark", "aria-hidden": "true" }, state.mark),
      source.text && !BANNERED.has(source.state) ? el("span", {}, source.text) : el("span", {}, source.name, el("span", { class: "source-word" }, `: ${state.word}`)));
  }));
  const lost = sources.filter((source) => source.state === "lost");
  const gap = sources.find((source) => source.state === "gap");
  if (gap) showBanner("gap", "warning", `${gap.text}. Was there a touch meanwhile? Then tell what happened.`);
  else clearBanner("gap");
  if (lost.length) {
    const names = lost.map((source) => source.text || `${source.name} is lost`).join("; ");
    showBanner("camera", "warning", `${names[0].toUpperCase()}${names.slice(1)}. The game goes on by hand: tell what happens.`);
  } else {
    clearBanner("camera");
  }
});

function connectionChanged(state, heardAt) {
  connection = { state, heardAt };
  document.body.classList.toggle("stale", state === "lost");
  if (state === "live") {
    clearBanner("link");
  } else if (state === "full") {
    showBanner("link", "warning", "As many pages watch as the service can serve at once; this one looks again every few seconds.");
  } else {
    showBanner("link", "error", "The connection to the service is lost. The page tries again by itself.");
    tellAge();
  }
}

function tellAge() {
  if (connection.state !== "lost" || connection.heardAt === null) return;
  const seconds = Math.round((performance.now() - connection.heardAt) / 1000);
  const age = seconds < 90 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
  setAge("link", `What you see is ${age} old.`);
}

function setUpScheme() {
  const select = $("scheme");
  const apply = () => {
    if (select.value) document.documentElement.dataset.scheme = select.value;
    else delete document.documentElement.dataset.scheme;
  };
  select.value = recall(SCHEME_KEY);
  apply();
  select.addEventListener("change", () => {
    keep(SCHEME_KEY, select.value);
    apply();
  });
}

setUpScheme();
keepWho();
setUpTell();
setUpRecord({ correct });
setUpTaps({ open: fillIn });
setUpFaults();
setInterval(tellAge, 1000);
new Link({ onView: show, onState: connectionChanged }).start();
