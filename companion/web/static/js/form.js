/* Parts of the form that tells what happened, and the fields that every game has. */

import { el } from "./dom.js";
import { colourClass } from "./cards.js";

/** A row of chips: radio buttons or check boxes, so that keys and screen readers know them. */
export function choice(name, title, options, chosen, type = "radio") {
  const picked = new Set(Array.isArray(chosen) ? chosen : [chosen]);
  return el("fieldset", { class: `chips pick-${name}` },
    el("legend", {}, title),
    ...options.map((option) => el("label", { class: `chip ${option.look ? colourClass(option.look) : ""}`, dir: "auto" },
      el("input", { type, name, value: option.value, checked: picked.has(option.value) }),
      option.label)),
    options.length ? null : el("p", { class: "nothing" }, "none"));
}

/** Who did it; the seat whose turn it is unless another is known. */
export const SEAT = {
  draw: (view, known) =>
    choice("seat", "Who", view.seats.map((s) => ({ value: s.name, label: s.name })), known?.seat ?? view.seats.find((s) => s.turn)?.name),
  read: (data) => text(data, "seat"),
  missing: "Choose who.",
};

/** A field of one value: `{name: value}` of a form, or null where it is not filled in. */
export function text(data, name) {
  const value = data.get(name)?.trim();
  return value ? { [name]: value } : null;
}

/** One of some words. */
export function oneOf(name, title, words, { otherwise = () => undefined, missing = "Choose one.", optional = false } = {}) {
  return {
    draw: (view, known) => choice(name, title, words.map((word) => (typeof word === "string" ? { value: word, label: word } : word)), known?.[name] ?? otherwise(view)),
    read: (data) => text(data, name) ?? (optional ? {} : null),
    missing,
  };
}
