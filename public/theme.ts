// Runs before the first paint, so that a stored theme applies at once.
const chosen = chosenTheme();
if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;

/** A browser that blocks all cookies also blocks storage. */
function chosenTheme(): string | null {
  try {
    return localStorage.getItem("vitrine.theme");
  } catch {
    return null;
  }
}
