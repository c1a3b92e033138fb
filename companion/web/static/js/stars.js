/* Fields of the form that tell where stars lie, in millimetres from the board's top left corner. */

import { el } from "./dom.js";
import { choice } from "./form.js";

const STARS = 12;
const SIDE_MM = 300;

/** One star at its new place. */
export const MOVED = {
  draw: (view, known) => [
    choice("moved", "Which star", numbers().map((n) => ({ value: String(n), label: String(n) })), known?.star ? String(known.star.n) : undefined),
    el("fieldset", { class: "chips star-places" }, el("legend", {}, HOW), ...place(known?.star?.n ?? 0, "new", known?.star, view)),
  ],
  read: (data, view) => {
    const star = at(data, "new", Number(data.get("moved")), view);
    return star?.n ? { star } : null;
  },
  missing: "Choose the star, and say where it lies.",
};

/** All stars of the board; a row left empty is a star that isn't there. */
export const PLACED = {
  draw: (view, known) => {
    const lying = new Map((known?.stars ?? recorded(view)).map((star) => [star.n, star]));
    return el("fieldset", { class: "chips star-places" }, el("legend", {}, HOW),
      ...numbers().flatMap((n) => [el("b", { "aria-hidden": "true" }, String(n)), ...place(n, n, lying.get(n), view)]));
  },
  read: (data, view) => {
    const stars = numbers().map((n) => at(data, n, n, view)).filter(Boolean);
    return stars.length ? { stars } : null;
  },
  missing: "Say where the stars lie.",
};

const HOW = "mm from the board's left and top edge";

function numbers() {
  return Array.from({ length: STARS }, (_, index) => index + 1);
}

function recorded(view) {
  return (view.board?.stars ?? []).map((star) => ({ n: star.n, x_mm: star.x, y_mm: star.y, square: star.square }));
}

function place(n, key, star, view) {
  const side = view.board?.side_mm ?? SIDE_MM;
  const whose = n ? `Star ${n}` : "The star";
  const input = (axis, value, edge) => el("input", {
    type: "number", name: `${axis}-${key}`, min: 0, max: side, step: "any", inputmode: "decimal",
    value: value ?? "", "aria-label": `${whose}, mm from the board's ${edge} edge`,
    oninput: (event) => event.target.dispatchEvent(new Event("change", { bubbles: true })),
  });
  return [
    input("x", star?.x_mm, "left"),
    input("y", star?.y_mm, "top"),
    el("label", { class: "on-line" },
      el("input", { type: "checkbox", name: `between-${key}`, value: "yes", checked: star ? star.square === null : false, "aria-label": `${whose} stands on a dividing line` }),
      "on a line"),
  ];
}

/** The star that a row tells; null where it says nothing, or no place on the board. */
function at(data, key, n, view) {
  const side = view.board?.side_mm ?? SIDE_MM;
  const [x, y] = ["x", "y"].map((axis) => (data.get(`${axis}-${key}`)?.trim() ? Number(data.get(`${axis}-${key}`)) : NaN));
  if (!(x >= 0 && x <= side && y >= 0 && y <= side)) return null;
  const third = (mm) => Math.min(Math.floor((mm * 3) / side), 2);
  return { n, x_mm: tenths(x), y_mm: tenths(y), square: data.get(`between-${key}`) ? null : third(y) * 3 + third(x) };
}

function tenths(mm) {
  return Math.round(mm * 10) / 10;
}
