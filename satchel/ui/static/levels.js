// Folders in layers: what stands higher uses what stands lower; what forms a circle stands as one.

import { el, fill, plural } from "./dom.js";
import { graphAt } from "./names.js";
import { opened, setOpened } from "./unfolded.js";

const LISTED = 60;
const short = (path) => (path.length > 34 ? `…${path.slice(-33)}` : path);

/** Levels as the API has them; `addressOf` is where a folder is seen from inside. */
export function levels(found, addressOf) {
  const n = found.levels.flat(2).length;
  if (!n) return el("p", { class: "dim" }, "No folder here uses another.");
  const panel = el("section", { class: "about", "aria-live": "polite" }, hint());
  const boxes = new Map();
  const choose = (path) => {
    setOpened([path]);
    mark(boxes, found.uses, path);
    fill(panel, described(found, path, addressOf));
  };
  const rows = found.levels.map((row) =>
    el(
      "li",
      { class: "level" },
      row.map((knot) => drawn(knot, boxes, choose)),
    ),
  );
  const [before] = opened();
  if (boxes.has(before)) choose(before);
  return [
    el(
      "p",
      { class: "dim" },
      plural(n, "folder or file", "folders and files"),
      ` in ${plural(found.levels.length, "layer")}`,
      ", tests left out. Each uses only what stands below it.",
    ),
    el(
      "div",
      { class: "columns" },
      el(
        "div",
        {},
        el("ol", { class: "levels", "aria-label": "Layers, from the top" }, rows),
        found.alone.length
          ? el(
              "p",
              { class: "dim" },
              `Tied to nothing: ${found.alone.slice(0, LISTED).join(", ")}`,
              found.alone.length > LISTED ? " and more" : "",
            )
          : null,
      ),
      el("aside", { "aria-label": "About the layers" }, panel, broken(found.broken)),
    ),
  ];
}

const hint = () => [el("h2", {}, "What uses what"), el("p", { class: "dim" }, "Choose a folder.")];

function drawn(knot, boxes, choose) {
  const buttons = knot.map((path) => {
    const button = el(
      "button",
      {
        type: "button",
        class: "module",
        "data-item": true,
        title: path,
        onclick: () => choose(path),
      },
      short(path),
    );
    boxes.set(path, button);
    return button;
  });
  if (buttons.length === 1) return buttons;
  return el(
    "span",
    { class: "knot", role: "group", "aria-label": `${knot.length} that need each other` },
    el("span", { class: "dim" }, `↻ ${knot.length} need each other`),
    buttons,
  );
}

function mark(boxes, uses, path) {
  const below = new Set(uses.filter((each) => each.source === path).map((each) => each.target));
  const above = new Set(uses.filter((each) => each.target === path).map((each) => each.source));
  for (const [name, box] of boxes) {
    box.setAttribute("aria-pressed", String(name === path));
    box.classList.toggle("used", below.has(name));
    box.classList.toggle("user", above.has(name));
  }
}

function described({ uses }, path, addressOf) {
  const list = (rows, end) =>
    rows.length
      ? el(
          "ul",
          { class: "rows" },
          rows
            .sort((a, b) => b.uses - a.uses)
            .slice(0, LISTED)
            .map((each) =>
              el(
                "li",
                {},
                el(
                  "span",
                  {},
                  each[end],
                  " ",
                  el("a", { href: graphAt(each) }, `${each.path}:${each.line}`),
                ),
                el("span", { class: "dim" }, plural(each.uses, "use")),
              ),
            ),
        )
      : el("p", { class: "dim" }, "Nothing.");
  return [
    el("h2", {}, path),
    path.endsWith("/") ? el("p", {}, el("a", { href: addressOf(path) }, "Look inside")) : null,
    el("h3", {}, "It uses"),
    list(
      uses.filter((each) => each.source === path),
      "target",
    ),
    el("h3", {}, "Used by"),
    list(
      uses.filter((each) => each.target === path),
      "source",
    ),
  ];
}

function broken(rows) {
  if (!rows.length)
    return el(
      "section",
      {},
      el("h2", {}, "Rules"),
      el(
        "p",
        { class: "dim" },
        "No use is known that breaks a rule of [architecture] in the settings.",
      ),
    );
  return el(
    "section",
    {},
    el("h2", {}, `${plural(rows.length, "use")} against the rules`),
    el(
      "ul",
      { class: "rows" },
      rows
        .slice(0, LISTED)
        .map((each) =>
          el(
            "li",
            {},
            el(
              "span",
              {},
              el("a", { href: graphAt(each) }, `${each.path}:${each.line}`),
              ` uses ${each.target}`,
            ),
            el("span", { class: "dim" }, each.rule),
          ),
        ),
    ),
  );
}
