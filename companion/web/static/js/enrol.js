/* Enrolment from the camera: shows the card that was found, and says what becomes of it. */

import { $, el, plural, setText } from "./dom.js";
import { act, follow } from "./taking.js";

let view = null;
let shown = null; // number of the take whose name stands in the field

function draw(next) {
  view = next;
  setText($("title"), `Deck ${view.deck}`);
  const cards = view.kept.filter((stem) => !stem.includes("@") && !isBack(stem)).length;
  const left = view.missing.length ? `, ${view.missing.length} to come` : "";
  setText($("progress"), `${plural(cards, "card")} kept${left}${view.has_back ? "" : ", no back yet"}`);
  setText($("note"), view.done ? "Done: the deck is being enrolled. You can close this page." : view.note);
  $("finish").disabled = view.done || !cards;
  drawTake(view.done ? null : view.take);
  drawKept();
}

function isBack(stem) {
  return /^back(-|@|$)/i.test(stem);
}

function drawTake(take) {
  $("take").hidden = !take;
  $("table").hidden = view.done || view.version < 2;
  $("table").querySelector("img").src = `/table/${view.version}.jpg`;
  if (!take) {
    shown = null;
    return;
  }
  $("take").classList.toggle("refused", take.faults.length > 0);
  $("shown").src = `/take/${take.number}.png`;
  $("faults").replaceChildren(...take.faults.map((fault) => el("li", {}, `Not good enough: ${fault}.`)));
  $("like").hidden = !take.like;
  setText($("like"), take.like ? `This looks like ${take.like}, which is kept already. Is it another card?` : "");
  $("again").hidden = !take.like;
  setText($("again"), take.like ? `It is ${take.like}: keep as a second picture` : "");
  setText($("keep"), take.faults.length ? "Keep it all the same" : take.like ? "It is another card: keep" : "Keep");
  $("missing").replaceChildren(...view.missing.map((id) => el("option", { value: id })));
  if (shown === null) {
    $("side").value = take.suggested;
    if (!document.activeElement || document.activeElement === document.body) $("keep").focus({ preventScroll: true });
  }
  shown = take.number;
}

function drawKept() {
  $("kept").replaceChildren(...[...view.kept].reverse().map((stem) => {
    const button = el("button", { type: "button", "aria-label": `Throw away ${stem}` }, "Throw away");
    button.addEventListener("click", () => confirm(`Throw the picture of ${stem} away?`) && act({ do: "remove", scan: stem }));
    return el("li", {}, el("img", { src: `/scan/${encodeURIComponent(stem)}.jpg`, alt: "", loading: "lazy" }), el("span", {}, stem), button);
  }));
}

function take() {
  return view?.take?.number ?? 0;
}

$("take").addEventListener("submit", (event) => {
  event.preventDefault();
  act({ do: "keep", take: take(), side: $("side").value, again: false });
});
$("again").addEventListener("click", () => act({ do: "keep", take: take(), side: view.take.like, again: true }));
$("back").addEventListener("click", () => act({ do: "keep", take: take(), side: backName(), again: false }));
$("retake").addEventListener("click", () => act({ do: "retake", take: take() }));
$("skip").addEventListener("click", () => act({ do: "skip", take: take() }));
$("turn").addEventListener("click", () => act({ do: "turn", take: take() }));
$("finish").addEventListener("click", () => act({ do: "finish" }));

/* The deck's back; a further one gets a number. */
function backName() {
  if (!view.has_back) return "back";
  let n = 2;
  while (view.kept.includes(`back-${n}`)) n += 1;
  return `back-${n}`;
}

follow(draw);
