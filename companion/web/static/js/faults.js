/* Faults on command: a small panel at the foot of a virtual table's page. What comes of them is shown as of any other fault. */

import { $, el } from "./dom.js";
import { act } from "./act.js";

const LOOK_MS = 3000; // another page, or a test, may have switched one

/** Draws the panel where the page has a place for it. */
export function setUpFaults() {
  const panel = $("faults");
  if (!panel) return;
  panel.addEventListener("toggle", look);
  setInterval(() => panel.open && !document.hidden && look(), LOOK_MS);
}

async function look() {
  try {
    const response = await fetch("/api/faults", { signal: AbortSignal.timeout(4000) });
    if (response.ok) draw((await response.json()).faults);
  } catch {
    // the banner of the lost connection says it
  }
}

function draw(faults) {
  const list = $("fault-list");
  const known = new Map([...list.children].map((item) => [item.dataset.fault, item.firstChild]));
  for (const fault of faults) {
    const button = known.get(fault.fault) ?? added(list, fault);
    button.setAttribute("aria-pressed", String(fault.on));
  }
}

function added(list, fault) {
  const button = el("button", { type: "button", class: "quiet small" }, fault.label);
  if (!fault.lasts) button.removeAttribute("aria-pressed");
  button.addEventListener("click", async () => {
    const on = !fault.lasts || button.getAttribute("aria-pressed") !== "true";
    if (await act("/api/faults", { fault: fault.fault, on }, [button])) await look();
  });
  list.append(el("li", { "data-fault": fault.fault }, button));
  return button;
}
