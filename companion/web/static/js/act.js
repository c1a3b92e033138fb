/* Acting: every post goes through here, names who acts, and shows a line where it could not be done. */

import { post } from "./link.js";
import { clearError, showError } from "./banners.js";
import { $, el } from "./dom.js";

const WHO_KEY = "hoshiban.who";

/** Who acts on this page: a seat, "referee" or "page". */
export function who() {
  return $("who").value || "page";
}

/** Fills the list of who may sit at this page; what was chosen is kept on the device. */
export function drawWho(seats) {
  const select = $("who");
  const chosen = select.value || recall(WHO_KEY);
  const choices = [["", "at the table"], ...seats.map((name) => [name, name]), ["referee", "the referee"]];
  const same = select.options.length === choices.length && choices.every(([value], i) => select.options[i].value === value);
  if (same) return;
  select.replaceChildren(...choices.map(([value, label]) => el("option", { value }, label)));
  select.value = choices.some(([value]) => value === chosen) ? chosen : "";
}

export function keepWho() {
  $("who").addEventListener("change", () => keep(WHO_KEY, $("who").value));
}

/** Posts; true where it was recorded. The buttons are off meanwhile, so that a double tap says a thing once. */
export async function act(path, body, buttons = []) {
  for (const button of buttons) button.disabled = true;
  try {
    await post(path, { ...body, who: who() });
    clearError();
    return true;
  } catch (error) {
    showError(error.message);
    return false;
  } finally {
    for (const button of buttons) button.disabled = false;
  }
}

/** A device that keeps nothing (private window) still serves the page. */
export function recall(key) {
  try {
    return localStorage.getItem(key) ?? "";
  } catch {
    return "";
  }
}

export function keep(key, value) {
  try {
    localStorage.setItem(key, value);
  } catch {
    // then it is chosen again next time
  }
}

/** A button that acts on its second tap: the first asks, in place. It forgets after a few seconds. */
export function twoTaps(button, { label, sure, onSure }) {
  let armedAt = 0;
  let timer = null;
  const disarm = () => {
    clearTimeout(timer);
    armedAt = 0;
    button.classList.remove("armed");
    button.textContent = label;
  };
  button.textContent = label;
  button.addEventListener("click", () => {
    if (!armedAt) {
      armedAt = performance.now();
      button.classList.add("armed");
      button.textContent = sure;
      timer = setTimeout(disarm, 5000);
    } else if (performance.now() - armedAt > 250) {
      disarm();
      onSure(button);
    }
  });
  return button;
}
