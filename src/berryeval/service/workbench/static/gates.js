// A slow form shows that it is busy, and is submitted only once.
document.addEventListener("submit", (event) => {
  const words = event.target.dataset.busy;
  const button = event.target.querySelector("button");
  if (!words || !button) return;
  button.dataset.words = button.textContent;
  button.textContent = words;
  button.setAttribute("aria-disabled", "true");
  event.target.addEventListener("submit", (again) => again.preventDefault(), { once: true });
});

// After navigating back, restore the button.
window.addEventListener("pageshow", (event) => {
  if (event.persisted) location.reload();
});

// Warn before leaving the page with unsaved guards.
const form = document.getElementById("gate-form");
let isEdited = false;
form?.addEventListener("input", () => {
  isEdited = true;
});
form?.addEventListener("submit", () => {
  isEdited = false;
});
window.addEventListener("beforeunload", (event) => {
  if (isEdited) event.preventDefault();
});
