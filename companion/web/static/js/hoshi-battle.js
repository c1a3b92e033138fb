/* Hoshi Battle's part of the page: the two who duel, their dice and Stones, effects in force, the last touch and why, taps by hand. */

import { $, drawOnChange, el, hidden, plural, replaceKeeping, say, svg } from "./dom.js";
import { act } from "./act.js";
import { SEAT, choice, oneOf, text } from "./form.js";
import { seatWords } from "./now.js";
import { ms, reasons, timeLine } from "./duel_time.js";
import { clipOf } from "./clip.js";

const FACES = ["strike", "charm", "shield", "blank"];
const STATES = {
  hand: "in the hand",
  alive: "alive",
  open: "not sure yet",
  spent: "used up",
  lost: "taken up",
  outside: "outside: not valid",
  blank: "no symbol",
};
const VERDICTS = {
  hit: "Hit",
  draw: "Draw",
  special: "Special touch",
  hidden: "Show a card?",
  bluff: "Bluff",
  several: "Both count",
  miss: "Miss",
  "too close": "Too close",
  nothing: "Doesn’t count",
};
const PATHS = {
  strike: "M12 1 14.6 8.4 22 5 17.4 11.6 23 16l-7-.4L15 23l-3.6-5.8L6 21l1.4-6.6L1 12.6l6-2.4L5 3.6l5.6 3.6Z",
  charm: "M12 21.2C5 16.2 2 12.4 2 8.4 2 5.2 4.4 3 7.2 3c2 0 3.8 1 4.8 2.8C13 4 14.8 3 16.8 3 19.6 3 22 5.2 22 8.4c0 4-3 7.8-10 12.8Z",
  shield: "M12 2 21 5v6.4c0 5-3.6 8.8-9 10.6-5.4-1.8-9-5.6-9-10.6V5Z",
};

/** Draws the parts that only this game has, one function each. */
export function parts(view) {
  return [
    () => drawRuling(view.touches?.[0] ?? null, view.waiting ?? [], view.clips ?? []),
    () => drawByHand(view.duel, view.phase, view.sensors ?? [], view.sources ?? []),
    () => drawDuel(view.duel, view.phase),
    () => drawEffects(view.effects ?? []),
    () => drawSeats(view.seats, view.outcome ?? null),
    () => drawPast(view.tricks ?? [], view.touches ?? [], view.clips ?? []),
  ];
}

// The last touch

const drawRuling = drawOnChange((touch, waiting, clips) => {
  const children = waiting.map((one) => el("p", { class: "waiting" }, el("span", { class: "spin", "aria-hidden": "true" }), `Hands touched: ${one.why}.`));
  if (touch) children.push(touchCard(touch, clips, { first: true }));
  replaceKeeping($("ruling"), children);
  if (touch && $("ruling").dataset.touch !== touch.key) {
    $("ruling").dataset.touch = touch.key;
    say(touch.text);
  }
});

function touchCard(touch, clips, { first = false } = {}) {
  return el("article", { class: `touch ${touch.verdict.replaceAll(" ", "-")}${first ? " latest" : ""}` },
    el("p", { class: "verdict-word" }, VERDICTS[touch.verdict] ?? touch.verdict,
      touch.answer ? el("span", { class: "tag gold", dir: "auto" }, `Referee: ${touch.answer}`) : touch.asked && first ? el("span", { class: "tag" }, "a draw unless a referee says otherwise") : null),
    el("p", { class: "touch-text", dir: "auto" }, touch.text),
    gapBadge(touch),
    el("details", { "data-key": `why ${touch.key}`, open: first },
      el("summary", { "data-focus": `why ${touch.key}` }, "Why"),
      el("div", { class: "because" }, timeLine(touch), ...reasons(touch), clipOf(touch, clips))));
}

/** The gap that decided, in figures that can be read across a table. */
function gapBadge(touch) {
  const gap = [...(touch.gaps ?? [])].sort((a, b) => Math.abs(a.gap_us) - Math.abs(b.gap_us))[0];
  if (!gap) return null;
  return el("p", { class: gap.close ? "gap-badge close" : "gap-badge" },
    faceSign(gap.face), el("strong", {}, ms(Math.abs(gap.gap_us))), ` ± ${(gap.within_us / 1000).toFixed(1)}`,
    el("span", { class: "gap-word" }, gap.since === "settled" ? "from rest to touch" : "from touch to pick-up"));
}

// By hand: no pad, no camera, or neither

const drawByHand = drawOnChange((duel, phase, sensors, sources) => {
  const place = $("by-hand");
  if (!duel || phase !== "rolling" || !duel.fighters) {
    place.replaceChildren();
    return;
  }
  const lost = new Set(sources.filter((source) => source.state === "lost").map((source) => source.name));
  const dice = !sensors.includes("dice") || lost.has("arena");
  const touch = !sensors.includes("pad") || lost.has("pad");
  const body = [
    ...duel.fighters.map((fighter) => el("fieldset", { class: "hand-side" },
      el("legend", { dir: "auto" }, fighter.seat),
      el("div", { class: "hand-faces" }, ...FACES.map((face) => quick(face, `${fighter.seat} rolled ${face}`, { fact: "die-rolled", seat: fighter.seat, face }, [faceSign(face), el("span", {}, face)]))),
      quick("touch", `${fighter.seat} touched the other hand`, { fact: "hands-touched", by: [fighter.seat], where: "hand" }, [`${fighter.seat} touched a hand`]),
      quick("missed", `${fighter.seat} reached out and missed`, { fact: "swing-missed", seat: fighter.seat }, [`${fighter.seat} missed`]))),
    el("div", { class: "hand-both" },
      quick("touch", "Both touched", { fact: "hands-touched", by: duel.fighters.map((fighter) => fighter.seat), where: "hand" }, ["Both touched at once"]),
      quick("touch", "Hands touched, nobody knows whose", { fact: "hands-touched", by: [], where: "unknown" }, ["Hands touched: whose?"])),
  ];
  const details = el("details", { "data-key": "by-hand", open: dice || touch },
    el("summary", { "data-focus": "by-hand" }, dice && touch ? "Tell the duel by hand" : dice ? "Tell the dice by hand: no camera sees them" : touch ? "Tell touches by hand: no pad feels them" : "Tell it by hand"),
    el("div", { class: "hand-grid" }, ...body));
  replaceKeeping(place, [details]);
});

function quick(kind, label, fact, face) {
  const button = el("button", { type: "button", class: `quick ${kind}`, "data-focus": label, "aria-label": label, dir: "auto" }, ...face);
  button.addEventListener("click", async () => {
    if (await act("/api/tell", { act: fact }, [button])) say(`Recorded: ${label}`);
  });
  return button;
}

// The countdown

let counting = null;

function countdown(counted) {
  const button = el("button", { type: "button", class: "tap gold countdown", "data-focus": "countdown" }, "Count 3 · 2 · 1 · 0");
  button.addEventListener("click", () => {
    if (counting !== null) return;
    let left = 3;
    const step = async () => {
      const shown = document.querySelector(".countdown") ?? button;
      shown.classList.add("counts");
      shown.textContent = String(left);
      say(String(left));
      beep(left === 0 ? 880 : 440);
      if (left > 0) {
        left -= 1;
        counting = setTimeout(step, 1000);
        return;
      }
      counting = null;
      await act("/api/tell", { act: { fact: "play-began", counted } }, [shown]);
      shown.classList.remove("counts");
      shown.textContent = "Count 3 · 2 · 1 · 0";
    };
    step();
  });
  return button;
}

/** A short tone where the browser may make one. */
function beep(hertz) {
  try {
    const audio = beep.audio ?? (beep.audio = new AudioContext());
    const tone = audio.createOscillator();
    const loud = audio.createGain();
    loud.gain.value = 0.08;
    tone.frequency.value = hertz;
    tone.connect(loud).connect(audio.destination);
    tone.start();
    tone.stop(audio.currentTime + 0.12);
  } catch {
    // then it is only shown
  }
}

// The two who duel

const drawDuel = drawOnChange((duel, phase) => {
  const scene = place("duel-place");
  if (!duel?.fighters) {
    scene.replaceChildren(el("p", { class: "nothing" }, phase === "over" ? "The game is over." : "Nobody duels yet."));
    return;
  }
  const [first, second] = duel.fighters;
  scene.replaceChildren(
    el("div", { class: "duel", role: "group", "aria-label": `${first.seat} against ${second.seat}` }, fighterPart(first), arena(duel, phase), fighterPart(second)),
    ["ready", "round-start"].includes(phase) || duel.timeout ? countdown(phase === "ready" || Boolean(duel.timeout)) : "");
});

function arena(duel, phase) {
  return el("div", { class: duel.rolling ? "arena rolls" : "arena" },
    el("p", { class: "round" }, duel.timeout ? "Timeout" : duel.rolling ? "Roll!" : phase === "hit" ? "Hit?" : `Round ${duel.round || "–"}`),
    el("div", { class: "loop" }, ...duel.fighters.flatMap((fighter, side) => fighter.rolls.map((roll, i) => dieOf(fighter, roll, side, fighter.dice[i])))),
    ...(duel.waits_for ?? []).map((need) => el("p", { class: "waits" }, need.act ? `${need.hitter} must: ${need.act}` : `${need.victim} rolls a d${need.sides}: ${need.faces.join(" or ")} cancels the hit`)));
}

function dieOf(fighter, roll, side, sides) {
  const state = STATES[roll.state] ?? roll.state;
  const also = roll.counts?.length ? `, counts as ${roll.counts.join(", ")}` : "";
  return el("figure", { class: `die ${roll.state} side-${side}`, title: `${fighter.seat}: ${roll.face ?? "no roll"}${also} – ${state}` },
    svg("svg", { viewBox: "0 0 48 48", "aria-hidden": "true" },
      svg("path", { class: "body", d: sides === 8 ? "M24 2 44 24 24 46 4 24Z" : "M24 2 42 18 42 30 24 46 6 30 6 18Z" }),
      PATHS[roll.face] ? svg("path", { class: "face", d: PATHS[roll.face], transform: "translate(12 12)" }) : svg("text", { class: "face-text", x: 24, y: 30 }, roll.face === "unknown" ? "?" : "")),
    el("figcaption", { dir: "auto" }, el("b", {}, `${fighter.seat}`), roll.face && roll.face !== "blank" ? ` ${roll.face}` : "", el("span", { class: "die-state" }, state), roll.counts?.length ? el("span", { class: "die-state" }, `= ${roll.counts.join(", ")}`) : null));
}

function fighterPart(fighter) {
  return el("section", { class: `fighter${fighter.was_hit ? " was-hit" : ""}`, "aria-label": fighter.seat },
    el("h4", { dir: "auto" }, fighter.seat,
      fighter.raised ? el("span", { class: "tag gold" }, "▲ hand up") : null,
      fighter.was_hit ? el("span", { class: "tag" }, "was hit") : null),
    el("div", { class: "lies" }, cardPicture(fighter.hero, fighter.hero_down, "hero"), cardPicture(fighter.card, fighter.card_down, "duel-card")),
    stones(fighter),
    el("p", { class: "hero-name", dir: "auto" }, fighter.hero ? fighter.hero.label : fighter.hero_down ? "a Hero face down" : "no Hero yet",
      fighter.card ? el("span", {}, ` · ${fighter.card.label}`) : ""),
    el("p", { class: "dice-now" }, fighter.dice.map((sides) => (sides ? `d${sides}` : "die?")).join(" + "),
      fighter.asleep ? el("span", { class: "tag" }, `asleep until ${fighter.asleep}`) : null));
}

function cardPicture(card, down, kind) {
  if (!card) return el("div", { class: `lying ${kind} ${down ? "back" : "none"}` }, down ? "✦" : "", hidden(down ? `a ${kind} face down` : `no ${kind}`));
  const image = el("img", { src: `/card/${encodeURIComponent(card.id)}.png`, alt: card.label, loading: "lazy" });
  const box = el("div", { class: `lying ${kind} open` }, image);
  image.addEventListener("error", () => image.replaceWith(el("span", { class: "lying-name", dir: "auto" }, card.label)));
  return box;
}

function stones(fighter) {
  const most = Math.max(fighter.full, fighter.stones, 0);
  return el("p", { class: "stones", "aria-label": plural(fighter.stones, "Stone") },
    ...Array.from({ length: most }, (_, i) => svg("svg", { viewBox: "0 0 20 20", class: i < fighter.stones ? "stone" : "stone gone", "aria-hidden": "true" }, svg("path", { d: "M10 1 18 7 15 18 5 18 2 7Z" }))),
    el("span", { class: "stone-count" }, String(fighter.stones)));
}

const drawEffects = drawOnChange((effects) => {
  place("effects-place").replaceChildren(
    el("h4", { class: "effects-title" }, "Effects in force"),
    effects.length ? el("ul", { class: "effects" }, ...effects.map((effect) => el("li", { dir: "auto" }, el("strong", {}, effect.card), ` (${effect.owner}): ${effect.text}`, el("span", { class: "tag" }, effect.lasts)))) : el("p", { class: "nothing" }, "None."));
});

// Players and what is over

const drawSeats = drawOnChange((seats, outcome) => {
  replaceKeeping($("seats"), seats.map((seat) => el("li", { class: `seat${seat.turn ? " turn" : ""}${outcome?.winners?.includes(seat.name) ? " won" : ""}` },
    el("div", { class: "seat-head" }, el("span", { class: "seat-name", dir: "auto" }, seat.name), seat.duels ? el("span", { class: "tag" }, "duels") : null),
    el("p", { class: "heroes-left" }, ...Array.from({ length: seat.heroes_left }, () => el("span", { "aria-hidden": "true" }, "✦")), el("span", { class: "left-word" }, plural(seat.heroes_left, "Hero", "Heroes"))),
    el("p", { class: "seat-turn" }, ...seatWords(seat, outcome?.winners?.includes(seat.name), outcome)),
    el("p", { class: "seat-foot", dir: "auto" }, seat.exiled.length ? `exiled: ${seat.exiled.join(", ")}` : ""))));
});

const drawPast = drawOnChange((duels, touches, clips) => {
  $("tricks").classList.add("duels-past");
  replaceKeeping($("tricks"), [
    ...[...duels].reverse().map((duel) => el("p", { class: "duel-done", dir: "auto" }, el("b", {}, `${duel.number}`), ` ${duel.seats.join(" – ")}: `,
      duel.winner ? `${duel.winner} won in ${plural(duel.rounds, "round")}, ${plural(duel.stones, "Stone")} left` : "both Heroes are gone",
      duel.exiled.length ? el("span", { class: "tag" }, `exiled: ${duel.seats.map((seat, i) => (duel.exiled.includes(seat) ? duel.heroes[i] : null)).filter(Boolean).join(", ")}`) : null)),
    touches.length > 1 ? el("details", { class: "earlier", "data-key": "touches" }, el("summary", { "data-focus": "touches" }, `${plural(touches.length - 1, "touch", "touches")} before`),
      el("div", {}, ...touches.slice(1).map((touch) => touchCard(touch, clips)))) : null,
  ].filter(Boolean));
});

function place(id) {
  const found = $(id);
  if (found) return found;
  const made = el("div", { id });
  $("scene").append(made);
  return made;
}

function faceSign(face) {
  return svg("svg", { viewBox: "0 0 24 24", class: `face-sign ${face}`, "aria-hidden": "true" },
    PATHS[face] ? svg("path", { d: PATHS[face] }) : svg("circle", { cx: 12, cy: 12, r: 8 }));
}

// Telling by hand

const HERO = card("hero");
const DUEL = card("duel");
const FACE = oneOf("face", "What lies on top", FACES, { missing: "Choose the face." });
const BY = {
  draw: (view, known) => choice("by", "Whose hand", fighters(view).map((seat) => ({ value: seat, label: seat })), known?.by ?? [], "checkbox"),
  read: (data) => ({ by: data.getAll("by") }),
  missing: "",
};
const WHERE = oneOf("where", "It met", [{ value: "hand", label: "a hand" }, { value: "elsewhere", label: "an arm" }, { value: "unknown", label: "nobody knows" }], { otherwise: () => "hand" });
const RULING = oneOf("ruling", "It was", ["hit", "bluff", "special", "draw", "miss"]);
const COUNT = {
  draw: (_view, known) => choice("count", "How many", ["0", "1", "2", "3", "4", "5"].map((n) => ({ value: n, label: n })), String(known?.count ?? 2)),
  read: (data) => (data.get("count") ? { count: Number(data.get("count")) } : null),
  missing: "Choose how many.",
};
const FOUL = oneOf("foul", "What", ["second hand", "interference", "pushed die", "force", "jewelry"]);

const KIND = oneOf("kind", "Cards", [{ value: "hero", label: "Heroes" }, { value: "duel", label: "Duel cards" }]);
const COUNTED = yesNo("counted", "After a countdown?");
const DONE = yesNo("done", "Was it done?");
const ACT = {
  draw: (view, known) => {
    const asked = (view.duel?.waits_for ?? []).map((need) => need.act).filter(Boolean);
    return choice("act", "What", [...new Set([...asked, ...(known?.act ? [known.act] : [])])].map((one) => ({ value: one, label: one })), known?.act ?? asked[0]);
  },
  read: (data) => text(data, "act"),
  missing: "No hit waits for an act.",
};
const SIDES = {
  draw: (_view, known) => choice("sides", "Which die", ["8", "10"].map((n) => ({ value: n, label: `d${n}` })), String(known?.sides ?? 10)),
  read: (data) => (data.get("sides") ? { sides: Number(data.get("sides")) } : null),
  missing: "Choose the die.",
};
const LAID = oneOf("laid", "Laid", [{ value: "both", label: "a Hero and a Duel card" }, { value: "hero", label: "a Hero only" }, { value: "duel", label: "a Duel card only" }], { otherwise: () => "both" });
LAID.read = (data) => ({ hero: data.get("laid") !== "duel", duel: data.get("laid") !== "hero" });
const OPPONENT = other("opponent", "Against");
const PASSED_TO = other("to", "To");
const OUTCOME = oneOf("outcome", "It did", [{ value: "nothing", label: "nothing" }, { value: "hit", label: "a hit on its player" }, { value: "hit cancelled", label: "cancelled a hit on its player" }, { value: "discard", label: "discard the Duel card" }], { otherwise: () => "nothing" });
OUTCOME.read = (data) => (data.get("outcome") && data.get("seat") ? { outcomes: [{ kind: data.get("outcome"), seat: data.get("seat") }] } : null);
const ANY_CARD = card(null);
const DECKS = {
  draw: (view) => ["hero", "duel"].flatMap((kind) => choice(`${kind}s`, kind === "hero" ? "Heroes" : "Duel cards", (view.cards ?? []).filter((one) => one.kind === kind).map((one) => ({ value: one.id, label: one.label })), [], "checkbox")),
  read: (data) => ({ heroes: data.getAll("heros"), duels: data.getAll("duels") }),
  missing: "",
};

function yesNo(name, title) {
  const field = oneOf(name, title, [{ value: "yes", label: "yes" }, { value: "no", label: "no" }], { otherwise: () => "yes" });
  return { ...field, draw: (view, known) => choice(name, title, [{ value: "yes", label: "yes" }, { value: "no", label: "no" }], known?.[name] === false ? "no" : "yes"), read: (data) => ({ [name]: data.get(name) !== "no" }) };
}

function other(name, title) {
  return {
    draw: (view, known) => choice(name, title, view.seats.map((seat) => ({ value: seat.name, label: seat.name })), known?.[name]),
    read: (data) => text(data, name),
    missing: "Choose who.",
  };
}

/** What can be told by hand; `phase` is when it is the likeliest. */
export const acts = [
  { fact: "hands-touched", label: "hands touched", fields: [BY, WHERE], phase: "rolling" },
  { fact: "touch-ruled", label: "referee: the touch was", fields: [RULING, { ...SEAT, read: (data) => text(data, "seat") ?? {} }] },
  { fact: "die-rolled", label: "rolled a die", fields: [SEAT, FACE] },
  { fact: "die-picked-up", label: "picked the die up", fields: [SEAT] },
  { fact: "swing-missed", label: "reached out and missed", fields: [SEAT] },
  { fact: "hand-raised", label: "pulled the hand up", fields: [SEAT] },
  { fact: "hand-lowered", label: "lowered the hand", fields: [SEAT] },
  { fact: "hero-revealed", label: "revealed a Hero", fields: [SEAT, HERO], phase: "reveal" },
  { fact: "duel-card-revealed", label: "played a Duel card", fields: [SEAT, DUEL], phase: "round-end" },
  { fact: "stones-counted", label: "Stones before a player", fields: [SEAT, COUNT] },
  { fact: "timeout-called", label: "called a timeout", fields: [SEAT] },
  { fact: "hero-exiled", label: "Hero exiled", fields: [SEAT] },
  { fact: "foul-seen", label: "a foul", fields: [SEAT, FOUL] },
  { fact: "die-fell", label: "die fell off the table", fields: [SEAT] },
  { fact: "die-put-back", label: "put the die back", fields: [SEAT, FACE] },
  { fact: "play-began", label: "play began", fields: [COUNTED] },
  { fact: "act-attested", label: "did what a card asks", fields: [SEAT, ACT, DONE] },
  { fact: "save-rolled", label: "rolled against a hit", fields: [SEAT, FACE] },
  { fact: "card-declined", label: "plays no card now", fields: [SEAT], phase: "round-start" },
  { fact: "effect-told", label: "what a card did", fields: [SEAT, ANY_CARD, OUTCOME] },
  { fact: "cards-placed", label: "laid cards face down", fields: [SEAT, LAID], phase: "place" },
  { fact: "opponent-chosen", label: "chose an opponent", fields: [SEAT, OPPONENT], phase: "opponent" },
  { fact: "die-taken", label: "took a die", fields: [SEAT, SIDES], phase: "ready" },
  { fact: "cards-dealt", label: "was dealt cards", fields: [SEAT, KIND, COUNT], phase: "deal" },
  { fact: "cards-kept", label: "kept cards", fields: [SEAT, KIND, COUNT] },
  { fact: "cards-passed", label: "passed cards on", fields: [SEAT, PASSED_TO, KIND, COUNT] },
  { fact: "deck-brought", label: "brought decks", fields: [SEAT, DECKS] },
];

/** An act in a sentence. */
export function words(told, view) {
  const name = (id) => (view.cards ?? []).find((one) => one.id === id)?.label ?? id;
  switch (told.fact) {
    case "hands-touched": return told.by.length ? `${told.by.join(" and ")} touched ${{ hand: "a hand", elsewhere: "an arm", unknown: "the other" }[told.where]}.` : "Hands touched.";
    case "touch-ruled": return `The touch was a ${told.ruling}${told.seat ? ` of ${told.seat}` : ""}.`;
    case "die-rolled": return `${told.seat} rolled ${told.face}.`;
    case "die-picked-up": return `${told.seat} picked the die up.`;
    case "swing-missed": return `${told.seat} reached out and touched nothing.`;
    case "hand-raised": return `${told.seat} pulled the hand up.`;
    case "hand-lowered": return `${told.seat} lowered the hand.`;
    case "hero-revealed":
    case "duel-card-revealed": return `${told.seat} revealed ${name(told.card)}.`;
    case "stones-counted": return `${plural(told.count, "Stone")} before ${told.seat}.`;
    case "timeout-called": return `${told.seat} called a timeout.`;
    case "hero-exiled": return `${told.seat}’s Hero is exiled.`;
    case "foul-seen": return `${told.seat}: ${told.foul}.`;
    case "die-put-back": return `${told.seat} put the die back.`;
    case "play-began": return told.counted ? "Play began after a countdown." : "Play went on.";
    case "act-attested": return `${told.seat} did ${told.done ? "" : "not "}do it: ${told.act}.`;
    case "save-rolled": return `${told.seat} rolled ${told.face} against the hit.`;
    case "card-declined": return `${told.seat} plays no card now.`;
    case "effect-told": return `${name(told.card)} of ${told.seat}: ${told.outcomes[0].kind}.`;
    case "cards-placed": return `${told.seat} laid ${[told.hero ? "a Hero" : null, told.duel ? "a Duel card" : null].filter(Boolean).join(" and ")} face down.`;
    case "opponent-chosen": return `${told.seat} challenged ${told.opponent}.`;
    case "die-taken": return `${told.seat} took the d${told.sides}.`;
    case "cards-dealt": return `${told.seat} was dealt ${told.count} ${told.kind} cards.`;
    case "cards-kept": return `${told.seat} kept ${told.count} ${told.kind} cards.`;
    case "cards-passed": return `${told.seat} passed ${told.count} ${told.kind} cards to ${told.to}.`;
    case "deck-brought": return `${told.seat} brought two decks.`;
    default: return `${told.seat}’s die fell off the table.`;
  }
}

function fighters(view) {
  return view.duel?.fighters?.map((fighter) => fighter.seat) ?? view.seats.map((seat) => seat.name);
}

function card(kind) {
  return {
    draw: (view, known) => el("label", { class: "pick-line" }, el("span", {}, "Card"),
      el("select", { name: "card" }, el("option", { value: "" }, "–"),
        ...(view.cards ?? []).filter((one) => kind === null || one.kind === kind).map((one) => el("option", { value: one.id, selected: one.id === known?.card }, one.label)))),
    read: (data) => text(data, "card"),
    missing: "Choose the card.",
  };
}
