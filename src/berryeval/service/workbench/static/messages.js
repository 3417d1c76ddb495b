// What the scripts of several pages share. It does nothing by itself.

/** Show a line above the page for a while; it is read aloud, too. */
export function tell(text, kind = "") {
  const line = document.createElement("p");
  line.className = `message ${kind}`;
  line.textContent = text;
  document.getElementById("messages").replaceChildren(line);
  if (kind !== "fail") setTimeout(() => line.remove(), 6000);
}

/** Whether a key was meant for a field, and not for the page. */
export function isTyping(event) {
  const where = event.target;
  return (
    where instanceof Element && Boolean(where.closest("input, textarea, select, [contenteditable]"))
  );
}
