/* Hoshizora's part of the page: score, seats with their cards, the star map, the tricks, and what can be told by hand. */

import { $, drawOnChange, el, hidden, plural, setText } from "./dom.js";
import { cardFace, colourClass, lineText, miniCard, openCard } from "./cards.js";
import { SEAT, choice, oneOf, text } from "./form.js";
import { drawLegend, drawMap } from "./map.js";
import { seatWords } from "./now.js";
import { MOVED, PLACED } from "./stars.js";

const COLOURS = ["red", "blue"];

/** Draws the parts that only this game has, one function each. */
export function parts(view) {
  const board = view.board ?? null;
  const names = view.seats.map((seat) => seat.name);
  return [
    () => drawScore(view.points, board ? board.lines.length : null, board ? (board.crossings ?? []).length : 0),
    () => drawSeats(view.seats, view.outcome ?? null),
    () => drawMap(board),
    () => drawLegend(board),
    () => drawTricks(view.tricks ?? [], names),
  ];
}

const COLOUR = oneOf("colour", "Colour", COLOURS.map((c) => ({ value: c, label: c, look: c })), {
  otherwise: (view) => view.majority ?? view.stated,
  missing: "Choose a colour.",
});
const CARD = { draw: (view, known) => cardChoice(view, known?.card), read: (data) => text(data, "card"), missing: "Choose the card." };
const STARS = {
  draw: (view, known) =>
    choice("star", "Between which two stars", starNumbers(view).map((n) => ({ value: String(n), label: String(n) })),
      known ? [String(known.a), String(known.b)] : [], "checkbox"),
  read: (data) => {
    const stars = data.getAll("star").map(Number).sort((a, b) => a - b);
    return stars.length === 2 ? { a: stars[0], b: stars[1] } : null;
  },
  missing: "Choose two stars.",
};
const LINES = {
  draw: (view, known) =>
    choice("line", "Which lines", (view.board?.lines ?? []).map((line) => ({ value: `${line.a}-${line.b}-${line.colour}`, label: lineText(line) })),
      (known?.lines ?? []).map((line) => `${line.a}-${line.b}-${line.colour}`), "checkbox"),
  read: (data) => {
    const lines = data.getAll("line").map((key) => {
      const [a, b, colour] = key.split("-");
      return { a: Number(a), b: Number(b), colour };
    });
    return lines.length ? { lines } : null;
  },
  missing: "Choose the lines.",
};

/** What can be told by hand; `phase` is when it is the likeliest. */
export const acts = [
  { fact: "card-laid", label: "laid a card", fields: [SEAT], phase: "lay" },
  { fact: "colour-stated", label: "stated a colour", fields: [SEAT, COLOUR] },
  { fact: "card-revealed", label: "revealed a card", fields: [SEAT, CARD], phase: "reveal" },
  { fact: "line-drawn", label: "line drawn", fields: [STARS, COLOUR], phase: "draw" },
  { fact: "lines-erased", label: "lines wiped off", fields: [LINES] },
  { fact: "drawing-ended", label: "drawing is done", fields: [] },
  { fact: "bid-revealed", label: "showed the bid", fields: [SEAT, CARD], phase: "bid" },
  { fact: "star-moved", label: "star moved", fields: [MOVED] },
  { fact: "board-set", label: "stars placed", fields: [PLACED], phase: "setup" },
];

/** An act in a sentence. */
export function words(told, view) {
  const card = (view.cards ?? []).find((c) => c.id === told.card);
  const cardWords = card ? `${card.colour} ${card.label}` : told.card;
  switch (told.fact) {
    case "card-laid": return `${told.seat} laid a card face down.`;
    case "colour-stated": return `${told.seat} stated ${told.colour}.`;
    case "card-revealed": return `${told.seat} revealed ${cardWords}.`;
    case "line-drawn": return `A ${told.colour} line was drawn, ${told.a}–${told.b}.`;
    case "lines-erased": return `Wiped off: ${told.lines.map((l) => `${l.colour} ${l.a}–${l.b}`).join(", ")}.`;
    case "drawing-ended": return "The drawing is done.";
    case "star-moved": return `Star ${told.star.n} lies at ${told.star.x_mm} and ${told.star.y_mm} mm now.`;
    case "board-set": return told.stars.length === 12 ? "The stars lie so." : `${plural(told.stars.length, "star")} of 12 lie so.`;
    default: return `${told.seat} showed ${cardWords} as the bid.`;
  }
}

function cardChoice(view, chosen) {
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

function starNumbers(view) {
  return (view.board?.stars ?? []).map((star) => star.n).sort((a, b) => a - b);
}

const drawScore = drawOnChange((points, lines, crossings) => {
  setText($("points"), String(points));
  setText($("points-word"), points === 1 ? "point" : "points");
  setText($("points-why"), lines === null ? "" : `${plural(lines, "line")} + ${plural(crossings, "crossing")}`);
});

const drawSeats = drawOnChange((seats, outcome) => {
  $("seats").replaceChildren(...seats.map((seat) => seatTile(seat, outcome)));
});

function seatTile(seat, outcome) {
  const won = Boolean(outcome?.winners.includes(seat.name));
  const bid = outcome?.bids?.[seat.name] ?? seat.bid;
  const classes = ["seat", seat.turn && "turn", won && "won"].filter(Boolean).join(" ");
  const showsBid = bid !== null && bid !== undefined;
  return el(
    "li",
    { class: classes },
    el("div", { class: "seat-head" },
      el("h3", { class: "seat-name", title: seat.name, dir: "auto" }, seat.name),
    ),
    showsBid ? bidFace(seat, bid, outcome) : cardFace(seat),
    el("p", { class: "seat-turn" }, ...seatWords(seat, won, outcome)),
    el("p", { class: "seat-foot" },
      el("span", {}, plural(seat.tricks_won, "trick")),
      outcome ? null : el("span", {}, `${seat.hand_left} in hand`),
    ),
  );
}

function bidFace(seat, bid, outcome) {
  const off = outcome ? Math.abs(bid - outcome.points) : null;
  return el("div", { class: "bid" },
    seat.card ? openCard(seat.card) : null,
    el("p", { class: "bid-line" }, "bid ", el("strong", {}, String(bid))),
    off === null ? null : el("p", { class: "bid-off" }, off === 0 ? "exact" : `${off} off`),
  );
}

const drawTricks = drawOnChange((tricks, seats) => {
  const place = $("tricks");
  if (!tricks.length) {
    place.replaceChildren(el("p", { class: "nothing" }, "No trick is over yet."));
    return;
  }
  const head = el("tr", {}, el("th", { scope: "col", class: "number" }, hidden("Trick")),
    ...seats.map((name) => el("th", { scope: "col", title: name, dir: "auto" }, name)),
    el("th", { scope: "col", class: "lines" }, "Lines"), el("th", { scope: "col", class: "figure" }, "Points"));
  const rows = [...tricks].reverse().map((trick) => trickRow(trick, seats));
  place.replaceChildren(el("table", { class: "tricks" }, el("thead", {}, head), el("tbody", {}, ...rows)));
});

function trickRow(trick, seats) {
  const lines = [...(trick.drawn ?? []).map((line) => lineText(line)), ...(trick.erased ?? []).map((line) => lineText(line, true))];
  return el("tr", {},
    el("th", { scope: "row" }, String(trick.trick)),
    ...seats.map((name) => {
      const card = trick.played?.[name];
      const won = trick.winner === name;
      return el("td", { class: won ? "won" : false },
        card ? miniCard(card) : "–",
        won ? el("span", { class: "won-mark", title: "won the trick" }, "★", hidden(" won")) : null,
        trick.lead === name ? el("span", { class: "lead-mark", title: "led the trick" }, "▸", hidden(" led")) : null);
    }),
    el("td", {}, ...(lines.length ? lines : [el("span", { class: "nothing" }, "none")])),
    el("td", { class: "figure" }, String(trick.points)));
}
