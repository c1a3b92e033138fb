/* Cards and colours. A colour is never told by its hue alone: red is a single line or border, blue a double one, and both
   are written out. */

import { el, hidden, svg } from "./dom.js";

export function colourWord(colour) {
  return String(colour ?? "");
}

/** Class for a colour that the page knows; others are drawn plainly. */
export function colourClass(colour) {
  return colour === "red" || colour === "blue" ? colour : "plain";
}

/** A card of the trick: up, down (its back), or the empty place where it will lie. */
export function cardFace(seat) {
  const { card, laid } = seat;
  if (card && laid !== "down") return openCard(card);
  if (laid) {
    return el("div", { class: "card back" }, backStar(), hidden("a card face down"));
  }
  return el("div", { class: "card empty" }, hidden("no card yet"));
}

export function openCard(card) {
  return el(
    "div",
    { class: `card up ${colourClass(card.colour)}` },
    el("span", { class: "card-colour" }, colourWord(card.colour)),
    el("span", { class: "card-number" }, card.label ?? String(card.number)),
    el("span", { class: "card-size" }, card.size ?? ""),
  );
}

/** A card in a line of text. */
export function miniCard(card) {
  return el(
    "span",
    { class: `mini ${colourClass(card.colour)}`, title: `${colourWord(card.colour)} ${card.label}` },
    hidden(`${colourWord(card.colour)} `),
    card.label ?? String(card.number),
  );
}

/** "3–10" with its colour's line before it. */
export function lineText(line, wiped = false) {
  return el(
    "span",
    { class: wiped ? "pair wiped" : "pair" },
    lineSample(line.colour),
    hidden(`${wiped ? "wiped off: " : ""}${colourWord(line.colour)} `),
    `${line.a}–${line.b}`,
  );
}

/** A short piece of a line as the map draws it. */
export function lineSample(colour) {
  const sample = svg("svg", { class: `sample ${colourClass(colour)}`, viewBox: "0 0 24 10", "aria-hidden": "true" });
  sample.append(svg("line", { class: "stroke", x1: 1, y1: 5, x2: 23, y2: 5 }));
  if (colour === "blue") sample.append(svg("line", { class: "core", x1: 1, y1: 5, x2: 23, y2: 5 }));
  return sample;
}

function backStar() {
  const star = svg("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" });
  star.append(svg("path", { d: "M12 1.5 14 10l8.5 2-8.5 2-2 8.5-2-8.5L1.5 12 10 10Z" }));
  return star;
}
