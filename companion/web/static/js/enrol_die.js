/* Enrolment of dice from the camera: names the die, shows each face that was found, and says what becomes of it. */

import { $, el, plural, setText } from "./dom.js";
import { act, follow } from "./taking.js";

const LOOK_MS = 700;
const FLAT_PX = 240;
let view = null;
let shown = null; // number of the take whose name stands in the field

function draw(next) {
  const before = view?.step;
  view = next;
  setText($("title"), view.die ? `Die ${view.die.name}` : "Enrol a die");
  $("progress").replaceChildren(...progress());
  setText($("note"), note());
  const faces = view.step === "faces" && !view.done;
  $("naming").hidden = view.step !== "naming" || view.done;
  $("finish").hidden = !faces;
  $("finish").disabled = !view.faces.some((face) => face !== "blank");
  $("end").hidden = view.done || view.step === "testing";
  setText($("end"), view.enrolled.length ? "All dice are enrolled" : "Stop for now");
  $("test").hidden = view.step !== "tested" || view.done;
  $("another").hidden = view.step !== "enrolled" || view.done;
  $("live").hidden = !faces;
  $("pass").hidden = !view.passing;
  $("kept-part").hidden = view.step === "naming" || view.step === "enrolled" || view.done;
  $("flat").hidden = !faces;
  $("problems").replaceChildren(...view.problems.map((problem) => el("li", {}, problem)));
  if (view.step === "naming" && before !== "naming") propose();
  drawAsked();
  drawTake(faces ? view.take : null);
  drawKept();
  drawEnrolled();
}

function note() {
  if (view.done) return "Done. You can close this page.";
  if (view.step === "naming") return "Which die is it?";
  if (view.step === "testing") return "The die is being tested against itself…";
  if (view.step === "tested") return "Tested against itself:";
  return view.note;
}

function progress() {
  if (!view.die) return [];
  const named = view.faces.filter((face) => face !== "blank").length;
  const blank = view.kept.filter((kept) => kept.face === "blank").length;
  const words = `${view.die.sides} sides, ${plural(named, "face")} kept${blank ? `, blank ${blank === 1 ? "once" : `${blank} times`}` : ""}`;
  return view.die.colour ? [swatch(view.die.colour), words] : [words];
}

function swatch(colour) {
  const chip = el("span", { class: "swatch", role: "img", "aria-label": `colour ${colour.join(", ")}` });
  chip.style.background = `rgb(${colour.join(" ")})`;
  return chip;
}

function propose() {
  $("name").value = view.proposed.name;
  for (const choice of document.querySelectorAll("[name=sides]")) choice.checked = Number(choice.value) === view.proposed.sides;
}

function drawAsked() {
  const asked = view.step === "naming" ? view.asked : null;
  const same = asked && asked.name === $("name").value.trim();
  $("more").hidden = $("anew").hidden = !same;
  if (!same) return;
  setText($("more"), asked.pictures ? `Go on with ${plural(asked.pictures, "picture")} kept before` : `Add pictures to ${asked.name}`);
  setText($("anew"), `Begin ${asked.name} anew`);
}

function drawTake(take) {
  $("take").hidden = !take;
  if (!take) {
    shown = null;
    return;
  }
  $("take").classList.toggle("refused", take.faults.length > 0);
  if (shown !== take.number) {
    $("shown").src = `/take/${take.number}.png`;
    $("ink").src = `/ink/${take.number}.png`;
  }
  $("faults").replaceChildren(...take.faults.map((fault) => el("li", {}, `Not good enough: ${fault}.`)));
  const like = take.blank ? "Nothing is to be seen on it." : take.like ? `This looks like ${take.like}, which is kept already.` : "";
  $("like").hidden = !like;
  setText($("like"), like);
  $("faces").replaceChildren(...new Set([...view.faces, "blank"]).values().map((face) => el("option", { value: face })));
  if (shown === null) {
    $("face").value = take.like ?? take.suggested;
    if (!document.activeElement || document.activeElement === document.body) $($("face").value ? "keep" : "face").focus({ preventScroll: true });
  }
  shown = take.number;
  nameKeep();
}

/* The button says whether the name is new. */
function nameKeep() {
  const take = view?.take;
  if (!take) return;
  const face = $("face").value.trim();
  const more = again() ? `Keep as another picture of ${face}` : face === "blank" ? "Keep as a blank face" : "Keep";
  setText($("keep"), take.faults.length ? `${more} all the same` : more);
}

function again() {
  const face = $("face").value.trim();
  return face !== "blank" && view.faces.includes(face);
}

function drawKept() {
  $("kept").replaceChildren(...view.kept.map((kept) => {
    const button = el("button", { type: "button", "aria-label": `Throw away ${kept.file}` }, "Throw away");
    button.addEventListener("click", () => confirm(`Throw the picture ${kept.file} away?`) && act({ do: "remove", file: kept.file }));
    button.disabled = view.step !== "faces";
    const src = `/kept/${encodeURIComponent(kept.file)}?${view.kept.length}`;
    return el("li", {}, el("img", { src, alt: "", loading: "lazy" }), el("span", {}, kept.flat ? `${kept.face}, flat` : kept.face), button);
  }));
}

function drawEnrolled() {
  $("enrolled-part").hidden = !view.enrolled.length;
  $("enrolled").replaceChildren(...view.enrolled.map((die) => el("li", {}, ...(die.colour ? [swatch(die.colour)] : []), el("strong", {}, die.name), ` ${die.sides} sides: ${die.faces.join(", ")}`)));
}

/* What the camera sees, as long as faces are taken. */
async function watch() {
  let number = -1;
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    if (view?.done) return;
    if (view?.step !== "faces" || document.hidden) continue;
    try {
      const answer = await fetch("/api/live", { cache: "no-store" });
      const live = await answer.json();
      if (live.number !== number && live.number) $("live").querySelector("img").src = `/live/${live.number}.jpg`;
      number = live.number;
      $("live").classList.toggle("stale", live.stale);
      const says = live.says ? `Now: ${live.says}.` : "What the camera sees";
      setText($("sees"), live.stale ? "What the camera saw last" : says);
      $("now").disabled = live.stale;
    } catch {
      $("live").classList.add("stale");
    }
  }
}

/* A picture file as a small PNG: symbols need no more. */
async function smallPng(file) {
  const picture = await createImageBitmap(file);
  const share = Math.min(1, FLAT_PX / Math.max(picture.width, picture.height));
  const canvas = el("canvas", { width: Math.max(16, Math.round(picture.width * share)), height: Math.max(16, Math.round(picture.height * share)) });
  const pen = canvas.getContext("2d");
  pen.fillStyle = "white";
  pen.fillRect(0, 0, canvas.width, canvas.height);
  pen.imageSmoothingQuality = "high";
  pen.drawImage(picture, 0, 0, canvas.width, canvas.height);
  return canvas.toDataURL("image/png").split(",")[1];
}

function begin(before) {
  if (!$("naming").reportValidity()) return;
  act({ do: "begin", name: $("name").value.trim(), sides: Number(new FormData($("naming")).get("sides")), before });
}

function take() {
  return view?.take?.number ?? 0;
}

$("naming").addEventListener("submit", (event) => {
  event.preventDefault();
  begin("");
});
$("name").addEventListener("input", drawAsked);
$("more").addEventListener("click", () => begin("more"));
$("anew").addEventListener("click", () => confirm(`Throw away what is kept of ${$("name").value.trim()}?`) && begin("anew"));
$("take").addEventListener("submit", (event) => {
  event.preventDefault();
  act({ do: "keep", take: take(), face: $("face").value, again: again() });
});
$("face").addEventListener("input", nameKeep);
$("retake").addEventListener("click", () => act({ do: "retake", take: take() }));
$("skip").addEventListener("click", () => act({ do: "skip", take: take() }));
for (const [id, word] of [["now", "take"], ["pass", "pass"], ["finish", "finish"], ["store", "store"], ["return", "back"], ["another", "another"], ["end", "end"]]) {
  $(id).addEventListener("click", () => act({ do: word }));
}
$("flat").addEventListener("submit", async (event) => {
  event.preventDefault();
  let png = "";
  try {
    png = await smallPng($("flat-file").files[0]);
  } catch {
    setText($("error"), "This file is no picture that can be read: choose another.");
    $("error").hidden = false;
    return;
  }
  if (await act({ do: "flat", face: $("flat-face").value, png })) $("flat").reset();
});

follow(draw);
watch();
