// The menu of a run closes on a click elsewhere, or on Escape.

const openMenu = () => document.querySelector("details.actions[open]");

document.addEventListener("click", (event) => {
  const menu = openMenu();
  if (
    menu &&
    event.target instanceof Node &&
    !menu.contains(event.target) &&
    !event.target.closest?.("dialog")
  )
    menu.open = false;
});
document.addEventListener("keydown", (event) => {
  const menu = openMenu();
  if (!menu || event.key !== "Escape" || document.querySelector("dialog[open]")) return;
  menu.open = false;
  menu.querySelector("summary").focus();
});
