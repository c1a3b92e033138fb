/* Lines at the top of the page: the connection, a camera that was lost, and what could not be done. */

import { $, el } from "./dom.js";

const banners = new Map();

/** Shows a line under a key until it is cleared; `close` adds a button by which a person puts it away. */
export function showBanner(key, kind, line, { close = false } = {}) {
  let banner = banners.get(key);
  if (!banner) {
    banner = { node: el("div", { class: `banner ${kind}`, role: kind === "error" ? "alert" : "status" }), line: null };
    banners.set(key, banner);
    $("banners").append(banner.node);
  }
  if (banner.line === line) return banner.node;
  banner.line = line;
  const parts = [el("span", { class: "banner-line", dir: "auto" }, line), el("span", { class: "banner-age", "aria-hidden": "true" })];
  if (close) parts.push(el("button", { type: "button", class: "close", "aria-label": "Put this message away", onclick: () => clearBanner(key) }, "✕"));
  banner.node.replaceChildren(...parts);
  return banner.node;
}

/** Says how old a thing is beside a banner's line; screen readers are spared the counting. */
export function setAge(key, text) {
  const place = banners.get(key)?.node.querySelector(".banner-age");
  if (place) place.textContent = text;
}

export function clearBanner(key) {
  banners.get(key)?.node.remove();
  banners.delete(key);
}

/** What could not be done stays until it is put away or something else is done. */
export function showError(line) {
  showBanner("error", "error", line, { close: true });
}

export function clearError() {
  clearBanner("error");
}
