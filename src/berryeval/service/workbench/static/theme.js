// Before anything is painted: the colours that were chosen last.
try {
  const chosen = localStorage.getItem("berryeval-theme");
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
} catch {
  // A browser that keeps nothing follows the system.
}
