// Runs before the first paint: a theme that was chosen here before wins over the system's.
const chosen = localStorage.getItem("vitrine.theme");
if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
