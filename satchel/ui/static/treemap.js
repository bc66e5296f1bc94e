// Areas in proportion to values: squarified treemap (Bruls, Huizing and van Wijk 2000).

import { el } from "./dom.js";

/** The part of the whole that has no room for a word on the largest screen. */
const TOO_SMALL = 0.0004;

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
  const cells = [];
  for (const group of squarified(boxes, w, h)) {
    const inner = squarified(group.item.items, group.w, group.h);
    const part = (group.w * group.h) / (w * h);
    cells.push(
      el(
        "li",
        { class: "group", style: place(group, w, h) },
        part > TOO_SMALL && group.item.name
          ? group.item.href
            ? el("a", { class: "file", href: group.item.href }, group.item.name)
            : el("span", { class: "file", "aria-hidden": "true" }, group.item.name)
          : null,
        el(
          "ul",
          { "aria-label": group.item.label },
          inner.map((cell) =>
            el(
              "li",
              { style: place(cell, group.w, group.h) },
              drawn(cell.item, (cell.w * cell.h) / (w * h)),
            ),
          ),
        ),
      ),
    );
  }
  return el(
    "ul",
    { class: "treemap", "aria-label": label, style: { "aspect-ratio": String(aspect) } },
    cells,
  );
}

function place(cell, w, h) {
  const percent = (n, of) => `${((100 * n) / of).toFixed(3)}%`;
  return {
    left: percent(cell.x, w),
    top: percent(cell.y, h),
    width: percent(cell.w, w),
    height: percent(cell.h, h),
  };
}

function drawn(item, part) {
  // The style sheet shows what there is room for; of thousands of specks nobody could read any.
  const texts = part > TOO_SMALL && [
    el("span", { class: "name" }, item.label),
    item.sub ? el("span", { class: "sub" }, item.sub) : null,
  ];
  return el(
    "a",
    {
      // What has no text needs no measuring, and a large project has thousands of areas.
      class: `cell ${item.kind || ""}${texts ? " named" : ""}`,
      href: item.href,
      title: `${item.title || item.label}${item.sub ? `\n${item.sub}` : ""}`,
      "aria-label": `${item.title || item.label}${item.sub ? `, ${item.sub}` : ""}`,
      onclick: item.onclick,
      style: item.vars || {},
    },
    texts,
  );
}
