/* Shuhari's part of the page: the row with its stages and sideways rests, the mastery chart, the piles, the tricks. */

import { $, drawOnChange, el, hidden, plural, replaceKeeping, svg } from "./dom.js";
import { SEAT, choice, oneOf, text } from "./form.js";
import { seatWords } from "./now.js";

const ARTS = { ikebana: "Ikebana", buyo: "Nihon-buyo", koto: "Koto", chado: "Chado", shodo: "Shodo" };
const STAGES = { obey: "Obey", detach: "Detach", separate: "Separate" };
const PLAYS = [{ value: "rest", label: "a rest" }, { value: "break", label: "breaks the mold" }];

/** Draws the parts that only this game has, one function each. */
export function parts(view) {
  return [
    () => drawRow(view.row ?? [], view.row_length, view.art ?? null, view.stage, view.phase),
    () => drawPiles(view.deck, view.pile),
    () => drawChart(view.chart ?? [], view.seats.map((seat) => seat.name), view.trick_points ?? {}),
    () => drawSeats(view.seats, view.outcome ?? null),
    () => drawTricks(view.tricks ?? []),
  ];
}

// Telling by hand

const CARD = { draw: (view, known) => cardChoice(view, [known?.card], "radio"), read: (data) => text(data, "card"), missing: "Choose the card." };
const CARDS = {
  draw: (view, known) => cardChoice(view, known?.cards ?? [], "checkbox"),
  read: (data) => (data.getAll("card").length ? { cards: data.getAll("card") } : null),
  missing: "Choose the cards.",
};
const LOOKED = {
  draw: (view, known) => choice("looked", "How many cards", ["1", "2", "3", "4", "5", "6"].map((n) => ({ value: n, label: n })), String(known?.looked ?? 4)),
  read: (data) => (data.get("looked") ? { looked: Number(data.get("looked")) } : null),
  missing: "Choose how many.",
};
const AS = oneOf("declared", "Laid as", PLAYS, { optional: true });
const PLAY = oneOf("play", "It is", PLAYS);
const ART = oneOf("art", "Art", Object.entries(ARTS).map(([value, label]) => ({ value, label })), { otherwise: (view) => view.art, missing: "Choose the art." });
const STAGE = oneOf("stage", "Stage", Object.entries(STAGES).map(([value, label]) => ({ value, label })), { missing: "Choose the stage." });

/** What can be told by hand; `phase` is when it is the likeliest. */
export const acts = [
  { fact: "card-played", label: "played a card", fields: [SEAT, CARD, AS], phase: "play" },
  { fact: "card-drawn", label: "drew a card", fields: [SEAT], phase: "refill" },
  { fact: "play-declared", label: "last card is", fields: [SEAT, PLAY] },
  { fact: "stage-shown", label: "stage card laid", fields: [STAGE] },
  { fact: "deck-searched", label: "looked through the deck", fields: [SEAT, LOOKED] },
  { fact: "card-taken", label: "took a card back", fields: [SEAT, CARD] },
  { fact: "deck-renewed", label: "discard pile shuffled", fields: [] },
  { fact: "trick-cleared", label: "trick cleared", fields: [], phase: "clear" },
  { fact: "hand-put-away", label: "put a hand away", fields: [SEAT, CARDS] },
  { fact: "card-shown", label: "showed a card", fields: [SEAT, CARD] },
  { fact: "chart-marked", label: "filled in a box", fields: [SEAT, ART, STAGE] },
];

/** An act in a sentence. */
export function words(told, view) {
  const name = (id) => (view.cards ?? []).find((card) => card.id === id)?.label ?? id;
  switch (told.fact) {
    case "card-played": return `${told.seat} played ${name(told.card)}${{ rest: ", a rest", break: " and broke the mold" }[told.declared] ?? ""}.`;
    case "card-drawn": return `${told.seat} drew a card.`;
    case "play-declared": return `${told.seat}'s last card ${told.play === "rest" ? "is a rest" : "breaks the mold"}.`;
    case "stage-shown": return `The ${STAGES[told.stage]} stage card was laid.`;
    case "deck-searched": return `${told.seat} looked at ${plural(told.looked, "card")} of the deck and kept one.`;
    case "card-taken": return `${told.seat} took ${name(told.card)} from the discard pile.`;
    case "deck-renewed": return "The discard pile was shuffled and became the deck.";
    case "trick-cleared": return "The trick was cleared away.";
    case "hand-put-away": return `${told.seat} showed ${told.cards.map(name).join(", ")} and drew anew.`;
    case "card-shown": return `${told.seat} showed ${name(told.card)}.`;
    default: return `${told.seat} wrote down ${ARTS[told.art]}, ${STAGES[told.stage]}.`;
  }
}

function cardChoice(view, chosen, type) {
  const picked = new Set(chosen);
  return el("fieldset", { class: "chips pick-art" }, el("legend", {}, type === "radio" ? "Card" : "Cards"),
    ...(view.cards ?? []).map((card) => el("label", { class: "chip", title: card.label },
      el("input", { type, name: "card", value: card.id, checked: picked.has(card.id) }),
      card.kind === "art" ? artChip(card) : card.label, hidden(card.kind === "art" ? ` ${card.label}` : ""))));
}

// The row

const drawRow = drawOnChange((row, length, art, stage, phase) => {
  const scene = place("row-place");
  const groups = Object.keys(STAGES).map((name) => ({ name, cards: row.filter((card) => card.stage === name) })).filter((group) => group.cards.length || group.name === "obey");
  const left = Math.max(0, (length ?? 0) - row.length);
  const last = groups[groups.length - 1];
  scene.replaceChildren(
    el("p", { class: "lead-suit" },
      art ? [artSign(art), el("strong", {}, ARTS[art]), el("span", {}, ` · ${STAGES[stage]} stage`)] : el("span", {}, phase === "over" ? "The game is over" : "No card is led yet"),
      el("span", { class: "row-count" }, `${row.length} of ${length} cards`)),
    el("ol", { class: "row", "aria-label": "Cards in play" },
      ...groups.map((group) => el("li", { class: `stage-group ${group.name}` },
        el("h3", { class: "stage-name" }, STAGES[group.name]),
        el("ol", { class: "row-cards" },
          ...group.cards.map(rowCard),
          ...(group === last ? Array.from({ length: left }, (_, i) => el("li", { class: i ? "vacant" : "vacant next", "aria-hidden": "true" })) : []))))),
  );
});

function rowCard(played) {
  const classes = ["row-card", `as-${played.play ?? "untold"}`, played.sideways && "sideways", played.opens && "opens", played.learns && "learns"].filter(Boolean).join(" ");
  return el("li", { class: classes },
    el("div", { class: "row-face" }, cardPicture(played.card), played.opens ? el("span", { class: "stage-card" }, STAGES[played.stage]) : null),
    el("p", { class: "row-who", dir: "auto" }, played.seat, played.learns ? el("span", { class: "learn-mark", title: "learns this stage" }, " ★", hidden(" learns this stage")) : null),
    el("p", { class: "row-play" }, played.play_text));
}

/** A card as the eye knows it: rank, three rings from the outside in, their signs beside them. */
function cardPicture(card) {
  const root = svg("svg", { class: `art-card ${card.kind}`, viewBox: "0 0 63 88", role: "img", "aria-label": card.label });
  root.append(svg("rect", { class: "paper", x: 0.6, y: 0.6, width: 61.8, height: 86.8, rx: 4 }));
  if (card.kind !== "art") {
    const word = svg("text", { class: "aid-word", x: 31.5, y: 49 });
    word.append(card.kind === "preparation" ? "Prepare" : card.kind === "review" ? "Review" : card.label);
    const mark = svg("text", { class: "aid-mark", x: 31.5, y: 34 });
    mark.append(card.kind === "preparation" ? "4" : "↑");
    root.append(mark, word);
    return root;
  }
  [27, 18.5, 10].forEach((radius, ring) => {
    root.append(svg("circle", { class: `ring ${card.suits[ring]}`, cx: 31.5, cy: 51, r: radius }));
    const signs = [[5, 0], [3, 1], [1, 2]][ring][0];
    for (let n = 0; n < signs; n += 1) {
      const turn = (2 * Math.PI * (n + (ring === 2 ? 0 : 0.5))) / signs;
      const away = ring === 2 ? 0 : radius - 4.3;
      root.append(sign(card.suits[ring], 31.5 + away * Math.sin(turn), 51 - away * Math.cos(turn), ring === 2 ? 5.4 : 3.1));
    }
  });
  const rank = svg("text", { class: card.rank > 9 ? "rank wide" : "rank", x: 11.5, y: 17 });
  rank.append(String(card.rank));
  root.append(rank);
  return root;
}

/** An art's sign: a flower, a fan, strings, a bowl, a brush stroke. */
function sign(art, x, y, reach) {
  const at = (points) => points.map(([u, v]) => `${(x + u * reach).toFixed(2)},${(y + v * reach).toFixed(2)}`).join(" ");
  switch (art) {
    case "ikebana":
      return svg("polygon", { class: "sign", points: at(Array.from({ length: 10 }, (_, n) => {
        const r = n % 2 ? 0.5 : 1.1;
        return [r * Math.sin((n * Math.PI) / 5), -r * Math.cos((n * Math.PI) / 5)];
      })) });
    case "buyo":
      return svg("path", { class: "sign", d: `M${at([[0, 0.9]])} L${at([[-1.4, -0.15]])} A${1.75 * reach},${1.75 * reach} 0 0 1 ${at([[1.4, -0.15]])} Z` });
    case "koto": {
      const group = svg("g", { class: "sign" });
      for (const u of [-0.75, 0, 0.75]) group.append(svg("rect", { x: x + (u - 0.17) * reach, y: y - reach, width: 0.34 * reach, height: 2 * reach }));
      return group;
    }
    case "chado":
      return svg("path", { class: "sign", d: `M${at([[-1.1, -0.45]])} L${at([[1.1, -0.45]])} A${1.1 * reach},${1.1 * reach} 0 0 1 ${at([[-1.1, -0.45]])} Z` });
    default:
      return svg("polygon", { class: "sign", points: at([[-0.95, 0.7], [0.5, -1], [1, -0.5], [-0.35, 1]]) });
  }
}

function artSign(art) {
  const root = svg("svg", { class: `art-sign ${art}`, viewBox: "0 0 12 12", "aria-hidden": "true" });
  root.append(svg("circle", { class: `ring ${art}`, cx: 6, cy: 6, r: 5.8 }), sign(art, 6, 6, 3.3));
  return root;
}

/** A card in a line of text: its rank on its three suits. */
function artChip(card) {
  if (card.kind !== "art") return el("span", { class: "art-chip aid" }, card.label);
  return el("span", { class: "art-chip", title: card.label }, el("b", {}, String(card.rank)), ...card.suits.map(artSign));
}

// The piles and the chart

const drawPiles = drawOnChange((deck, pile) => {
  const cards = pile?.cards ?? [];
  replaceKeeping(place("piles-place"), [
    el("p", { class: "piles" }, el("span", {}, "Deck ", el("strong", {}, String(deck))), el("span", {}, "Discards ", el("strong", {}, String(pile?.size ?? 0)))),
    cards.length ? el("details", { "data-key": "pile", class: "pile" },
      el("summary", { "data-focus": "pile" }, "What lies in the discard pile"),
      el("p", { class: "pile-cards" }, ...cards.map(artChip))) : null,
  ].filter(Boolean));
});

const drawChart = drawOnChange((chart, seats, points) => {
  const head = el("tr", {}, el("th", { scope: "col" }, hidden("Art")), ...seats.map((name) => el("th", { scope: "col", dir: "auto", title: name }, name)));
  const rows = chart.map((line) => el("tr", { class: line.mastered ? "mastered" : false },
    el("th", { scope: "row" }, artSign(line.art), el("span", { class: "art-name" }, ARTS[line.art]), line.mastered ? el("span", { class: "tag gold" }, "mastered") : null),
    ...line.seats.map((cell) => el("td", {},
      el("span", { class: "boxes" }, ...Object.keys(STAGES).map((stage) => {
        const has = cell.stages.includes(stage);
        const fresh = cell.fresh.includes(stage);
        return el("span", { class: `box ${stage}${has ? " has" : ""}${fresh ? " fresh" : ""}`, title: STAGES[stage] }, STAGES[stage][0], hidden(has ? `${STAGES[stage].slice(1)} learned` : `${STAGES[stage].slice(1)} not learned`));
      })),
      el("span", { class: "cell-points" }, cell.stages.length ? signed(cell.points) : "")))));
  const sums = el("tr", { class: "sums" }, el("th", { scope: "row" }, "Points"), ...seats.map((name) => el("td", {}, el("strong", {}, String(points[name] ?? 0)))));
  place("chart-place").replaceChildren(
    el("h3", {}, "Mastery"),
    el("table", { class: "mastery" }, el("thead", {}, head), el("tbody", {}, ...rows, sums)));
});

function signed(points) {
  return points > 0 ? `+${points}` : points < 0 ? `−${-points}` : "0";
}

// Seats and tricks

const drawSeats = drawOnChange((seats, outcome) => {
  $("seats").replaceChildren(...seats.map((seat) => {
    const won = Boolean(outcome?.winners.includes(seat.name));
    return el("li", { class: ["seat", seat.turn && "turn", won && "won"].filter(Boolean).join(" ") },
      el("div", { class: "seat-head" }, el("h3", { class: "seat-name", title: seat.name, dir: "auto" }, seat.name)),
      el("p", { class: "seat-points" }, el("strong", {}, String(seat.points)), ` ${seat.points === 1 ? "point" : "points"}`),
      el("p", { class: "seat-turn" }, ...seatWords(seat, won, outcome)),
      el("div", { class: "seat-foot" },
        outcome ? null : el("span", {}, `${seat.hand_left} in hand`),
        ...seat.known.map((card) => el("span", { class: "known", title: "known to be in this hand" }, artChip(card)))));
  }));
});

const drawTricks = drawOnChange((tricks) => {
  if (!tricks.length) {
    $("tricks").replaceChildren(el("p", { class: "nothing" }, "No trick is over yet."));
    return;
  }
  replaceKeeping($("tricks"), [...tricks].reverse().map((trick) => el("details", { "data-key": `trick ${trick.trick}`, class: "trick-line" },
    el("summary", { "data-focus": `trick ${trick.trick}` },
      el("span", { class: "trick-number" }, String(trick.trick)),
      trick.art ? artSign(trick.art) : null,
      el("span", { dir: "auto" }, learnedWords(trick))),
    el("ol", { class: "trick-cards" }, ...trick.row.map((played) => el("li", { class: `as-${played.play ?? "untold"}` },
      artChip(played.card), el("span", { dir: "auto" }, ` ${played.seat} ${played.play_text}`)))))));
});

function learnedWords(trick) {
  const fresh = trick.learned.filter((one) => one.new);
  if (!fresh.length) return "nothing new learned";
  return fresh.map((one) => `${one.seat}: ${STAGES[one.stage]}`).join(", ");
}

/** A part of the scene, made when it is first drawn. */
function place(id) {
  const known = $(id);
  if (known) return known;
  if (!$("row-place")) {
    $("scene").replaceChildren(...["row-place", "piles-place", "chart-place"].map((name) => el("div", { id: name, class: name })));
  }
  return $(id);
}
