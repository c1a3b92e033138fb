/* What the pages of an enrolment from the camera share: following the taking, and saying what becomes of a take. */

import { $, setText } from "./dom.js";

/** Calls `draw` with each new view until the taking is done. */
export async function follow(draw) {
  let version = 0;
  for (;;) {
    try {
      const answer = await fetch(`/api/view?after=${version}`, { cache: "no-store" });
      if (!answer.ok) throw new Error(answer.statusText);
      const view = await answer.json();
      if (view.version !== version) draw(view);
      version = view.version;
      if (view.done) return;
    } catch {
      setText($("note"), "The service does not answer; trying again…");
      version = 0;
      await new Promise((resolve) => setTimeout(resolve, 1500));
    }
  }
}

/** Posts what a person says; whether it was done. Buttons rest meanwhile, and what went wrong is said in #error. */
export async function act(body) {
  const buttons = [...document.querySelectorAll("button")].filter((button) => !button.disabled);
  const had = document.activeElement;
  let done = false;
  for (const button of buttons) button.disabled = true;
  try {
    const answer = await fetch("/api/act", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
    const said = await answer.json();
    done = answer.ok;
    setText($("error"), answer.ok ? "" : said.error);
  } catch {
    setText($("error"), "The service does not answer: it was not done.");
  }
  $("error").hidden = !$("error").textContent;
  for (const button of buttons) button.disabled = false;
  if (had?.isConnected && had.offsetParent) had.focus({ preventScroll: true });
  return done;
}
