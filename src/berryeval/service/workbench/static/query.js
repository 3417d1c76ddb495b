// One query: keys, highlighted lines, and judging in place.

import { button, element, gradeClass, gradeText, isTyping } from "./messages.js";

const answer = document.querySelector(".answer");
const toast = document.getElementById("toast");
const mayJudge = answer ? answer.dataset.mayJudge === "yes" : true;
const RELOAD = [["Reload", () => location.reload()]];
let undo = null;
let hiding = 0;
let judgments = 0;

/** Show a toast with buttons for actions. */
function showToast(text, actions = [], lasts = 8000) {
  clearTimeout(hiding);
  toast.replaceChildren(element("span", { textContent: text }));
  for (const [label, act, key] of actions) {
    const made = button(label, act);
    if (key) made.append(" ", element("kbd", { textContent: key }));
    toast.append(made);
  }
  // An open dialog is above everything else.
  const drawer = document.getElementById("drawer");
  if (drawer.open) drawer.append(toast);
  else document.querySelector("main").append(toast);
  toast.hidden = false;
  if (lasts) hiding = setTimeout(() => (toast.hidden = true), lasts);
}

/** All elements of the page that show the judgment of a document. */
function places(address) {
  return [...document.querySelectorAll("[data-judgment]")].filter(
    (one) => one.dataset.judgment === address,
  );
}

function show(address, grade, revision) {
  for (const place of places(address)) {
    place.dataset.grade = grade;
    if (revision !== undefined) place.dataset.revision = revision;
    const mark = place.matches(".doc") ? place.querySelector(".grade") : null;
    if (mark) {
      const isHole = grade === "";
      mark.className = gradeClass(grade);
      mark.textContent = isHole ? "?" : gradeText(grade);
      place.closest(".result").classList.toggle("unjudged", isHole);
      const missing = place.querySelector(".below > .missing");
      if (missing) missing.textContent = isHole ? "not judged" : "";
    }
    for (const one of place.querySelectorAll(".grading [data-judge]")) {
      const isChosen = grade !== "" && Number(one.dataset.judge) === Number(grade);
      one.setAttribute("aria-pressed", String(isChosen));
    }
  }
}

function mark(address, name, isOn) {
  for (const place of places(address)) place.closest(".result")?.classList.toggle(name, isOn);
}

/** Store a grade for the document as it was shown, or withdraw it if the grade is empty. */
function write(address, grade, revision, hash) {
  const headers = { "Content-Type": "application/json" };
  if (revision === "*") headers["If-Match"] = "*";
  else if (revision) headers["If-Match"] = `"${revision}"`;
  else headers["If-None-Match"] = "*";
  if (grade === "") return fetch(address, { method: "DELETE", headers });
  const body = JSON.stringify({
    grade: Number(grade),
    source: "workbench",
    document_hash: hash || undefined,
  });
  return fetch(address, { method: "PUT", headers, body });
}

/** Judge a document: the grade shows at once, and is reverted if it cannot be stored. */
async function judge(address, grade, revision, before, name) {
  const old = { ...before };
  const again = () => judge(address, grade, revision, old, name);
  show(address, grade);
  mark(address, "saving", true);
  mark(address, "not-saved", false);
  let response;
  try {
    response = await write(address, grade, revision, before.hash);
  } catch {
    return failed("Not saved: the server is not responding.", [["Try again", again]]);
  } finally {
    mark(address, "saving", false);
  }
  if (response.status === 401) {
    const back = encodeURIComponent(location.pathname + location.search);
    return failed("Not saved: your login has expired.", [
      ["Log in", () => location.assign(`/login?next=${back}`)],
      ["Try again", again],
    ]);
  }
  if (response.status === 412 || response.status === 428)
    return conflict(address, grade, name, before.hash);
  if (response.status === 409) return failed(`Not saved. ${(await response.json()).detail}`, []);
  if (!response.ok)
    return failed(`Not saved: the server returned ${response.status}.`, [["Try again", again]]);
  const made = response.headers.get("ETag");
  await showAnswer(address, response);
  undo = () => undoJudgment(address, made, name);
  showToast(grade === "" ? `${name}: judgment withdrawn.` : `${name}: grade ${grade}.`, [
    ["Undo", undo, "u"],
  ]);

  function failed(text, actions) {
    show(address, old.grade, old.revision);
    mark(address, "not-saved", true);
    showToast(text, actions, 0);
  }
}

/** Show the judgment that a response contains. */
async function showAnswer(address, response) {
  const now = response.status === 204 ? {} : await response.json();
  show(address, now.grade ?? "", String(now.revision ?? ""));
  judgments += 1;
  document.body.dispatchEvent(new CustomEvent("judged"));
}

/** Undo the last judgment: the previous one counts again, with its own author. */
async function undoJudgment(address, made, name) {
  const again = [["Try again", () => undoJudgment(address, made, name)]];
  mark(address, "saving", true);
  let response;
  try {
    response = await fetch(`${address}/undo`, { method: "POST", headers: { "If-Match": made } });
  } catch {
    return showToast("Not undone: the server is not responding.", again, 0);
  } finally {
    mark(address, "saving", false);
  }
  if (response.status === 412)
    return showToast(`${name}: not undone, because another judge has changed it.`, RELOAD, 0);
  if (!response.ok)
    return showToast(`Not undone: the server returned ${response.status}.`, again, 0);
  await showAnswer(address, response);
  showToast(`${name}: undone.`);
}

/** Another judge graded it first: show their grade, and let this judge decide. */
async function conflict(address, grade, name, hash) {
  const response = await fetch(address).catch(() => null);
  if (!response || !(response.ok || response.status === 404)) {
    return showToast(
      `${name}: another judge has changed it. Reload to see their grade.`,
      RELOAD,
      0,
    );
  }
  const theirs = response.ok ? await response.json() : null;
  const state = {
    grade: theirs ? theirs.grade : "",
    revision: theirs ? String(theirs.revision) : "",
    hash,
  };
  show(address, state.grade, state.revision);
  const words = theirs
    ? `${theirs.author} has graded it ${gradeText(theirs.grade)}.`
    : "The judgment has been withdrawn.";
  const mine = grade === "" ? "Withdraw it" : `Replace with ${grade}`;
  showToast(
    `${name}: ${words}`,
    [
      [
        "Keep it",
        () => {
          toast.hidden = true;
          document.body.dispatchEvent(new CustomEvent("judged"));
        },
      ],
      [mine, () => judge(address, grade, state.revision, state, name)],
    ],
    0,
  );
}

// Responses to requests sent before the last judgment are outdated; newer ones follow.
document.body.addEventListener("htmx:beforeRequest", (event) => {
  event.detail.xhr.judgments = judgments;
});
document.body.addEventListener("htmx:beforeSwap", (event) => {
  const isLate =
    event.detail.elt.matches("[hx-trigger~=judged]") && event.detail.xhr.judgments !== judgments;
  if (isLate) event.detail.shouldSwap = false;
});

function judgePlace(place, grade) {
  if (!place || !mayJudge) return;
  const { judgment, revision, name, grade: old, hash } = place.dataset;
  const before = { grade: old, revision, hash };
  if (before.grade !== "" && Number(before.grade) === Number(grade)) {
    showToast(`${name}: already graded ${grade}.`, [
      ["Withdraw it", () => judge(judgment, "", revision, before, name)],
    ]);
    return;
  }
  judge(judgment, grade, revision, before, name);
}

// Keys: arrows from row to row and list to list, digits judge, u undoes, j and k go to other queries.
const rows = (side) =>
  [...document.querySelectorAll(`.doc[data-side="${side}"]`)].filter((one) => one.offsetParent);

function go(key, from) {
  if (!from) return rows(1)[0] ?? rows(0)[0];
  const side = Number(from.dataset.side);
  const list = rows(side);
  const at = list.indexOf(from);
  if (key === "ArrowDown") return list[at + 1];
  if (key === "ArrowUp") return list[at - 1];
  const other = rows(key === "ArrowLeft" ? 0 : 1);
  if (key === "ArrowLeft" ? side === 0 : side === 1) return null;
  return (
    other.find((one) => one.dataset.n === from.dataset.n) ?? other[Math.min(at, other.length - 1)]
  );
}

document.addEventListener("keydown", (event) => {
  if (isTyping(event) || event.ctrlKey || event.metaKey || event.altKey) return;
  const dialog = document.querySelector("dialog[open]");
  const here = event.target instanceof Element ? event.target : document.body;
  if (/^[0-9]$/.test(event.key)) {
    const place = dialog
      ? dialog.querySelector(".document[data-judgment]")
      : (here.closest(".result")?.querySelector(".doc") ??
        document.querySelector("main > .document[data-judgment]"));
    const known =
      place &&
      (place.querySelector(`[data-judge="${event.key}"]`) ??
        place.closest(".result")?.querySelector(`[data-judge="${event.key}"]`));
    if (known) {
      event.preventDefault();
      judgePlace(place, event.key);
    }
  } else if (event.key === "u" && undo && !toast.hidden) {
    event.preventDefault();
    const act = undo;
    undo = null;
    act();
  } else if (!dialog && (event.key === "j" || event.key === "k")) {
    document.querySelector(`.neighbours a[data-key="${event.key}"]`)?.click();
  } else if (
    !dialog &&
    answer &&
    event.key.startsWith("Arrow") &&
    (here.closest(".doc") || here === document.body || here.id === "main")
  ) {
    const next = go(event.key, here.closest(".doc"));
    if (next) {
      event.preventDefault();
      next.focus();
    }
  }
});

document.addEventListener("click", (event) => {
  const pressed = event.target instanceof Element && event.target.closest("[data-judge]");
  if (!pressed) return;
  const row = pressed.closest(".result");
  const place = pressed.closest(".document[data-judgment]") ?? row?.querySelector(".doc");
  judgePlace(place, pressed.dataset.judge);
  if (row) place.focus();
});

// Highlight the line and the rows of the same document.
function light(number) {
  for (const one of document.querySelectorAll(".is-same")) one.classList.remove("is-same");
  if (number === undefined) return;
  for (const one of document.querySelectorAll(
    `.link[data-n="${number}"], .result[data-n="${number}"]`,
  ))
    one.classList.add("is-same");
}
const numberOf = (event) =>
  event.target instanceof Element ? event.target.closest(".result")?.dataset.n : undefined;
answer?.addEventListener("pointerover", (event) => light(numberOf(event)));
answer?.addEventListener("pointerleave", () => light(undefined));
answer?.addEventListener("focusin", (event) => light(numberOf(event)));
answer?.addEventListener("focusout", () => light(undefined));

// The focus stays where it was when a list is redrawn or a drawer closes.
const nameOf = (link) => (link ? { n: link.dataset.n, side: link.dataset.side } : null);
let focused = null;
let opened = null;

function focusOn(name) {
  const here = document.activeElement;
  // An element in a drawer keeps the focus for a moment after the drawer has closed.
  if (!name || (here !== document.body && !document.getElementById("drawer").contains(here)))
    return;
  document
    .querySelector(`.doc[data-n="${name.n}"][data-side="${name.side}"]`)
    ?.focus({ preventScroll: true });
}

// No event reports that a focused row was removed, so the last focus counts until there is another.
document.addEventListener("focusin", (event) => {
  focused = nameOf(event.target.closest(".doc"));
});
document.addEventListener("pointerdown", () => {
  focused = null;
});
document.body.addEventListener("htmx:afterSettle", () => focusOn(focused));
document.addEventListener("drawer-filled", (event) => {
  opened = nameOf(event.detail.link.closest(".doc"));
});
document
  .getElementById("drawer")
  .addEventListener("close", () => setTimeout(() => focusOn(opened)));
