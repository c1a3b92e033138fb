/* The star map as SVG, in millimetres of the board. Lines are kept from view to view, so that a new one can be seen to appear. */

import { $, drawOnChange, el, plural, svg } from "./dom.js";
import { colourClass, colourWord, lineSample } from "./cards.js";

const MARGIN = 6.5;
const STAR_R = 10;
const FULL = 3; // lines that a star can have

let picture = null; // {root, layers, lines: Map(key → element)}

export const drawMap = drawOnChange((board) => {
  const place = $("map");
  if (!board) {
    picture = null;
    place.replaceChildren(el("p", { class: "no-map" }, "The star board has not been seen yet."));
    return;
  }
  if (!picture || picture.side !== board.side_mm) {
    picture = newPicture(board.side_mm);
    place.replaceChildren(picture.root);
    picture.fresh = true;
  }
  drawLines(board);
  drawDrawable(board.drawable ?? []);
  drawCrossings(board.crossings ?? []);
  drawStars(board);
  picture.title.textContent = spoken(board);
  picture.fresh = false;
});

export const drawLegend = drawOnChange((board) => {
  const items = [];
  for (const [colour, count] of Object.entries(board?.by_colour ?? {})) {
    items.push(el("li", {}, lineSample(colour), `${count} ${colourWord(colour)}`));
  }
  if (board?.crossings?.length) items.push(el("li", {}, crossingSample(), plural(board.crossings.length, "crossing")));
  if (board?.drawable?.length) items.push(el("li", {}, dotsSample(board.drawable[0].colour), "may be drawn"));
  if (board && fullStars(board).size) items.push(el("li", {}, fullSample(), "star with three lines: full"));
  $("legend").replaceChildren(...items);
});

function newPicture(side) {
  const title = svg("title");
  const root = svg("svg", {
    viewBox: `${-MARGIN} ${-MARGIN} ${side + 2 * MARGIN} ${side + 2 * MARGIN}`,
    role: "img",
  }, title);
  const layers = {};
  root.append(chart(side));
  for (const name of ["drawable", "lines", "crossings", "stars"]) {
    layers[name] = svg("g", { class: name });
    root.append(layers[name]);
  }
  return { root, title, layers, side, lines: new Map() };
}

/** The frame with its ticks, as on a star chart, and the nine squares. */
function chart(side) {
  const group = svg("g", { class: "chart" });
  group.append(svg("rect", { class: "paper", x: 0, y: 0, width: side, height: side }));
  group.append(svg("rect", { class: "frame", x: -5, y: -5, width: side + 10, height: side + 10 }));
  let ticks = "";
  for (let at = 0; at <= side + 0.01; at += side / 30) {
    ticks += `M${at} -5V0M${at} ${side}V${side + 5}M-5 ${at}H0M${side} ${at}H${side + 5}`;
  }
  group.append(svg("path", { class: "ticks", d: ticks }));
  const third = side / 3;
  group.append(svg("path", {
    class: "squares",
    d: `M${third} 0V${side}M${2 * third} 0V${side}M0 ${third}H${side}M0 ${2 * third}H${side}`,
  }));
  return group;
}

function drawLines(board) {
  const stars = byNumber(board);
  const wanted = new Map();
  for (const line of board.lines ?? []) {
    const a = stars.get(line.a);
    const b = stars.get(line.b);
    if (a && b) wanted.set(`${line.a}-${line.b}-${line.colour}-${a.x},${a.y}-${b.x},${b.y}`, [line, a, b]);
  }
  for (const [key, element] of picture.lines) {
    if (!wanted.has(key)) {
      element.remove();
      picture.lines.delete(key);
    }
  }
  for (const [key, [line, a, b]] of wanted) {
    if (picture.lines.has(key)) continue;
    const element = lineElement(line, a, b);
    if (!picture.fresh) element.classList.add("new");
    picture.lines.set(key, element);
    picture.layers.lines.append(element);
  }
}

function lineElement(line, a, b) {
  const ends = { x1: a.x, y1: a.y, x2: b.x, y2: b.y, pathLength: 1 };
  const group = svg("g", { class: `line ${colourClass(line.colour)}`, "data-line": `${line.a}-${line.b}-${line.colour}` });
  group.append(svg("title", {}, `${colourWord(line.colour)} line ${line.a}–${line.b}`));
  group.append(svg("line", { class: "stroke", ...ends }));
  if (line.colour === "blue") group.append(svg("line", { class: "core", ...ends }));
  return group;
}

function drawDrawable(lines) {
  const stars = picture.stars ?? new Map();
  const dots = lines
    .filter((line) => stars.has(line.a) && stars.has(line.b))
    .map((line) => {
      const a = stars.get(line.a);
      const b = stars.get(line.b);
      return svg("line", { class: colourClass(line.colour), x1: a.x, y1: a.y, x2: b.x, y2: b.y, "data-drawable": `${line.a}-${line.b}` });
    });
  picture.layers.drawable.replaceChildren(...dots);
}

function drawCrossings(crossings) {
  const marks = crossings.map((crossing) =>
    svg(
      "g",
      { class: `crossing ${colourClass(crossing.colour)}`, transform: `translate(${crossing.x} ${crossing.y})` },
      svg("title", {}, `two ${colourWord(crossing.colour)} lines cross here: one point more`),
      svg("circle", { r: 5.6 }),
      svg("text", { y: 2.3 }, "+1"),
    ),
  );
  picture.layers.crossings.replaceChildren(...marks);
}

function drawStars(board) {
  const count = linesByStar(board);
  const offered = new Set((board.drawable ?? []).flatMap((line) => [line.a, line.b]));
  const marks = board.stars.map((star) => {
    const lines = count.get(star.n) ?? 0;
    const full = lines >= FULL;
    const classes = ["star", full && "full", offered.has(star.n) && "offered"].filter(Boolean).join(" ");
    return svg(
      "g",
      { class: classes, transform: `translate(${star.x} ${star.y})` },
      svg("title", {}, `star ${star.n}: ${plural(lines, "line")}${full ? ", full" : ""}`),
      svg("circle", { class: "halo", r: STAR_R + 4 }),
      svg("circle", { class: "disc", r: STAR_R }),
      svg("text", { y: 4.2 }, String(star.n)),
    );
  });
  picture.layers.stars.replaceChildren(...marks);
}

function linesByStar(board) {
  const count = new Map();
  for (const line of board.lines ?? []) {
    for (const end of [line.a, line.b]) count.set(end, (count.get(end) ?? 0) + 1);
  }
  return count;
}

function fullStars(board) {
  return new Set([...linesByStar(board)].filter(([, lines]) => lines >= FULL).map(([n]) => n));
}

function byNumber(board) {
  picture.stars = new Map(board.stars.map((star) => [star.n, star]));
  return picture.stars;
}

function spoken(board) {
  const lines = (board.lines ?? []).map((line) => `${colourWord(line.colour)} ${line.a} to ${line.b}`);
  const drawn = lines.length ? `${plural(lines.length, "line")}: ${lines.join(", ")}` : "no lines yet";
  return `Star map with ${plural(board.stars.length, "star")}; ${drawn}; ${plural((board.crossings ?? []).length, "crossing")}.`;
}

function crossingSample() {
  return svg("svg", { class: "sample crossing", viewBox: "0 0 14 14", "aria-hidden": "true" },
    svg("circle", { cx: 7, cy: 7, r: 5.6 }), svg("text", { x: 7, y: 9.3 }, "+1"));
}

function fullSample() {
  return svg("svg", { class: "sample full", viewBox: "0 0 14 14", "aria-hidden": "true" }, svg("circle", { cx: 7, cy: 7, r: 5.6 }));
}

function dotsSample(colour) {
  return svg("svg", { class: `sample dots ${colourClass(colour)}`, viewBox: "0 0 24 10", "aria-hidden": "true" },
    svg("line", { x1: 2, y1: 5, x2: 23, y2: 5 }));
}
