// Helpers that the scripts of several pages share.

/** The beginning of addresses in the collection of the page. */
export const base = document.documentElement.dataset.base ?? "";

/** An element with properties and children. */
export function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

/** A button with a label and an action. */
export function button(label, act, className = "") {
  const made = element("button", { type: "button", className, textContent: label });
  made.addEventListener("click", act);
  return made;
}

/** A grade as text: a mean of several has two digits. */
export const gradeText = (grade) => String(Math.round(Number(grade) * 100) / 100);

/** The classes of a grade; an empty one is a hole. */
export const gradeClass = (grade) =>
  `grade ${grade === "" ? "hole" : `g${Math.min(3, Math.max(0, Math.trunc(grade)))}`}`;

/** Show a message above the page for a while; screen readers announce it. */
export function showMessage(text, kind = "") {
  const line = element("p", { className: `message ${kind}`, textContent: text });
  document.getElementById("messages").replaceChildren(line);
  if (kind !== "fail") setTimeout(() => line.remove(), 6000);
}

/** Whether a key was typed into a field rather than meant for the page. */
export function isTyping(event) {
  return (
    event.target instanceof Element &&
    Boolean(event.target.closest("input:not([type=radio]), textarea, select"))
  );
}
