// Disagreements: the keys of Judge settle the focused disagreement, or the first one.

import { isTyping } from "./messages.js";

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  if (isTyping(event) || document.querySelector("dialog[open]")) return;
  const dispute = document.activeElement?.closest(".dispute") ?? document.querySelector(".dispute");
  const key = CSS.escape(event.key);
  const pressed = dispute?.querySelector(`.dispute-form [name="grade"][value="${key}"]`);
  if (!pressed) return;
  event.preventDefault();
  pressed.click();
});
