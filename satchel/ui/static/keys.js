// Keys for everything; single letters can be turned off, for who speaks to the machine.

import { el, fill } from "./dom.js";

const OFF = "satchel-keys-off";
const GO = { a: "/ask", m: "/map", g: "/graph", r: "/review", k: "/knowledge", h: "/health" };
const KEYS = [
  ["/", "ask, or search on this page"],
  ["j  k", "next, previous"],
  ["Enter", "open what is chosen"],
  ["x", "take what is chosen out of the pack"],
  ["c", "copy the pack"],
  ["g then a m g r k h", "go to Ask, Map, Graph, Review, Knowledge, Health"],
  ["Esc", "leave a field"],
  ["?", "this list"],
];
let before = "";

/** Focus the field to ask in, on the Ask page if this one has none. */
export async function askAt(go) {
  let field = document.querySelector("[data-ask]");
  if (!field) {
    await go("/ask");
    field = document.querySelector("[data-ask]");
  }
  field?.focus();
  field?.select?.();
}

export function setup({ go, ask }) {
  const help = document.getElementById("help");
  const openHelp = () => {
    fill(help, helped(help));
    help.showModal();
  };
  document.getElementById("help-open").addEventListener("click", openHelp);
  document.addEventListener("keydown", (event) => {
    const isTyping = event.target.closest?.(
      "input:not([type=range]):not([type=checkbox]), textarea, select",
    );
    if (event.key === "Escape" && isTyping) event.target.blur();
    if (isTyping || event.ctrlKey || event.metaKey || event.altKey || help.open) return;
    if (localStorage.getItem(OFF)) return;
    const pressed = before === "g" ? `g${event.key}` : event.key;
    before = before === "g" ? "" : event.key;
    if (acted(pressed, { go, ask, openHelp })) event.preventDefault();
  });
}

function acted(pressed, { go, ask, openHelp }) {
  if (pressed[0] === "g" && GO[pressed[1]]) go(GO[pressed[1]]);
  else if (pressed === "/") ask();
  else if (pressed === "?") openHelp();
  else if (pressed === "j" || pressed === "k") choose(pressed === "j" ? 1 : -1);
  else if (pressed === "x") chosen()?.querySelector("[data-out]")?.click();
  else if (pressed === "c") document.querySelector("[data-copy]")?.click();
  else return false;
  return true;
}

const chosen = () => document.querySelector("[data-item].chosen");

function choose(step) {
  const items = [...document.querySelectorAll("[data-item]")].filter(
    (item) => item.getClientRects().length,
  );
  if (!items.length) return;
  const at = items.indexOf(chosen());
  const next =
    items[
      at < 0
        ? step > 0
          ? 0
          : items.length - 1
        : Math.max(0, Math.min(items.length - 1, at + step))
    ];
  mark(next);
  next.scrollIntoView({ block: "nearest" });
  // Focus goes along, so that Enter and the Tab key continue from here.
  (next.matches("a, button, summary") ? next : next.querySelector("a, button, summary"))?.focus({
    preventScroll: true,
  });
}

/** Make an item the chosen one. */
export function mark(item) {
  chosen()?.classList.remove("chosen");
  item.classList.add("chosen");
}

function helped(help) {
  const box = el("input", {
    type: "checkbox",
    id: "keys-on",
    checked: !localStorage.getItem(OFF),
    onchange: (event) =>
      event.target.checked ? localStorage.removeItem(OFF) : localStorage.setItem(OFF, "1"),
  });
  return [
    el("h2", { id: "help-title" }, "Keys"),
    el(
      "dl",
      { class: "keys" },
      KEYS.map(([key, does]) => [
        el(
          "dt",
          {},
          key.split("  ").map((each) => [el("kbd", {}, each), " "]),
        ),
        el("dd", {}, does),
      ]),
    ),
    el("p", {}, el("label", {}, box, " single keys are on")),
    el(
      "p",
      { class: "dim" },
      "Every view has an address: back, forward and bookmarks work, and a link shows the same ",
      "view to whoever may open this page.",
    ),
    el("form", { method: "dialog" }, el("button", {}, "Close")),
  ];
}
