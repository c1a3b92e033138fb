/* A pending question as a sheet with big buttons: one tap answers it. It never takes the focus or blocks the page. */

import { $, drawOnChange, el, say } from "./dom.js";
import { act } from "./act.js";

let folded = null; // id of the question that was put aside

export const drawQuestion = drawOnChange((questions) => {
  const sheet = $("question");
  sheet.hidden = !questions.length;
  document.body.classList.toggle("asked", questions.length > 0);
  if (!questions.length) {
    sheet.replaceChildren();
    return;
  }
  const question = questions[0];
  const hadFocus = sheet.contains(document.activeElement);
  if (sheet.dataset.question !== question.id) say(`A question: ${question.text}`);
  sheet.dataset.question = question.id;
  sheet.replaceChildren(...contents(question, questions.length));
  fold(sheet, folded === question.id);
  if (hadFocus) sheet.querySelector("button.answer")?.focus({ preventScroll: true });
});

function contents(question, count) {
  const answers = el("div", { class: "answers" });
  for (const option of question.options) {
    const button = el("button", { type: "button", class: "answer", "data-option": option.id, dir: "auto" }, ...face(option));
    button.addEventListener("click", () => answer(question, option, [...answers.children]));
    answers.append(button);
  }
  const toggle = el("button", { type: "button", class: "quiet small fold" }, "Later");
  toggle.addEventListener("click", () => {
    folded = folded === question.id ? null : question.id;
    fold($("question"), folded === question.id);
  });
  return [
    el("div", { class: "sheet-head" },
      el("p", { class: "sheet-kind" }, count > 1 ? `Question, and ${count - 1} more` : "Question"),
      toggle),
    el("h3", { id: "question-title", dir: "auto" }, question.text),
    el("div", { class: "sheet-body" },
      question.detail ? el("p", { class: "detail", dir: "auto" }, question.detail) : null,
      question.options.some((option) => isOwn(option.picture))
        ? el("div", { class: "compare" }, ...pictures(question).map(onTheTable), answers)
        : el("div", {}, pictured(question), answers)),
  ];
}

/* An answer's words, under the picture of the card that it names. */
function face(option) {
  if (!isOwn(option.picture)) return [option.label];
  const image = el("img", { src: option.picture, alt: "" });
  image.addEventListener("error", () => image.remove());
  return [image, el("span", {}, option.label)];
}

function pictures(question) {
  const addresses = (question.pictures ?? []).filter(isOwn);
  return addresses.map((address, i) =>
    el("img", { src: address, alt: `What the camera saw, picture ${i + 1} of ${addresses.length}`, loading: "lazy" }));
}

function pictured(question) {
  const all = pictures(question);
  return all.length ? el("div", { class: "pictures" }, ...all) : null;
}

function onTheTable(image) {
  return el("figure", {}, image, el("figcaption", {}, "On the table"));
}

function isOwn(address) {
  return typeof address === "string" && address.startsWith("/") && !address.startsWith("//");
}

function fold(sheet, on) {
  sheet.classList.toggle("folded", on);
  const toggle = sheet.querySelector(".fold");
  toggle.textContent = on ? "Open" : "Later";
  toggle.setAttribute("aria-expanded", String(!on));
}

async function answer(question, option, buttons) {
  if (await act("/api/answer", { question: question.id, option: option.id }, buttons)) say(`Answered: ${option.label}`);
}
