// The drawing of a call graph: boxes in columns, edges between them, moved and scaled by hand.

import { el, fill, plural, svg } from "./dom.js";
import { brief, graphAt } from "./names.js";

const [WIDE, HIGH, GAP, BETWEEN, EDGE, HEAD] = [216, 38, 9, 64, 12, 34];
const MANY_EDGES = 90;
const [LEAST, MOST, STEP] = [0.2, 2.5, 1.2];
const READABLE = 0.75;
const USUAL_FONT = 14;

export const place = (symbol) => `${symbol.path}:${symbol.line}`;
const tail = (text, n) => (text.length > n ? `…${text.slice(1 - n)}` : text);
const cut = (text, n) => (text.length > n ? `${text.slice(0, n - 1)}…` : text);

/**
 * Draw columns of nodes and edges (see layered.js) into `area`; returns the picture.
 * `onOpen` is told which group is opened, `onEdge` which edges are asked about.
 */
export function drawGraph(area, { columns, edges, label }, { onOpen, onEdge }) {
  const { at, width, height } = placed(columns);
  const titles = columns.map(([first]) =>
    svg(
      "text",
      { class: "g-title", x: at.get(first.key).x, y: at.get(first.key).y - 12 },
      titleOf(first.column),
    ),
  );
  const lines = new Map(edges.map((joined) => [joined, line(joined, at, onEdge)]));
  const light = (key) =>
    lines.forEach((each, joined) =>
      each.classList.toggle("lit", key === joined.from || key === joined.to),
    );
  const boxes = [...at.values()].map((each) => box(each, onOpen, light));
  const picture = svg(
    "svg",
    {
      class: edges.length > MANY_EDGES ? "g many" : "g",
      width,
      height,
      viewBox: `0 0 ${width} ${height}`,
      role: "group",
      "aria-label": label,
    },
    titles,
    svg("g", {}, [...lines.values()]),
    svg("g", {}, boxes),
  );
  const sheet = el("div", { class: "sheet" }, picture);
  fill(area, sheet);
  movable(area, sheet, { width, height, n_columns: columns.length });
  const root = [...at.values()].find(({ node }) => node.isRoot);
  area.scrollLeft = root ? root.x - area.clientWidth / 2 + WIDE / 2 : 0;
  area.scrollTop = root ? root.y - area.clientHeight / 2 : 0;
  return picture;
}

/** Where each box is; columns are centred on the tallest. */
function placed(columns) {
  const at = new Map();
  const tall = Math.max(...columns.map((column) => column.length));
  const height = Math.max(160, tall * (HIGH + GAP) + HEAD + EDGE);
  columns.forEach((column, n) => {
    const top = HEAD + (height - HEAD - EDGE - column.length * (HIGH + GAP)) / 2;
    column.forEach((node, row) =>
      at.set(node.key, { node, x: EDGE + n * (WIDE + BETWEEN), y: top + row * (HIGH + GAP) }),
    );
  });
  return { at, height, width: columns.length * (WIDE + BETWEEN) - BETWEEN + 2 * EDGE };
}

function titleOf(column) {
  if (column === 0) return "";
  const steps = Math.abs(column) === 1 ? "" : `, ${Math.abs(column)} steps`;
  return `${column < 0 ? "callers" : "calls"}${steps}`;
}

function box({ node, x, y }, onOpen, light) {
  const [symbol] = node.symbols;
  const name = node.isGroup ? plural(node.symbols.length, "symbol") : brief(symbol.qualified_name);
  const file = symbol.path.slice(symbol.path.lastIndexOf("/") + 1);
  const where = node.isGroup ? node.folder || symbol.path : `${file}:${symbol.line}`;
  const kinds = { root: node.isRoot, test: node.isTest, other: node.isOther, group: node.isGroup };
  const open = (event) => {
    if (!node.isGroup) return;
    event.preventDefault();
    onOpen(node);
  };
  return svg(
    "a",
    {
      class: ["g-node", ...Object.keys(kinds).filter((kind) => kinds[kind])].join(" "),
      "data-item": true,
      draggable: "false",
      href: node.isGroup ? "#" : graphAt(symbol),
      "aria-label": node.isGroup ? `Open ${name} of ${where}` : `${name}, ${place(symbol)}`,
      onclick: open,
      onmouseenter: () => light(node.key),
      onmouseleave: () => light(null),
      onfocus: () => light(node.key),
      onblur: () => light(null),
    },
    svg(
      "title",
      {},
      node.isGroup
        ? `${where}\n${node.symbols
            .map((s) => s.name)
            .slice(0, 12)
            .join(", ")}`
        : `${symbol.qualified_name}\n${place(symbol)}\n${symbol.signature}`,
    ),
    svg("rect", { x, y, width: WIDE, height: HIGH, rx: 5 }),
    svg("text", { class: "g-name", x: x + 9, y: y + 16 }, cut(name, 26)),
    svg("text", { class: "g-sub", x: x + 9, y: y + 31 }, tail(where, 31)),
  );
}

function line({ from, to, edges }, at, onEdge) {
  const [a, b] = [at.get(from), at.get(to)];
  const forward = a.x < b.x;
  const [x1, y1, x2, y2] = [
    forward ? a.x + WIDE : a.x,
    a.y + HIGH / 2,
    forward ? b.x : b.x + WIDE,
    b.y + HIGH / 2,
  ];
  const bend = a.x === b.x ? -46 : (x2 - x1) / 2;
  // Within a column an edge leaves to the left and comes back.
  const path =
    a.x === b.x
      ? `M${x1},${y1} C${x1 + bend},${y1} ${b.x + bend},${y2} ${b.x},${y2}`
      : `M${x1},${y1} C${x1 + bend},${y1} ${x2 - bend},${y2} ${x2},${y2}`;
  const [first] = edges;
  const isGuess = Math.max(...edges.map((e) => e.confidence)) < 0.5;
  return svg(
    "path",
    {
      class: isGuess ? "g-edge guess" : "g-edge",
      d: path,
      "stroke-width": 0.8 + Math.min(3, edges.length * 0.4),
      onclick: () => onEdge(edges),
    },
    svg(
      "title",
      {},
      edges.length > 1
        ? `${edges.length} uses`
        : `${first.kind} via ${first.rule}, ${first.confidence.toFixed(2)}`,
    ),
  );
}

/** Drag to move; two fingers, Ctrl and the wheel or the buttons scale. Nothing is drawn again. */
function movable(area, sheet, { width, height, n_columns }) {
  let scale = 1;
  const to = (wanted, x = area.clientWidth / 2, y = area.clientHeight / 2) => {
    const next = Math.min(MOST, Math.max(LEAST, wanted));
    // What is under the pointer stays under it.
    const [left, top] = [(area.scrollLeft + x) / scale, (area.scrollTop + y) / scale];
    scale = next;
    sheet.style.setProperty("width", `${width * scale}px`);
    sheet.style.setProperty("height", `${height * scale}px`);
    sheet.firstChild.style.setProperty("transform", `scale(${scale})`);
    area.scrollLeft = left * scale - x;
    area.scrollTop = top * scale - y;
  };
  // All columns are seen at once where they can still be read, as large as the page's own text.
  const largest = parseFloat(getComputedStyle(document.documentElement).fontSize) / USUAL_FONT;
  const whole = area.clientWidth / width;
  const three = (whole * n_columns) / 3; // who calls it, it, and what it calls
  to(Math.min(largest, Math.max(whole, Math.min(READABLE, three))));
  area.zoom = (by) =>
    to(by ? scale * STEP ** by : Math.min(1, area.clientWidth / width, area.clientHeight / height));
  area.onwheel = (event) => {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    const { left, top } = area.getBoundingClientRect();
    to(scale * Math.exp(-event.deltaY / 300), event.clientX - left, event.clientY - top);
  };
  let apart = 0;
  const pinched = (event) => {
    if (event.touches.length !== 2) return;
    event.preventDefault();
    const [a, b] = event.touches;
    const now = Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY);
    const { left, top } = area.getBoundingClientRect();
    const [x, y] = [(a.clientX + b.clientX) / 2 - left, (a.clientY + b.clientY) / 2 - top];
    if (apart) to((scale * now) / apart, x, y);
    apart = now;
  };
  // On the sheet, which is new with each drawing, and by hand: a listener may refuse the browser's.
  sheet.addEventListener("touchmove", pinched, { passive: false });
  sheet.addEventListener("touchstart", () => {
    apart = 0;
  });
  area.onpointerdown = (event) => {
    if (event.button || event.pointerType !== "mouse" || event.target.closest("a")) return;
    const from = [area.scrollLeft + event.clientX, area.scrollTop + event.clientY];
    area.onpointermove = (moved) => {
      area.scrollLeft = from[0] - moved.clientX;
      area.scrollTop = from[1] - moved.clientY;
    };
    area.setPointerCapture(event.pointerId);
  };
  area.onpointerup = area.onpointercancel = () => {
    area.onpointermove = null;
  };
}
