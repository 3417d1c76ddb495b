// Answers on their way to the server, kept in the browser until the server has stored them.
//
// They are sent in order, in the background, and retried until each has an outcome; sending an
// answer twice changes nothing. Each page has its own outbox; the next page takes over what a
// closed one left behind.

import { base } from "./messages.js";

// Answers of one collection are never sent to another.
const PREFIX = `berryeval-judge:${base}`;
const FIRST_PAUSE = 1000;
const LONGEST_PAUSE = 15000;
const MAX_AT_ONCE = 50;

const read = (name) => {
  try {
    return JSON.parse(localStorage.getItem(name) ?? "null");
  } catch {
    return null;
  }
};

export class Outbox {
  /**
   * @param {string} author the judge
   * @param {string} session the session of this page
   * @param {{changed: () => void, settled: (entry: object, outcome: object) => void}} listener
   */
  constructor(author, session, listener) {
    this.author = author;
    this.session = session;
    this.listener = listener;
    this.name = `${PREFIX}${author}:${session}`;
    const kept = read(this.name) ?? {};
    this.entries = kept.entries ?? [];
    this.revisions = kept.revisions ?? {}; // revisions written by answers that later ones depend on
    this.trouble = null; // null, "offline", "login" or "refused"
    this.pause = FIRST_PAUSE;
    this.isSending = false;
    this.timer = null;
    this.#claim();
  }

  get size() {
    return this.entries.length;
  }

  /** Add an answer, and send it as soon as possible. */
  add(entry) {
    this.entries.push(entry);
    this.#keep();
    this.send();
  }

  /** Remove an answer that was not sent yet; returns whether it was there. */
  withdraw(key) {
    const place = this.entries.findIndex((entry) => entry.key === key && !entry.isUnderWay);
    if (place < 0) return false;
    this.entries.splice(place, 1);
    this.#keep();
    this.listener.changed();
    return true;
  }

  /** Retry immediately. */
  retry() {
    clearTimeout(this.timer);
    this.timer = null;
    this.send();
  }

  async send() {
    if (this.isSending || this.timer !== null || this.size === 0) {
      this.listener.changed();
      return;
    }
    this.isSending = true;
    const batch = this.#sendable();
    for (const entry of batch) entry.isUnderWay = true;
    this.listener.changed();
    try {
      const answer = await fetch(`${base}/judge/answers`, {
        method: "POST",
        headers: { "Content-Type": "application/json", Accept: "application/json" },
        body: JSON.stringify({
          author: this.author,
          answers: batch.map((entry) => this.#written(entry)),
        }),
      });
      if (answer.ok) this.#settle(batch, (await answer.json()).outcomes);
      else
        this.#fail(
          answer.status === 401 || answer.status === 403 || answer.status === 409
            ? "login"
            : answer.status === 422
              ? "refused"
              : "offline",
        );
    } catch {
      this.#fail("offline");
    }
    this.isSending = false;
    for (const entry of batch) entry.isUnderWay = false;
    this.listener.changed();
    if (this.trouble === null && this.size > 0) this.send();
  }

  /** The first answers, up to one that depends on another whose outcome is unknown. */
  #sendable() {
    const place = this.entries.findIndex(
      (entry) => entry.after && !(entry.after in this.revisions),
    );
    const known = this.entries.slice(0, place < 0 ? undefined : place);
    return (known.length ? known : this.entries.slice(0, 1)).slice(0, MAX_AT_ONCE);
  }

  #written(entry) {
    const { after, title, isUnderWay, ...rest } = entry;
    return after ? { ...rest, revision: this.revisions[after] ?? rest.revision ?? 0 } : rest;
  }

  #settle(batch, outcomes) {
    this.trouble = null;
    this.pause = FIRST_PAUSE;
    const done = new Set(outcomes.map((outcome) => outcome.key));
    for (const outcome of outcomes) this.revisions[outcome.key] = outcome.revision;
    this.entries = this.entries.filter((entry) => !done.has(entry.key));
    const wanted = new Set(this.entries.map((entry) => entry.after));
    const recent = Object.entries(this.revisions).slice(-200);
    this.revisions = Object.fromEntries(
      recent.filter(([key], n) => wanted.has(key) || n > recent.length - 100),
    );
    this.#keep();
    for (const outcome of outcomes)
      this.listener.settled(
        batch.find((entry) => entry.key === outcome.key),
        outcome,
      );
  }

  #fail(trouble) {
    this.trouble = trouble;
    this.timer = setTimeout(() => this.retry(), this.pause);
    this.pause = Math.min(2 * this.pause, LONGEST_PAUSE);
  }

  #keep() {
    try {
      if (this.size === 0 && Object.keys(this.revisions).length === 0)
        localStorage.removeItem(this.name);
      else
        localStorage.setItem(
          this.name,
          JSON.stringify({ entries: this.entries, revisions: this.revisions }),
        );
    } catch {
      // Without storage, answers last as long as the page is open.
    }
  }

  /** Lock this outbox while the page is open, and take over what closed pages left. */
  #claim() {
    const others = Object.keys(localStorage).filter(
      (name) => name.startsWith(`${PREFIX}${this.author}:`) && name !== this.name,
    );
    const adopt = (name) => {
      const left = read(name);
      localStorage.removeItem(name);
      if (!left?.entries?.length) return;
      this.revisions = { ...left.revisions, ...this.revisions };
      this.entries.unshift(...left.entries.map((entry) => ({ ...entry, isUnderWay: false })));
      this.#keep();
      this.send();
    };
    for (const entry of this.entries) entry.isUnderWay = false;
    if (!navigator.locks) {
      others.forEach(adopt);
      return;
    }
    navigator.locks.request(this.name, () => new Promise(() => {}));
    for (const name of others)
      navigator.locks.request(name, { ifAvailable: true }, (lock) => lock && adopt(name));
  }
}
