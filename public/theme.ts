// Runs before the first paint: a theme that was chosen here before wins over the system's.
const chosen = chosenTheme();
if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;

/** A browser that keeps all cookies out refuses its storage, too. */
function chosenTheme(): string | null {
  try {
    return localStorage.getItem("vitrine.theme");
  } catch {
    return null;
  }
}
