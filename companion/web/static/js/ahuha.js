/* Ahuha Ahukaha's part of the page: the Field with what each pairing shares, frozen cards, Homes, rounds and series. */

import { $, drawOnChange, el, hidden, plural, replaceKeeping, svg } from "./dom.js";
import { SEAT, choice, oneOf, text } from "./form.js";
import { seatWords } from "./now.js";

const VALUES = {
  january: "January", april: "April", july: "July", october: "October", south: "South",
  sora: "Sora", siro: "Siro", kiku: "Kiku", ihanu: "Ihanu", tachibana: "Tachibana", momiji: "Momiji",
  small: "Small", "slightly-large": "Slightly large", large: "Large", "quite-large": "Quite large", "extremely-large": "Extremely large",
};
const NAMES = { arika: "Arika", kesiki: "Kesiki", sugata: "Sugata" };
const ATTRIBUTES = Object.keys(NAMES);
const SIZES = ["small", "slightly-large", "large", "quite-large", "extremely-large"];
const YEAR = ["january", "april", "july", "october", "south"];
const LIES = { upright: "upright", horizontal: "sideways", inverted: "upside down" };
const WAYS = Object.entries(LIES).map(([value, label]) => ({ value, label }));
const SERIES = 7;

/** Draws the parts that only this game has, one function each. */
export function parts(view) {
  return [
    () => drawField(view.field ?? [], view.pairings ?? [], view.frozen ?? [], view.effect ?? null, view.tanabata, view.cards ?? [], view.attributes),
    () => drawHomes(view.seats, view.phase),
    () => drawSeats(view.seats, view.cooperative, view.outcome ?? null),
    () => drawRounds(view.tricks ?? [], view.series_done ?? [], view.seats.map((seat) => seat.name), view.cards ?? []),
  ];
}

// Telling by hand

const CARD = { draw: (view, known) => cardChoice(view, known?.card), read: (data) => text(data, "card"), missing: "Choose the card." };
const WAY = oneOf("orientation", "How it lies", WAYS, { missing: "Choose how it lies." });
const SIDE = oneOf("side", "On which side", ["left", "right"], { otherwise: () => "right", missing: "Choose the side." });
const OUTCOME = oneOf("outcome", "What came of it", [
  { value: "nothing", label: "nothing" },
  { value: "hands-raised", label: "hands were raised" },
  { value: "hosiahi", label: "it met a star" },
  { value: "frozen-passed", label: "frozen cards were passed" },
  { value: "placed-inverted", label: "it goes Home upside down" },
  { value: "other", label: "something else" },
], { missing: "Choose what came of it." });
const RAISED = {
  draw: (view, known) => choice("seats", "Who raised a hand", view.seats.map((s) => ({ value: s.name, label: s.name })), known?.seats ?? [], "checkbox"),
  read: (data) => ({ seats: data.getAll("seats") }),
};
const ASKED = {
  draw: (view, known) => pick("asked", "What the card asked for", [
    ...ATTRIBUTES.flatMap((name) => (view.attributes?.[name] ?? []).map((value) => ({ value: `${name}:${value}`, label: `${NAMES[name]}: ${VALUES[value] ?? value}` }))),
    ...stars(view),
  ], known?.asked?.[0]),
  read: (data) => (data.get("outcome") === "hands-raised" && data.get("asked") ? { asked: [data.get("asked")] } : {}),
};
const MET = {
  draw: (view, known) => pick("card", "Whom it met", stars(view), known?.card),
  read: (data) => (data.get("outcome") !== "hosiahi" ? {} : text(data, "card")),
  missing: "Choose whom it met.",
};
const TWO = {
  draw: (view, known) => choice("swapped", "Who", view.seats.map((s) => ({ value: s.name, label: s.name })), known ? [known.first, known.second] : [], "checkbox"),
  read: (data) => {
    const names = data.getAll("swapped");
    return names.length === 2 ? { first: names[0], second: names[1] } : null;
  },
  missing: "Choose two players.",
};

/** What can be told by hand; `phase` is when it is the likeliest. */
export const acts = [
  { fact: "effect-told", label: "an effect", fields: [OUTCOME, RAISED, ASKED, MET], phase: "effect" },
  { fact: "card-placed", label: "card laid Home or turned", fields: [SEAT, CARD, WAY], phase: "hosiahi" },
  { fact: "card-laid", label: "laid a card", fields: [SEAT], phase: "lay" },
  { fact: "card-revealed", label: "revealed a card", fields: [SEAT, CARD], phase: "reveal" },
  { fact: "frozen-taken", label: "took a frozen card", fields: [SEAT, SIDE] },
  { fact: "frozen-placed", label: "put a frozen card down", fields: [SEAT, SIDE] },
  { fact: "round-ended", label: "round is over", fields: [] },
  { fact: "asita-shown", label: "Asita turned up", fields: [SEAT], phase: "count" },
  { fact: "yono-tigiri-shown", label: "Yono Tigiri turned up", fields: [SEAT] },
  { fact: "series-ended", label: "series is over", fields: [] },
  { fact: "dealt", label: "cards dealt", fields: [], phase: "deal" },
  { fact: "seats-swapped", label: "seats changed", fields: [TWO] },
];

/** An act in a sentence. */
export function words(told, view) {
  const name = (id) => (view.cards ?? []).find((card) => card.id === id)?.label ?? id;
  switch (told.fact) {
    case "effect-told": return effectSentence(told, name);
    case "card-placed": return `${name(told.card)} lies ${LIES[told.orientation]} in ${told.seat}'s Home.`;
    case "card-laid": return `${told.seat} laid a card face down.`;
    case "card-revealed": return `${told.seat} revealed ${name(told.card)}.`;
    case "frozen-taken": return `${told.seat} took the frozen card on the ${told.side}.`;
    case "frozen-placed": return `${told.seat} put a frozen card down on the ${told.side}.`;
    case "round-ended": return "The round is over.";
    case "asita-shown": return `${told.seat} turned the Asita card up.`;
    case "yono-tigiri-shown": return `${told.seat} turned the Yono Tigiri card up.`;
    case "series-ended": return "The series is over, the cards are gathered.";
    case "dealt": return "The cards were dealt.";
    default: return `${told.first} and ${told.second} changed seats.`;
  }
}

function effectSentence(told, name) {
  switch (told.outcome) {
    case "hands-raised": return told.seats?.length ? `${told.seats.join(" and ")} raised a hand.` : "Nobody raised a hand.";
    case "hosiahi": return `Its effect makes it meet ${name(told.card)}.`;
    case "frozen-passed": return "The frozen cards are passed.";
    case "placed-inverted": return "It goes Home upside down for 2 points.";
    case "nothing": return "Nothing came of the effect.";
    default: return "The effect did something else.";
  }
}

function stars(view) {
  return (view.cards ?? []).map((card) => ({ value: card.id, label: `${card.number} ${card.label}` }));
}

function pick(name, title, options, chosen) {
  return el("label", { class: "pick-line" }, el("span", {}, title),
    el("select", { name }, el("option", { value: "" }, "–"),
      ...options.map((option) => el("option", { value: option.value, selected: option.value === chosen }, option.label))));
}

function cardChoice(view, chosen) {
  return el("fieldset", { class: "chips pick-heaven" }, el("legend", {}, "Card"),
    ...(view.cards ?? []).map((card) => el("label", { class: "chip" },
      el("input", { type: "radio", name: "card", value: card.id, checked: card.id === chosen }),
      el("b", {}, String(card.number)), ` ${card.label}`)));
}

// The Field

const drawField = drawOnChange((field, pairings, frozen, effect, tanabata, cards) => {
  const [first, second, third] = field;
  const between = (one, other) => edge(pairings.find((pair) => pair.seats.includes(one.seat) && pair.seats.includes(other.seat)),
    frozen.find((card) => card.between.includes(one.seat) && card.between.includes(other.seat)), cards);
  if (!third) {
    place("field-place").replaceChildren();
    return;
  }
  place("field-place").replaceChildren(
    el("div", { class: tanabata ? "star-field tanabata" : "star-field", role: "group", "aria-label": "The Field" },
      el("div", { class: "at-second" }, onField(second)),
      el("div", { class: "edge at-top" }, between(second, third)),
      el("div", { class: "at-third" }, onField(third)),
      el("div", { class: "edge at-left" }, between(first, second)),
      el("div", { class: "at-first" }, onField(first)),
      el("div", { class: "edge at-right" }, between(third, first))),
    effectLine(effect, cards));
});

function onField(spot) {
  const face = spot.card && spot.lies !== "home" ? starCard(spot.card)
    : spot.lies === "down" ? el("div", { class: "star-back" }, hidden("a card face down"))
    : el("div", { class: "star-empty" }, spot.lies === "home" ? el("span", { class: "gone-home", dir: "auto" }, spot.card.label, el("small", {}, "went Home")) : hidden("no card yet"));
  return el("figure", { class: `on-field ${spot.lies}${spot.active ? " active" : ""}` },
    face,
    el("figcaption", { dir: "auto" }, spot.active ? "▲ " : "", spot.seat));
}

/** Between two players: the frozen card, and what their stars have in common. */
function edge(pair, frozen, cards) {
  return [
    el("span", { class: `frozen ${frozen?.lies ?? "none"}`, title: `Frozen card: ${frozen?.lies ?? "none"}` }, hidden(frozenWords(frozen))),
    pair ? el("p", { class: ["pairing", pair.met && "met", pair.meet && "meet", pair.overlooked && "overlooked"].filter(Boolean).join(" ") },
      ...pairWords(pair, cards)) : null,
  ];
}

function frozenWords(frozen) {
  if (!frozen) return "";
  return { there: "a frozen card", taken: "the frozen card was taken", played: "the frozen card was played" }[frozen.lies] ?? "no frozen card";
}

function pairWords(pair, cards) {
  const star = cards.find((card) => card.id === pair.cards[0]);
  const common = pair.shared.map((name) => el("span", { class: "common" }, sign(name, star?.[name]), VALUES[star?.[name]] ?? name));
  const verdict = pair.met ? "met" : pair.meet ? "meet now" : pair.overlooked ? "overlooked" : pair.shared.length >= 2 ? "could meet" : null;
  return [
    verdict ? el("strong", { class: "verdict" }, verdict) : null,
    ...(common.length ? common : [el("span", { class: "nothing" }, "nothing in common")]),
  ];
}

function effectLine(effect, cards) {
  if (!effect) return "";
  const card = cards.find((one) => one.id === effect.card);
  const of = effect.of.map((item) => cards.find((one) => one.id === item)?.label ?? VALUES[item.split(":")[1]] ?? item);
  return el("p", { class: "effect-line", dir: "auto" },
    el("strong", {}, card?.label ?? effect.card), " · ", el("em", {}, effect.title),
    of.length ? ` (${of.join(", ")})` : "", effect.waits ? el("span", { class: "tag gold" }, "to be told") : null);
}

/** A star as its proxy card shows it: number, star in its light and size, the three attributes named below. */
function starCard(card) {
  const label = [card.label, ...ATTRIBUTES.map((name) => VALUES[card[name]]).filter(Boolean)].join(", ");
  return el("div", { class: "star-face", title: label },
    el("span", { class: "star-number" }, card.number === null ? "?" : String(card.number)),
    starPicture(card, label),
    el("span", { class: "star-name", dir: "auto" }, short(card.label)),
    el("span", { class: "star-signs" }, ...ATTRIBUTES.map((name) => el("span", { class: "common" }, sign(name, card[name]), VALUES[card[name]] ?? "?"))));
}

function starPicture(card, label) {
  const root = svg("svg", { class: `star-picture ${card.kesiki ?? "siro"}`, viewBox: "-30 -30 60 60", role: "img", "aria-label": label });
  const rays = 4 + Math.max(0, YEAR.indexOf(card.arika));
  const reach = [12, 15.5, 19, 23, 28][Math.max(0, SIZES.indexOf(card.sugata))];
  const points = Array.from({ length: 2 * rays }, (_, n) => {
    const r = n % 2 ? reach * 0.42 : reach;
    const turn = (n * Math.PI) / rays;
    return `${(r * Math.sin(turn)).toFixed(2)},${(-r * Math.cos(turn)).toFixed(2)}`;
  });
  root.append(svg("polygon", { class: "light", points: points.join(" ") }), svg("circle", { class: "heart", r: reach * 0.24 }));
  return root;
}

/** An attribute's sign: a place in the year, a light, a size. Its word always stands beside it. */
function sign(name, value) {
  const root = svg("svg", { class: `attribute ${name}`, viewBox: "0 0 12 12", "aria-hidden": "true" });
  if (name === "arika") {
    const turn = (2 * Math.PI * Math.max(0, YEAR.indexOf(value))) / YEAR.length;
    root.append(svg("circle", { class: "dial", cx: 6, cy: 6, r: 5.2 }), svg("circle", { class: "hand", cx: 6 + 3.1 * Math.sin(turn), cy: 6 - 3.1 * Math.cos(turn), r: 1.7 }));
  } else if (name === "kesiki") {
    root.append(svg("circle", { class: `light ${value}`, cx: 6, cy: 6, r: 5 }));
  } else {
    SIZES.forEach((size, n) => root.append(svg("rect", { class: n <= SIZES.indexOf(value) ? "bar on" : "bar", x: 0.6 + 2.3 * n, y: 9.6 - 2 * n, width: 1.6, height: 2 + 2 * n })));
  }
  return root;
}

// Homes

const drawHomes = drawOnChange((seats) => {
  place("homes-place").replaceChildren(
    el("h3", {}, "Homes"),
    ...seats.map((seat) => el("section", { class: seat.turn ? "star-home turn" : "star-home", "aria-label": `Home of ${seat.name}` },
      el("h4", { dir: "auto" }, seat.name, el("span", { class: "home-points" }, plural(seat.points, "point"))),
      el("ol", { class: "home-cards" },
        ...seat.home.map(homeCard),
        ...Array.from({ length: Math.max(0, SERIES - seat.home.length) }, () => el("li", { class: "home-slot", "aria-hidden": "true" })),
        el("li", { class: seat.asita ? "home-slot asita shown" : "home-slot asita", title: "Asita" }, seat.asita ? "+1" : "", hidden(seat.asita ? "Asita, one point" : ""))))));
});

function homeCard(lying) {
  const card = lying.card;
  const words = `${card.label}, ${LIES[lying.lies]}${lying.met ? `, met ${lying.met}` : ""}${lying.wrong ? ", not as it ought to lie" : ""}`;
  return el("li", { class: `home-card ${lying.lies}${lying.wrong ? " wrong" : ""}`, title: words },
    el("div", { class: `mini-star ${card.kesiki ?? "siro"}` }, el("b", {}, card.number === null ? "?" : String(card.number)), starPicture(card, words)),
    el("span", { class: "home-name", dir: "auto" }, short(card.label)),
    lying.met ? el("span", { class: "home-met", dir: "auto" }, `with ${short(lying.met)}`) : null);
}

// Seats, rounds, series

const drawSeats = drawOnChange((seats, cooperative, outcome) => {
  $("seats").replaceChildren(...seats.map((seat) => {
    const won = Boolean(outcome?.winners.includes(seat.name));
    return el("li", { class: ["seat", seat.turn && "turn", won && "won"].filter(Boolean).join(" ") },
      el("div", { class: "seat-head" }, el("h3", { class: "seat-name", title: seat.name, dir: "auto" }, seat.name),
        cooperative ? null : el("span", { class: "seat-wins", title: `${plural(seat.wins, "series", "series")} won` }, "★".repeat(seat.wins) + "☆".repeat(Math.max(0, 2 - seat.wins)), hidden(`${seat.wins} series won`))),
      el("p", { class: "seat-points" }, el("strong", {}, String(seat.points)), ` ${seat.points === 1 ? "point" : "points"}`),
      el("p", { class: "seat-turn" }, ...seatWords(seat, won, outcome)),
      el("div", { class: "seat-foot" }, outcome ? null : el("span", {}, `${seat.hand_left} in hand`)));
  }));
});

const drawRounds = drawOnChange((rounds, series, seats, cards) => {
  const done = [...series].reverse().map((one) => el("li", { class: "series-line", dir: "auto" },
    el("strong", {}, `Series ${one.series}`), ` ${one.winners.length ? `${one.winners.join(", ")}: ${one.decided_by}` : `nobody: ${one.decided_by}`} · `,
    Object.entries(one.scores).map(([seat, points]) => `${seat} ${points}`).join(", ")));
  if (!rounds.length && !done.length) {
    $("tricks").replaceChildren(el("p", { class: "nothing" }, "No round is over yet."));
    return;
  }
  const head = el("tr", {}, el("th", { scope: "col", class: "number" }, hidden("Round")),
    ...seats.map((name) => el("th", { scope: "col", title: name, dir: "auto" }, name)));
  const rows = [...rounds].reverse().flatMap((round) => roundRows(round, seats, cards));
  replaceKeeping($("tricks"), [
    rows.length ? el("table", { class: "tricks rounds" }, el("thead", {}, head), el("tbody", {}, ...rows)) : null,
    done.length ? el("ul", { class: "series-done" }, ...done) : null,
  ].filter(Boolean));
});

function roundRows(round, seats, cards) {
  const name = (id) => short(cards.find((card) => card.id === id)?.label ?? id);
  const value = (pair, attribute) => VALUES[cards.find((card) => card.id === pair.cards[0])?.[attribute]] ?? NAMES[attribute];
  const line = (pair, word) => el("p", { class: `met-line ${word}`, dir: "auto" },
    el("strong", {}, pair.cards[0] === pair.cards[1] ? name(pair.cards[0]) : pair.cards.map(name).join(" & ")), ` ${word}`,
    pair.shared.length ? `: ${pair.shared.map((attribute) => value(pair, attribute)).join(", ")}` : "");
  const said = [...round.hosiahi.map((pair) => line(pair, "met")), ...round.overlooked.map((pair) => line(pair, "overlooked"))];
  if (round.passed) said.push(el("p", { class: "met-line" }, "frozen cards passed"));
  return [
    el("tr", { class: said.length ? "has-more" : false },
      el("th", { scope: "row" }, String(round.trick)),
      ...seats.map((seat) => el("td", { dir: "auto" }, round.played[seat] ? short(round.played[seat].label) : "–"))),
    said.length ? el("tr", { class: "more" }, el("td", {}), el("td", { colspan: String(seats.length) }, ...said)) : null,
  ].filter(Boolean);
}

/** A star's name without its companion's. */
function short(label) {
  return label.split(" & ")[0];
}

/** A part of the scene, made when it is first drawn. */
function place(id) {
  const known = $(id);
  if (known) return known;
  $("scene").replaceChildren(...["field-place", "homes-place"].map((name) => el("div", { id: name, class: name })));
  return $(id);
}
