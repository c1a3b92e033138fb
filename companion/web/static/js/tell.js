/* Telling by hand what happened, and putting another fact in the place of a recorded one. */

import { $, el, hidden, say } from "./dom.js";
import { act } from "./act.js";
import { colourClass, lineText } from "./cards.js";

const ACTS = {
  hoshizora: [
    { fact: "card-laid", label: "laid a card", fields: ["seat"], phase: "lay" },
    { fact: "colour-stated", label: "stated a colour", fields: ["seat", "colour"] },
    { fact: "card-revealed", label: "revealed a card", fields: ["seat", "card"], phase: "reveal" },
    { fact: "line-drawn", label: "line drawn", fields: ["stars", "colour"], phase: "draw" },
    { fact: "lines-erased", label: "lines wiped off", fields: ["lines"] },
    { fact: "drawing-ended", label: "drawing is done", fields: [] },
    { fact: "bid-revealed", label: "showed the bid", fields: ["seat", "card"], phase: "bid" },
  ],
};
const COLOURS = ["red", "blue"];

let view = null;
let mode = null; // null, {correct: event} or {}
let opener = null;

export function setUpTell() {
  $("tell-open").addEventListener("click", () => (mode ? close() : open({})));
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && mode) close();
  });
}

export function drawTell(newest) {
  view = newest;
  $("tell-open").hidden = !ACTS[view.game];
}

export function correct(event) {
  open({ correct: event });
}

function open(next) {
  mode = next;
  opener = document.activeElement;
  const sheet = $("tell");
  sheet.hidden = false;
  $("tell-open").setAttribute("aria-expanded", "true");
  const acts = ACTS[view.game];
  const known = next.correct?.act ?? null;
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
    sentence.textContent = told.missing ?? inWords(told.act);
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
  say(`Recorded: ${inWords(told.act)}`);
  close();
}

function inputs(kind, known) {
  const turn = view.seats.find((seat) => seat.turn)?.name;
  return kind.fields.map((field) => {
    switch (field) {
      case "seat":
        return choice("seat", "Who", view.seats.map((s) => ({ value: s.name, label: s.name })), known?.seat ?? turn);
      case "colour":
        return choice("colour", "Colour", COLOURS.map((c) => ({ value: c, label: c, look: c })), known?.colour ?? view.majority ?? view.stated);
      case "card":
        return cardChoice(known?.card);
      case "stars":
        return choice("star", "Between which two stars", starNumbers().map((n) => ({ value: String(n), label: String(n) })),
          known ? [String(known.a), String(known.b)] : [], "checkbox");
      default:
        return choice("line", "Which lines", (view.board?.lines ?? []).map((line) => ({ value: `${line.a}-${line.b}-${line.colour}`, label: lineText(line) })),
          (known?.lines ?? []).map((line) => `${line.a}-${line.b}-${line.colour}`), "checkbox");
    }
  });
}

/** A row of chips: radio buttons or check boxes, so that keys and screen readers know them. */
function choice(name, title, options, chosen, type = "radio") {
  const picked = new Set(Array.isArray(chosen) ? chosen : [chosen]);
  return el("fieldset", { class: `chips pick-${name}` },
    el("legend", {}, title),
    ...options.map((option) => el("label", { class: `chip ${option.look ? colourClass(option.look) : ""}`, dir: "auto" },
      el("input", { type, name, value: option.value, checked: picked.has(option.value) }),
      option.label)),
    options.length ? null : el("p", { class: "nothing" }, "none"));
}

function cardChoice(chosen) {
  const cards = view.cards ?? [];
  if (!cards.length) {
    return el("fieldset", { class: "chips pick-id" }, el("legend", {}, "Card"),
      el("input", { type: "text", name: "card", value: chosen ?? "", "aria-label": "The card's id, as red-07", placeholder: "red-07", oninput: (e) => e.target.dispatchEvent(new Event("change", { bubbles: true })) }));
  }
  return el("fieldset", { class: "chips pick-card" }, el("legend", {}, "Card"),
    ...COLOURS.flatMap((colour) => cards.filter((card) => card.colour === colour)).map((card) =>
      el("label", { class: `chip ${colourClass(card.colour)}` },
        el("input", { type: "radio", name: "card", value: card.id, checked: card.id === chosen }),
        hidden(`${card.colour} `), card.label)));
}

function starNumbers() {
  return (view.board?.stars ?? []).map((star) => star.n).sort((a, b) => a - b);
}

/** The act that the form says so far, or what is still missing. */
function readAct(kind, node) {
  const data = new FormData(node);
  const told = { fact: kind.fact };
  for (const field of kind.fields) {
    if (field === "stars") {
      const stars = data.getAll("star").map(Number).sort((a, b) => a - b);
      if (stars.length !== 2) return { missing: "Choose two stars." };
      [told.a, told.b] = stars;
    } else if (field === "lines") {
      told.lines = data.getAll("line").map((key) => {
        const [a, b, colour] = key.split("-");
        return { a: Number(a), b: Number(b), colour };
      });
      if (!told.lines.length) return { missing: "Choose the lines." };
    } else {
      told[field] = data.get(field)?.trim();
      if (!told[field]) return { missing: { seat: "Choose who.", colour: "Choose a colour.", card: "Choose the card." }[field] };
    }
  }
  return { act: told };
}

function inWords(told) {
  const card = (view.cards ?? []).find((c) => c.id === told.card);
  const cardWords = card ? `${card.colour} ${card.label}` : told.card;
  switch (told.fact) {
    case "card-laid": return `${told.seat} laid a card face down.`;
    case "colour-stated": return `${told.seat} stated ${told.colour}.`;
    case "card-revealed": return `${told.seat} revealed ${cardWords}.`;
    case "line-drawn": return `A ${told.colour} line was drawn, ${told.a}–${told.b}.`;
    case "lines-erased": return `Wiped off: ${told.lines.map((l) => `${l.colour} ${l.a}–${l.b}`).join(", ")}.`;
    case "drawing-ended": return "The drawing is done.";
    default: return `${told.seat} showed ${cardWords} as the bid.`;
  }
}
