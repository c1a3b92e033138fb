/* The loop of string: shows what was found, and where somebody points. */

import { $, el, setText } from "./dom.js";
import { act, follow } from "./taking.js";

const picture = $("table").querySelector("img");

function draw(view) {
  setText($("note"), view.done ? (view.kept ? "Kept. You can close this page." : "Nothing was kept. You can close this page.") : view.note);
  $("progress").replaceChildren(...found(view));
  $("table").hidden = !view.seen || view.done;
  if (view.seen) picture.src = `/table/${view.version}.jpg`;
  $("keep").disabled = !view.can_keep || view.done;
  for (const id of ["again", "now", "end"]) $(id).hidden = view.done;
  $("now").disabled = view.lost || view.ended;
  document.body.classList.toggle("stale", view.lost);
}

function found(view) {
  if (!view.across_mm) return [];
  const words = `${view.across_mm[0]} × ${view.across_mm[1]} mm`;
  if (!view.colour) return [words];
  const chip = el("span", { class: "swatch", role: "img", "aria-label": `colour ${view.colour.join(", ")}` });
  chip.style.background = `rgb(${view.colour.join(" ")})`;
  return [chip, words];
}

picture.addEventListener("click", (event) => {
  const box = picture.getBoundingClientRect();
  act({ do: "point", across: (event.clientX - box.left) / box.width, down: (event.clientY - box.top) / box.height });
});
for (const [id, word] of [["keep", "keep"], ["again", "again"], ["now", "take"], ["end", "end"]]) {
  $(id).addEventListener("click", () => act({ do: word }));
}

follow(draw);
