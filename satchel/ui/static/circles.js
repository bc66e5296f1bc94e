// Modules that need each other, each circle drawn as one, with the uses to give up.

import { el, plural, svg } from "./dom.js";
import { fileName, graphAt, namesOf } from "./names.js";
import { fold } from "./unfolded.js";

const [WIDTH, HEIGHT, ROUND] = [560, 340, 118];
const MOST = 18;
const short = (name) => (name.length > 22 ? `${name.slice(0, 21)}…` : name);

/** Cycles as the API has them; `addressOf` is where a file is on the map. */
export function circles({ cycles, n_found: n }, addressOf) {
  if (!n) return el("p", {}, "No file needs another that needs it in turn.");
  return [
    el(
      "p",
      { class: "dim" },
      `${plural(n, "circle")} of files that need each other, the largest first`,
      n > cycles.length ? `; ${cycles.length} are shown` : "",
      ". Tests are left out.",
    ),
    el(
      "div",
      { class: "circles" },
      cycles.map((cycle) => one(cycle, addressOf)),
    ),
  ];
}

function one(cycle, addressOf) {
  const n = cycle.modules.length;
  return el(
    "article",
    { class: "circle", "data-item": true, "aria-label": `${n} files that need each other` },
    el(
      "h2",
      {},
      plural(n, "file"),
      cycle.way_round.length < n
        ? `, ${cycle.way_round.length} of them on the shortest way round`
        : "",
    ),
    ring(cycle, addressOf),
    el("h3", {}, `To open it, give up${cycle.is_whole ? "" : " at least"}`),
    el(
      "ul",
      { class: "rows" },
      cycle.cuts
        .slice(0, 12)
        .map((cut) =>
          el(
            "li",
            {},
            el(
              "span",
              {},
              `${fileName(cut.source)} → ${fileName(cut.target)} `,
              el("a", { href: graphAt(cut) }, `${cut.path}:${cut.line}`),
            ),
            el("span", { class: "dim" }, plural(cut.uses, "use")),
          ),
        ),
    ),
    cycle.cuts.length > 12 ? el("p", { class: "dim" }, `and ${cycle.cuts.length - 12} more`) : null,
    fold(cycle.modules[0], {}, "All of its files", (box) =>
      box.append(
        el(
          "ul",
          { class: "plain mono" },
          cycle.modules
            .slice(0, 200)
            .map((path) => el("li", {}, el("a", { href: addressOf(path) }, path))),
        ),
      ),
    ),
  );
}

/** Files in a ring, the shortest way round first; what to give up is dashed. */
function ring(cycle, addressOf) {
  const others = cycle.modules.filter((path) => !cycle.way_round.includes(path));
  const shown = [...cycle.way_round, ...others].slice(0, Math.max(MOST, cycle.way_round.length));
  const at = new Map(
    shown.map((path, n) => {
      const turn = (2 * Math.PI * n) / shown.length - Math.PI / 2;
      return [
        path,
        { x: WIDTH / 2 + ROUND * Math.cos(turn), y: HEIGHT / 2 + ROUND * Math.sin(turn), turn },
      ];
    }),
  );
  const isCut = (a, b) => cycle.cuts.some((cut) => cut.source === a && cut.target === b);
  const seen = cycle.uses.filter(([a, b]) => at.has(a) && at.has(b));
  const arrows = seen.map(([a, b]) => arrow(at.get(a), at.get(b), isCut(a, b)));
  const names = namesOf(shown);
  const left = cycle.modules.length - shown.length;
  return svg(
    "svg",
    {
      class: "g ring",
      viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
      role: "group",
      "aria-label": "The way round",
    },
    arrows,
    [...at].map(([path, point]) => dot(path, names.get(path), point, addressOf)),
    left > 0
      ? svg(
          "text",
          { class: "g-sub", x: WIDTH / 2, y: HEIGHT / 2, "text-anchor": "middle" },
          `and ${left} more`,
        )
      : null,
  );
}

/** A curve from one dot to another, bent to its right so that two ways are two lines. */
function arrow(a, b, isCut) {
  const [dx, dy] = [b.x - a.x, b.y - a.y];
  const long = Math.hypot(dx, dy) || 1;
  const bend = Math.min(26, long / 5);
  const [mx, my] = [(a.x + b.x) / 2 - (dy / long) * bend, (a.y + b.y) / 2 + (dx / long) * bend];
  // The tip is an own small path: a marker would need an id for each drawing.
  const [tx, ty] = [b.x - mx, b.y - my];
  const reach = Math.hypot(tx, ty) || 1;
  const [ux, uy] = [tx / reach, ty / reach];
  const tip = [b.x - ux * 8, b.y - uy * 8];
  const wing = (side) => `${tip[0] - ux * 9 - side * uy * 5},${tip[1] - uy * 9 + side * ux * 5}`;
  return svg(
    "g",
    { class: isCut ? "arrow cut" : "arrow" },
    svg("path", { d: `M${a.x},${a.y} Q${mx},${my} ${tip[0]},${tip[1]}` }),
    svg("path", { class: "tip", d: `M${tip[0]},${tip[1]} L${wing(1)} L${wing(-1)} Z` }),
  );
}

function dot(path, label, { x, y, turn }, addressOf) {
  const side = Math.cos(turn);
  const anchor = Math.abs(side) < 0.2 ? "middle" : side > 0 ? "start" : "end";
  return svg(
    "a",
    { href: addressOf(path), "aria-label": path },
    svg("title", {}, path),
    svg("circle", { cx: x, cy: y, r: 6 }),
    svg(
      "text",
      { x: x + side * 14, y: y + Math.sin(turn) * 18 + 4, "text-anchor": anchor },
      short(label),
    ),
  );
}
