/* What was recorded, with undo and correction: both are events of their own, nothing is wiped out. */

import { $, drawOnChange, el, replaceKeeping, say } from "./dom.js";
import { act, twoTaps } from "./act.js";

const SHORT = 8;
let showAll = false;
let lastHistory = [];
let onCorrect = () => {};

export function setUpRecord({ correct }) {
  onCorrect = correct;
  $("history-all").addEventListener("click", () => {
    showAll = !showAll;
    drawEvents(lastHistory);
  });
}

export const drawHistory = drawOnChange((history) => {
  lastHistory = history;
  drawEvents(history);
  drawUndoLast(history);
});

function drawEvents(history) {
  const newestFirst = [...history].reverse();
  const shown = showAll ? newestFirst : newestFirst.slice(0, SHORT);
  replaceKeeping($("history"), shown.map(eventLine));
  const more = $("history-all");
  more.hidden = history.length <= SHORT;
  more.textContent = showAll ? "Show less" : `Show all ${history.length}`;
}

function eventLine(event) {
  const buttons = [];
  if (event.undoable && !event.undone) {
    if (event.act) {
      buttons.push(el("button", { type: "button", class: "quiet small", "data-focus": `correct ${event.seq}`, "aria-label": `Correct: ${event.text}`, onclick: () => onCorrect(event) }, "Correct"));
    }
    buttons.push(undoButton(event));
  }
  return el("li", { class: event.undone ? "event undone" : "event", "data-seq": event.seq },
    el("span", { class: "event-time" }, event.t_text ?? ""),
    el("span", { class: "event-text", dir: "auto" }, event.text, event.undone ? el("span", { class: "tag" }, "taken back") : null),
    el("span", { class: "event-acts" }, ...buttons));
}

function undoButton(event) {
  const back = event.kind === "undo";
  const button = el("button", { type: "button", class: "quiet small", "data-focus": `undo ${event.seq}`, "aria-label": `${back ? "Bring back" : "Undo"}: ${event.text}` });
  return twoTaps(button, { label: back ? "Bring back" : "Undo", sure: back ? "Really bring back?" : "Really undo?", onSure: () => undo(event, [button]) });
}

/** The button in the bar stands for one event: it is made anew when that changes, so that a second tap can't hit another. */
function drawUndoLast(history) {
  // Going back further, not to and fro: an undo is itself undone only by its own line in the history.
  const last = [...history].reverse().find((event) => event.undoable && !event.undone && event.kind !== "undo");
  const before = $("undo-last");
  if (before.dataset.seq === String(last?.seq ?? "")) return;
  const button = el("button", { type: "button", id: "undo-last", class: "quiet", "data-seq": String(last?.seq ?? ""), title: last?.text ?? false, disabled: !last });
  twoTaps(button, {
    label: "Undo last",
    sure: last ? `Undo “${last.text}”?` : "",
    onSure: () => undo(last, [button]),
  });
  const focused = document.activeElement === before;
  before.replaceWith(button);
  if (focused) button.focus({ preventScroll: true });
}

async function undo(event, buttons) {
  if (await act("/api/undo", { seq: event.seq }, buttons)) say(event.kind === "undo" ? "Brought back" : `Taken back: ${event.text}`);
}
