/* The line to the service: one stream of views a page, which heals itself, and posts by which people act. */

const SILENCE_MS = 12_000; // the service gives a sign of life every 5 s
const HIDDEN_MS = 60_000; // a page that nobody looks at gives its place to another
const RETRY_MS = [500, 1000, 2000, 3000];

export class Link {
  /** `onView(view)`; `onState(state, heardAt)` with "live", "lost", or "full" (no stream left: the page asks now and then). */
  constructor({ onView, onState }) {
    this.onView = onView;
    this.onState = onState;
    this.heardAt = null;
    this.failures = 0;
    this.source = null;
    this.retry = null;
    this.hiddenSince = null;
  }

  start() {
    this.open();
    setInterval(() => this.check(), 1000);
    document.addEventListener("visibilitychange", () => {
      this.hiddenSince = document.hidden ? performance.now() : null;
      if (!document.hidden && !this.source) this.open();
    });
    window.addEventListener("online", () => this.open());
    window.addEventListener("pagehide", () => this.close());
    window.addEventListener("pageshow", (event) => event.persisted && this.open());
  }

  open() {
    this.close();
    const source = new EventSource("/events");
    this.source = source;
    this.openedAt = performance.now();
    source.addEventListener("view", (event) => {
      this.failures = 0;
      this.heard("live");
      this.onView(JSON.parse(event.data));
    });
    source.addEventListener("beat", () => this.heard("live"));
    source.addEventListener("error", () => source === this.source && this.broken());
  }

  close() {
    clearTimeout(this.retry);
    this.source?.close();
    this.source = null;
  }

  heard(state) {
    this.heardAt = performance.now();
    this.onState(state, this.heardAt);
  }

  check() {
    const now = performance.now();
    if (this.hiddenSince !== null && now - this.hiddenSince > HIDDEN_MS) {
      this.close();
    } else if (this.source && now - Math.max(this.heardAt ?? 0, this.openedAt) > SILENCE_MS) {
      this.broken();
    }
  }

  async broken() {
    this.close();
    const wait = RETRY_MS[Math.min(this.failures++, RETRY_MS.length - 1)];
    this.retry = setTimeout(() => this.open(), wait * (0.8 + 0.4 * Math.random()));
    await this.look();
  }

  /** Without a stream a page can still ask for the view itself. An answer that a new stream overtook is dropped. */
  async look() {
    const askedAt = performance.now();
    const overtaken = () => this.heardAt !== null && this.heardAt > askedAt;
    try {
      const response = await fetch("/api/view", { signal: AbortSignal.timeout(4000) });
      if (!response.ok) throw new Error(response.statusText);
      const view = await response.json();
      if (overtaken()) return;
      if (this.failures > 1) this.heard("full");
      this.onView(view);
    } catch {
      if (!overtaken()) this.onState("lost", this.heardAt);
    }
  }
}

/** Sends what a person says; throws an Error whose message is one line for people. */
export async function post(path, body) {
  let response;
  try {
    response = await fetch(path, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(10_000),
    });
  } catch {
    throw new Error("No answer from the service. Look at what was recorded before you try again.");
  }
  if (response.ok) return;
  let line = `The service refused (${response.status}).`;
  try {
    line = (await response.json()).error ?? line;
  } catch {
    // not the service's own answer: the status has to do
  }
  throw new Error(line);
}
