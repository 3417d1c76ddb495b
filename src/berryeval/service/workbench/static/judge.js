// Judging: one key per document. The next documents are prefetched, and answers are sent in the
// background.

import { base, button, element, gradeClass, gradeText, isTyping } from "./messages.js";
import { Outbox } from "./outbox.js";

const ENOUGH = 10; // documents to prefetch
const LOW = 6;
const LOOK_AGAIN = 1000;
const PRESSED = 140;
const IDLE = 90000; // longer pauses do not count as judging time

const byId = (id) => document.getElementById(id);
const root = byId("judge");
const { author, query, mode, a, b, project } = root.dataset;
const form = byId("judge-form");
const pane = byId("judge-document");
const help = byId("judge-help");
const note = byId("judge-note"); // only in a project

const session = (() => {
  try {
    const kept =
      sessionStorage.getItem("berryeval-judge-session") ??
      crypto.getRandomValues(new Uint32Array(2)).join("-");
    sessionStorage.setItem("berryeval-judge-session", kept);
    return kept;
  } catch {
    return String(Math.random());
  }
})();

const first = byId("judge-first");
const cards = first ? [JSON.parse(first.textContent)] : [];
const given = []; // answers of this session, oldest first
let isReady = root.dataset.ready === "yes";
// Documents to judge when the page was opened. What is left follows from it and from `given` alone:
// the server's number lags behind answers that are on their way.
let total = isReady ? Number(root.dataset.left) : null;
let isFetching = false;
let isAtEnd = false;
let fetchTrouble = null;
let activeTime = 0;
let lastTime = null;
let number = 0;

const newKey = () => `${session}-${Date.now()}-${++number}`;
const pairOf = (one) => `${one.query_id}\u0000${one.doc_id}`;

const outbox = new Outbox(author, session, {
  changed: () => queueMicrotask(showSaved),
  settled: (entry, outcome) => {
    if (entry && outcome.status !== "done") showConflict(entry, outcome);
  },
});

// Display

function show() {
  const card = cards[0];
  form.hidden = !card;
  byId("judge-none").hidden = Boolean(card);
  byId("judge-looking").hidden = isReady;
  byId("judge-done").hidden = !isReady || isFetching;
  byId("judge-undo").disabled = given.length === 0;
  showProgress();
  if (!card) return;
  byId("judge-query").textContent = card.query;
  const intent = byId("judge-intent");
  intent.textContent = card.description ?? "";
  intent.hidden = !card.description;
  byId("judge-help-intent").hidden = !card.description;
  byId("judge-chips").replaceChildren(
    ...card.labels.map((label) => element("span", { className: "chip", textContent: label })),
  );
  // Sanitised by the server, with the words of the query highlighted.
  byId("judge-title").innerHTML = card.title_html;
  byId("judge-id").textContent = card.title ? card.doc_id : "";
  byId("judge-text").innerHTML = card.html;
  byId("judge-no-text").hidden = card.has_text;
  byId("judge-more").hidden = card.n_characters <= card.n_shown;
  showLength(card.n_shown, card);
  byId("judge-why").textContent = card.why;
  byId("judge-opinions").replaceChildren(
    ...card.opinions.map(([name, grade]) => {
      const mark = element("span", { className: gradeClass(grade), textContent: gradeText(grade) });
      return element("span", {}, `${name} `, mark);
    }),
  );
  pane.scrollTop = 0;
  const whole = byId("judge-card");
  whole.classList.remove("arriving");
  void whole.offsetWidth;
  whole.classList.add("arriving");
}

function showLength(shown, card) {
  const [part, whole] = [shown, card.n_characters].map((n) => n.toLocaleString("en"));
  byId("judge-more-note").textContent = `${part} of ${whole} characters shown`;
}

function showProgress() {
  const n = given.filter((one) => one.kind !== "skip").length;
  const all = Math.max(total ?? 0, given.length + cards.length);
  const togo = isAtEnd ? cards.length : all - given.length;
  const minutes = activeTime / 60000;
  const rate = n >= 3 && minutes > 0.05 ? n / minutes : null;
  const parts =
    n > 0 ? [`${n} of ${all.toLocaleString("en")} judged`] : [`${togo.toLocaleString("en")} to go`];
  if (rate) parts.push(`${rate < 10 ? rate.toFixed(1) : Math.round(rate)} per minute`);
  if (rate && togo > 0 && togo / rate < 600)
    parts.push(`about ${Math.max(1, Math.round(togo / rate))} min left`);
  byId("judge-count").textContent = isReady
    ? parts.slice(0, innerWidth > 600 ? 3 : 1).join(" · ")
    : "";
  const bar = byId("judge-bar");
  bar.max = Math.max(all, 1);
  bar.value = n;
  byId("judge-trail").replaceChildren(
    ...given.slice(-8).map(({ kind, grade }) => {
      const sign = { skip: "s", cannot: "x" }[kind];
      const className = gradeClass(sign ? "" : grade);
      return element("span", { className, textContent: sign ?? grade });
    }),
  );
}

const TROUBLES = {
  login: `You are no longer logged in as ${author}.`,
  refused: "The server rejected an answer.",
  offline: "The server is not responding.",
};

function retry() {
  outbox.retry();
  refill();
}

function showSaved() {
  const n = outbox.size;
  byId("judge-saved").textContent = n ? `${n} to save` : given.length ? "Saved" : "";
  const answers = n === 1 ? "1 answer is" : `${n} answers are`;
  const trouble = outbox.trouble ?? fetchTrouble;
  // Without a valid token, only a login can send them.
  const next =
    trouble === "login"
      ? `, and sent once ${author} logs in here again.`
      : " and will be sent. You can continue judging.";
  const kept = n ? `${answers} kept in this browser${next}` : "Nothing is lost.";
  const old = byId("judge-trouble");
  if (!trouble) {
    old?.remove();
    return;
  }
  const line = old ?? element("div", { id: "judge-trouble", className: "judge-trouble" });
  if (line.dataset.shown !== `${trouble}${n}`) {
    const text = element("p", { textContent: `${TROUBLES[trouble]} ${kept} ` });
    const login = element("a", {
      href: `/login?next=${base}/judge`,
      target: "_blank",
      rel: "noopener",
      className: "button",
      textContent: "Log in (opens a new tab)",
    });
    line.replaceChildren(
      text,
      ...(trouble === "login" ? [login] : []),
      button("Try again", retry, "button"),
    );
  }
  line.dataset.shown = `${trouble}${n}`;
  if (!old) byId("judge-troubles").prepend(line);
}

/** Another judge graded it first: show their grade, and let this judge decide. */
function showConflict(entry, outcome) {
  if (outcome.status === "refused") {
    const failed = entry.kind === "undo" ? "cannot be undone" : "was not saved";
    addTrouble(`“${entry.title}” ${failed}: ${outcome.reason}`);
    return;
  }
  const there = outcome.there;
  const theirs = there && `${there.author} has graded it ${gradeText(there.grade)}`;
  if (entry.kind === "undo") {
    addTrouble(
      there
        ? `“${entry.title}” cannot be undone: ${theirs} since.`
        : `“${entry.title}” cannot be undone: it has been withdrawn.`,
    );
    return;
  }
  const current = there
    ? `${there.author} has graded “${entry.title}” ${gradeText(there.grade)}`
    : `The judgment of “${entry.title}” has been withdrawn`;
  addTrouble(`${current}; you graded it ${entry.grade}.`, [
    [there ? `Keep ${there.author}’s ${gradeText(there.grade)}` : "Leave it", () => {}],
    [
      `Replace with my ${entry.grade}`,
      () =>
        outbox.add({
          ...entry,
          key: newKey(),
          after: undefined,
          revision: outcome.revision,
          isUnderWay: false,
        }),
    ],
  ]);
}

function addTrouble(message, choices = [["Close", () => {}]]) {
  const text = element("p", { textContent: message, dir: "auto" });
  const line = element("div", { className: "judge-trouble" }, text);
  for (const [label, act] of choices) {
    const close = () => {
      line.remove();
      act();
    };
    line.append(button(label, close, "button"));
  }
  byId("judge-troubles").append(line);
}

// Actions

function noteTime() {
  const now = performance.now();
  if (lastTime !== null) activeTime += Math.min(now - lastTime, IDLE);
  lastTime = now;
}

function press(pressed) {
  pressed?.classList.add("pressed");
  setTimeout(() => pressed?.classList.remove("pressed"), PRESSED);
}

const titleOf = (card) => card.title || card.doc_id;

/** The facts of every answer: the queue, the pair and its title. */
const taskOf = (card) => ({
  mode,
  a: a || undefined,
  b: b || undefined,
  project: project || undefined,
  query_id: card.query_id,
  doc_id: card.doc_id,
  title: titleOf(card),
});

function answer(kind, grade) {
  const card = cards[0];
  if (!card) return;
  noteTime();
  cards.shift();
  const entry = {
    key: newKey(),
    kind,
    grade,
    ...taskOf(card),
    revision: card.revision,
    hash: card.hash ?? undefined,
    note: note?.value.trim() || undefined,
    after: card.after,
  };
  given.push({ card, key: entry.key, kind, grade, note: entry.note });
  if (note) note.value = "";
  press(form.querySelector(kind === "grade" ? `[data-grade="${grade}"]` : `[data-${kind}]`));
  const words = { skip: "Skipped", cannot: "Cannot judge" }[kind] ?? `Graded ${grade}`;
  byId("judge-status").textContent = `${words}: ${entry.title}`;
  show();
  outbox.add(entry);
  refill();
}

function undo() {
  const last = given.pop();
  if (!last) return;
  noteTime();
  const card = { ...last.card };
  if (!outbox.withdraw(last.key)) {
    const key = newKey();
    // The outbox fills in the revisions once the answer to undo has been written.
    outbox.add({ key, kind: "undo", ...taskOf(card), revision: 0, after: last.key });
    card.after = key;
  }
  cards.unshift(card);
  if (note) note.value = last.note ?? "";
  press(byId("judge-undo"));
  byId("judge-status").textContent = `Undone: ${titleOf(card)}`;
  show();
}

async function refill() {
  if (isFetching || cards.length >= LOW || isAtEnd) return;
  isFetching = true;
  const waiting = outbox.entries.map((entry) => [entry.query_id, entry.doc_id]);
  const have = [...cards.map((card) => [card.query_id, card.doc_id]), ...waiting];
  let pause = null;
  try {
    const reply = await fetch(`${base}/judge/next?${query}`, {
      method: "POST",
      headers: { "Content-Type": "application/json", Accept: "application/json" },
      body: JSON.stringify({ author, session, n: ENOUGH, have }),
    });
    if (!reply.ok) throw reply.status;
    const found = await reply.json();
    const known = new Set([...cards, ...outbox.entries].map(pairOf));
    const fresh = found.cards.filter((card) => !known.has(pairOf(card)));
    const wasEmpty = cards.length === 0;
    cards.push(...fresh);
    isReady = found.is_ready;
    if (isReady) total ??= found.n_left;
    fetchTrouble = null;
    isAtEnd = isReady && fresh.length === 0 && outbox.size === 0;
    if (!isReady) pause = LOOK_AGAIN;
    isFetching = false;
    if (wasEmpty) show();
    else showProgress();
  } catch (status) {
    fetchTrouble = [401, 403, 409].includes(status) ? "login" : "offline";
    pause = 4 * LOOK_AGAIN;
    isFetching = false;
  }
  showSaved();
  if (pause) setTimeout(refill, pause);
}

async function showAll() {
  const card = cards[0];
  const more = byId("judge-more-button");
  more.disabled = true;
  let shown = card.n_shown;
  const text = byId("judge-text");
  try {
    while (shown < card.n_characters && cards[0] === card) {
      const reply = await fetch(
        `${base}/judge/text/${encodeURIComponent(card.doc_id)}?start=${shown}`,
        {
          headers: { Accept: "application/json" },
        },
      );
      if (!reply.ok) throw reply.status;
      const next = await reply.json();
      if (!next.text || cards[0] !== card) break;
      text.append(element("div", { textContent: next.text }));
      // Count code points, as the server does, not UTF-16 code units.
      shown += [...next.text].length;
      showLength(shown, card);
    }
    byId("judge-more").hidden = cards[0] === card;
  } catch {
    byId("judge-more-note").textContent = "The rest could not be loaded; try again.";
  }
  more.disabled = false;
}

// Keys and buttons

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  if (event.key === "Escape" && event.target === note) note.blur();
  if (isTyping(event) || document.querySelector("dialog[open]")) return;
  const key = form.hidden ? null : form.querySelector(`[data-grade="${CSS.escape(event.key)}"]`);
  if (key) answer("grade", Number(event.key));
  else if (event.key === "s" && !form.hidden) answer("skip");
  else if (event.key === "x" && project && !form.hidden) answer("cannot");
  else if (event.key === "n" && note && !form.hidden) note.focus();
  else if (event.key === "u") undo();
  else if (
    event.key === " " &&
    !(event.target instanceof Element && event.target.closest("button, a, summary"))
  ) {
    pane.scrollBy({ top: (event.shiftKey ? -0.85 : 0.85) * pane.clientHeight });
  } else return;
  event.preventDefault();
});

form.addEventListener("submit", (event) => {
  event.preventDefault();
  const pressed = event.submitter;
  if (pressed?.dataset.grade) answer("grade", Number(pressed.dataset.grade));
  else if (pressed && "skip" in pressed.dataset) answer("skip");
  else if (pressed && "cannot" in pressed.dataset) answer("cannot");
});
// The second click of a double click would grade an unread document.
form.addEventListener("click", (event) => {
  if (event.detail > 1) event.preventDefault();
});
byId("judge-undo").addEventListener("click", undo);
byId("judge-more-button").addEventListener("click", showAll);
byId("judge-help-button").addEventListener("click", () => help.showModal());
help.addEventListener("click", (event) => {
  if (event.target === help) help.close();
});

// Retry automatically when the judge returns to the tab or is online again.
const again = () => {
  if (outbox.trouble || fetchTrouble) retry();
};
window.addEventListener("focus", again);
window.addEventListener("online", again);
// A page that the browser restores shows what was left when the judge went away.
window.addEventListener("pageshow", (event) => event.persisted && location.reload());
document.addEventListener(
  "visibilitychange",
  () => document.visibilityState === "visible" && again(),
);

root.dataset.started = "yes";
show();
outbox.send();
refill();
