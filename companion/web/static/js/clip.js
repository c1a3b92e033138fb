/* A touch's clip: the frames around it, one by one, with the time line under them. Nothing is loaded before it is opened. */

import { el, svg } from "./dom.js";
import { timeLine, x } from "./duel_time.js";

/** The clip's opener; null where none was kept. */
export function clipOf(touch, clips) {
  const clip = clips.find((one) => one.key === touch.key);
  if (!clip) return null;
  let frames = [];
  const image = el("img", { class: "clip-frame", alt: "The Arena at this moment", width: 640, height: 360 });
  const word = el("output", { class: "clip-word" });
  const slider = el("input", { type: "range", min: 0, max: clip.count - 1, value: 0, "aria-label": "Frame" });
  const line = timeLine(touch);
  const now = svg("line", { class: "now-line", x1: x(0), x2: x(0), y1: 4, y2: "90%" });
  line.firstChild.append(now);
  const show = () => {
    const at = Number(slider.value);
    image.src = `/clip/${encodeURIComponent(touch.key)}/${at}.jpg`;
    now.setAttribute("x1", x(frames[at] ?? 0));
    now.setAttribute("x2", x(frames[at] ?? 0));
    const ms = (frames[at] ?? 0) / 1000;
    word.textContent = `frame ${at + 1} of ${clip.count} · ${ms >= 0 ? "+" : "−"}${Math.abs(ms).toFixed(1)} ms`;
  };
  const step = (by) => {
    slider.value = String(Math.min(clip.count - 1, Math.max(0, Number(slider.value) + by)));
    show();
  };
  slider.addEventListener("input", show);
  const box = el("details", { class: "clip", "data-key": `clip ${touch.key}` },
    el("summary", { "data-focus": `clip ${touch.key}` }, "Replay, frame by frame"),
    el("div", { class: "clip-body" }, image,
      el("div", { class: "clip-bar" },
        el("button", { type: "button", class: "quiet small", "aria-label": "One frame back", onclick: () => step(-1) }, "◀"),
        slider,
        el("button", { type: "button", class: "quiet small", "aria-label": "One frame on", onclick: () => step(1) }, "▶")),
      word, line,
      el("a", { href: `/clip/${encodeURIComponent(touch.key)}/strip.jpg`, target: "_blank", rel: "noopener" }, "As one picture, like a photo finish")));
  box.addEventListener("toggle", async () => {
    if (!box.open || frames.length) return;
    const answer = await fetch(`/clip/${encodeURIComponent(touch.key)}/frames.json`);
    frames = (await answer.json()).frames;
    slider.value = String(nearest(frames));
    show();
  });
  return box;
}

/** The frame nearest to the touch. */
function nearest(frames) {
  let best = 0;
  frames.forEach((at, i) => {
    if (Math.abs(at) < Math.abs(frames[best])) best = i;
  });
  return best;
}
