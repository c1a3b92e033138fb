/* Telling by hand what happened, and putting another fact in the place of a recorded one. */

import { $, el, say } from "./dom.js";
import { act } from "./act.js";
import { choice } from "./form.js";
import { gameOf } from "./games.js";

let view = null;
let mode = null; // null, {correct: event}, {known: act} or {}
let opener = null;

export function setUpTell() {
  $("tell-open").addEventListener("click", () => (mode ? close() : open({})));
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && mode) close();
  });
}

export function drawTell(newest) {
  view = newest;
  $("tell-open").hidden = !gameOf(view);
}

export function correct(event) {
  open({ correct: event });
}

/** Opens the form on an act of which a part is known. */
export function fillIn(known) {
  open({ known });
}

function open(next) {
  mode = next;
  opener = document.activeElement;
  const sheet = $("tell");
  sheet.hidden = false;
  $("tell-open").setAttribute("aria-expanded", "true");
  const acts = gameOf(view).acts;
  const known = next.correct?.act ?? next.known ?? null;
  const start = acts.find((a) => a.fact === known?.fact) ?? acts.find((a) => a.phase === view.phase) ?? acts[0];
  sheet.replaceChildren(form(acts, start, known));
  sheet.querySelector("input:checked")?.focus();
}

function close() {
  mode = null;
  $("tell").hidden = true;
  $("tell").replaceChildren();
  $("tell-open").setAttribute("aria-expanded", "false");
  if (opener?.isConnected) opener.focus();
  else $("tell-open").focus();
}

function form(acts, start, known) {
  const fields = el("div", { class: "fields" });
  const sentence = el("p", { class: "sentence", "aria-live": "polite", dir: "auto" });
  const send = el("button", { type: "submit", class: "answer send" }, mode.correct ? "Correct it" : "Record it");
  const node = el("form", { class: "tell-form", autocomplete: "off" },
    el("div", { class: "sheet-head" },
      el("h3", { id: "tell-title", dir: "auto" }, mode.correct ? `Instead of “${mode.correct.text}”` : "What happened?"),
      el("button", { type: "button", class: "quiet small", onclick: close }, "Cancel")),
    el("div", { class: "sheet-body" },
      choice("fact", "What", acts.map((a) => ({ value: a.fact, label: a.label })), start.fact),
      fields),
    el("div", { class: "sheet-foot" }, sentence, send));
  const chosen = () => acts.find((a) => a.fact === new FormData(node).get("fact")) ?? start;
  const refresh = () => {
    const told = readAct(chosen(), node);
    sentence.textContent = told.missing ?? gameOf(view).words(told.act, view);
    send.disabled = Boolean(told.missing);
  };
  node.addEventListener("change", (event) => {
    if (event.target.name === "fact") fields.replaceChildren(...inputs(chosen(), null));
    refresh();
  });
  node.addEventListener("submit", (event) => {
    event.preventDefault();
    submit(readAct(chosen(), node), send);
  });
  fields.replaceChildren(...inputs(start, known));
  refresh();
  return node;
}

async function submit(told, send) {
  if (told.missing) return;
  const event = mode?.correct;
  const done = event
    ? await act("/api/correct", { seq: event.seq, act: told.act }, [send])
    : await act("/api/tell", { act: told.act }, [send]);
  if (!done) return;
  say(`Recorded: ${gameOf(view).words(told.act, view)}`);
  close();
}

function inputs(kind, known) {
  return kind.fields.flatMap((field) => field.draw(view, known));
}

/** The act that the form says so far, or what is still missing. */
function readAct(kind, node) {
  const data = new FormData(node);
  const told = { fact: kind.fact };
  for (const field of kind.fields) {
    const read = field.read(data, view);
    if (!read) return { missing: field.missing };
    Object.assign(told, read);
  }
  return { act: told };
}
