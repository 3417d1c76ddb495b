// Helpers that the scripts of several pages share.

/** Show a message above the page for a while; screen readers announce it. */
export function showMessage(text, kind = "") {
  const line = document.createElement("p");
  line.className = `message ${kind}`;
  line.textContent = text;
  document.getElementById("messages").replaceChildren(line);
  if (kind !== "fail") setTimeout(() => line.remove(), 6000);
}

/** Whether a key was typed into a field rather than meant for the page. */
export function isTyping(event) {
  const where = event.target;
  return (
    where instanceof Element && Boolean(where.closest("input, textarea, select, [contenteditable]"))
  );
}
