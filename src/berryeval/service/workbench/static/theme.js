// Applies the stored theme before the first paint.
try {
  const chosen = localStorage.getItem("berryeval-theme");
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
} catch {
  // Without storage, the theme follows the system.
}
