// A form that takes a while says so, and is sent once.
document.addEventListener("submit", (event) => {
  const words = event.target.dataset.busy;
  const button = event.target.querySelector("button");
  if (!words || !button) return;
  button.dataset.words = button.textContent;
  button.textContent = words;
  button.setAttribute("aria-disabled", "true");
  event.target.addEventListener("submit", (again) => again.preventDefault(), { once: true });
});

// Back from the next page the button is as it was.
window.addEventListener("pageshow", (event) => {
  if (event.persisted) location.reload();
});

// Whoever leaves with guards that are not saved is asked first.
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
