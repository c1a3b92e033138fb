/* Small tools for making elements. Text from the game only ever becomes a text node, never markup. */

const SVG = "http://www.w3.org/2000/svg";

/** An element with attributes and children; strings become text. `on…` attributes are listeners, false and null are left out. */
export function el(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** The same for SVG. */
export function svg(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

export function $(id) {
  return document.getElementById(id);
}

/** Puts text into an element only where it differs, so that screen readers hear changes alone. */
export function setText(node, text) {
  const wanted = text ?? "";
  if (node.textContent !== wanted) node.textContent = wanted;
}

/** Text for screen readers only. */
export function hidden(text) {
  return el("span", { class: "hidden" }, text);
}

/** Remembers what a part of the page was drawn from, and draws it again only when that has changed. */
export function drawOnChange(draw) {
  let before;
  return (...inputs) => {
    const now = JSON.stringify(inputs);
    if (now === before) return;
    before = now;
    draw(...inputs);
  };
}

/** Replaces a list's children, keeping open those <details> that were open (by data-key), and the focus. */
export function replaceKeeping(node, children) {
  const open = new Map([...node.querySelectorAll("details[data-key]")].map((d) => [d.dataset.key, d.open]));
  const focused = node.contains(document.activeElement) ? document.activeElement.closest("[data-focus]")?.dataset.focus : null;
  node.replaceChildren(...children);
  for (const details of node.querySelectorAll("details[data-key]")) {
    if (open.has(details.dataset.key)) details.open = open.get(details.dataset.key);
  }
  if (focused) {
    const again = [...node.querySelectorAll("[data-focus]")].find((n) => n.dataset.focus === focused);
    again?.focus({ preventScroll: true });
  }
}

/** Says a line to screen readers. */
export function say(line) {
  setText($("say"), line);
}

export function plural(count, one, many = `${one}s`) {
  return `${count} ${count === 1 ? one : many}`;
}

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}
