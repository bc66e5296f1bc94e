// Areas in proportion to values: squarified treemap (Bruls, Huizing and van Wijk 2000).

import { el, fill } from "./dom.js";

/** Width and height in rem from which a cell has room for its name, and for a second line. */
const ROOM = [
  [2.9, 1.1],
  [4.9, 2.4],
];
/** The same for the name above a group, and the height of that. */
const GROUP_ROOM = [3.2, 3.6];
const HEADING_REM = 1;

/** Rectangles {item, x, y, w, h} that fill w × h; `items` have `value` > 0. */
export function squarified(items, w, h) {
  const sorted = [...items].filter((item) => item.value > 0).sort((a, b) => b.value - a.value);
  const total = sorted.reduce((sum, item) => sum + item.value, 0);
  const placed = [];
  let box = { x: 0, y: 0, w, h };
  let row = [];
  const scale = total ? (w * h) / total : 0;
  const worst = (areas, side) => {
    const sum = areas.reduce((a, b) => a + b, 0);
    return Math.max(
      ...areas.map((a) =>
        Math.max((side * side * a) / (sum * sum), (sum * sum) / (side * side * a)),
      ),
    );
  };
  const areas = (list) => list.map((item) => item.value * scale);
  const flush = () => {
    const sum = areas(row).reduce((a, b) => a + b, 0);
    const wide = box.w >= box.h;
    const thick = wide ? sum / box.h : sum / box.w;
    let at = wide ? box.y : box.x;
    for (const item of row) {
      const long = (item.value * scale) / thick;
      placed.push(
        wide
          ? { item, x: box.x, y: at, w: thick, h: long }
          : { item, x: at, y: box.y, w: long, h: thick },
      );
      at += long;
    }
    box = wide
      ? { x: box.x + thick, y: box.y, w: box.w - thick, h: box.h }
      : { x: box.x, y: box.y + thick, w: box.w, h: box.h - thick };
    row = [];
  };
  for (const item of sorted) {
    const side = Math.max(Math.min(box.w, box.h), 1e-9);
    if (row.length && worst(areas([...row, item]), side) > worst(areas(row), side)) flush();
    row.push(item);
  }
  if (row.length) flush();
  return placed;
}

/**
 * A treemap of groups {label, items: [{value, label, sub, kind, href, onclick, vars}], name, href}.
 * Positions are in percent, so it follows the width of its box; `aspect` is width : height.
 */
export function treemap(groups, { label, aspect = 1.4 }) {
  const [w, h] = [1000 * aspect, 1000];
  const boxes = groups.map((group) => ({
    ...group,
    value: group.items.reduce((sum, item) => sum + item.value, 0),
  }));
  const placed = squarified(boxes, w, h).map((group) => ({
    name: named(group.item),
    wide: group.w / w,
    high: group.h / h,
    style: place(group, w, h),
    label: group.item.label,
    cells: squarified(group.item.items, group.w, group.h).map((cell) => ({
      item: cell.item,
      link: linked(cell.item),
      wide: cell.w / w,
      high: cell.h / h,
      style: place(cell, group.w, group.h),
    })),
  }));
  const map = el(
    "ul",
    { class: "treemap", "aria-label": label, style: { "aspect-ratio": String(aspect) } },
    placed.map((group) =>
      el(
        "li",
        { class: "group", style: group.style },
        group.name,
        el(
          "ul",
          { "aria-label": group.label },
          group.cells.map((cell) => el("li", { style: cell.style }, cell.link)),
        ),
      ),
    ),
  );
  // A name is there where there is room for it, however large the window. A thousand container
  // queries in the style sheet took twice the processor time of this one observer.
  new ResizeObserver(([{ contentRect }]) => write(placed, contentRect)).observe(map);
  return map;
}

/** Write names where they fit into a treemap of this size, and take the others away. */
function write(groups, { width, height }) {
  const rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
  for (const { name, wide, high, cells } of groups) {
    const isNamed = name && fits(wide * width, high * height, GROUP_ROOM, rem);
    name?.classList.toggle("shown", isNamed);
    const below = isNamed ? 1 - (HEADING_REM * rem) / (high * height) : 1;
    for (const cell of cells) {
      const [x, y] = [cell.wide * width, cell.high * height * below];
      const n = ROOM.filter((room) => fits(x, y, room, rem)).length;
      if (n === cell.n) continue;
      cell.n = n;
      const { label, sub } = cell.item;
      fill(
        cell.link,
        n > 0 && el("span", { class: "name" }, label),
        n > 1 && sub && el("span", { class: "sub" }, sub),
      );
    }
  }
}

const fits = (x, y, [wide, high], rem) => x >= wide * rem && y >= high * rem;

function place(cell, w, h) {
  const percent = (n, of) => `${((100 * n) / of).toFixed(3)}%`;
  return {
    left: percent(cell.x, w),
    top: percent(cell.y, h),
    width: percent(cell.w, w),
    height: percent(cell.h, h),
  };
}

function named({ name, href }) {
  if (!name) return null;
  return href
    ? el("a", { class: "file", href }, name)
    : el("span", { class: "file", "aria-hidden": "true" }, name);
}

function linked(item) {
  return el("a", {
    class: `cell ${item.kind || ""}`,
    href: item.href,
    title: `${item.title || item.label}${item.sub ? `\n${item.sub}` : ""}`,
    "aria-label": `${item.title || item.label}${item.sub ? `, ${item.sub}` : ""}`,
    onclick: item.onclick,
    style: item.vars || {},
  });
}
