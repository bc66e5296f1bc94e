// Runs before the first paint, so that a chosen scheme does not flash.
(() => {
  const chosen = localStorage.getItem("satchel-theme");
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
})();
