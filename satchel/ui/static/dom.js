// Elements are made here and nowhere else. Text becomes text, never markup; a character that shows
// nothing or reorders others is written as its code point, as in packs.

// What an emoji or the letters of a script need is left; see assembler/quoting.py.
const tags = (letters) =>
  [...letters].map((each) => `\\u{${(0xe0000 + each.charCodeAt(0)).toString(16)}}`).join("");
const NEEDED = [
  `(?<=\\u{1f3f4})(?:${["gbeng", "gbsct", "gbwls"].map(tags).join("|")})\\u{e007f}`,
  "(?<=\\p{ExtPict})[\\ufe0e\\ufe0f](?![\\ufe0e\\ufe0f])",
  "(?<=[#*0-9])\\ufe0f(?=\\u20e3)",
  "(?<=\\p{ExtPict}\\ufe0f?|\\p{EMod})\\u200d(?=\\p{ExtPict})",
  "(?<=[\\p{M}\\p{scx=Arab}])[\\u200c\\u200d](?=[\\p{L}\\p{M}])",
  "(?<=\\p{L})\\u200d(?=\\p{M})",
];
const HIDDEN =
  "(?![\\t\\n\\u0600-\\u0605\\u06dd\\u070f\\u0890\\u0891\\u08e2\\u{110bd}\\u{110cd}])" +
  "[\\p{DI}\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}\\u2800\\u{13441}\\u{13442}\\u{16fe4}\\u{1d159}]";
const EITHER = new RegExp(`${NEEDED.join("|")}|(${HIDDEN})`, "gu");

/** Text with every hidden character as its code point. */
export function visible(text) {
  return String(text).replace(EITHER, (needed, hidden) => {
    if (!hidden) return needed;
    const code = hidden.codePointAt(0).toString(16).toUpperCase().padStart(4, "0");
    return `⟨U+${code}⟩`;
  });
}

const SVG = "http://www.w3.org/2000/svg";

/** An element. `on…` are listeners, `style` a map of properties, other keys are attributes. */
export function el(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

/** An element of a drawing. */
export function svg(tag, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

function filled(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "style")
      for (const [key, each] of Object.entries(value)) node.style.setProperty(key, each);
    else if (name === "title" || name === "aria-label") node.setAttribute(name, visible(value));
    else node.setAttribute(name, value === true ? "" : value);
  }
  add(node, children);
  return node;
}

/** Append children: nodes, texts, lists of these; null and false are nothing. */
export function add(node, ...children) {
  for (const child of children.flat(Infinity)) {
    if (child === undefined || child === null || child === false) continue;
    node.append(child instanceof Node ? child : document.createTextNode(visible(child)));
  }
  return node;
}

/** Take everything out, then append. */
export function fill(node, ...children) {
  node.replaceChildren();
  return add(node, children);
}

const whole = new Intl.NumberFormat("en");
export const number = (n) => whole.format(n);
export const share = (part, all) => (all ? `${Math.round((100 * part) / all)} %` : "0 %");
export const plural = (n, one, many = `${one}s`) => `${number(n)} ${n === 1 ? one : many}`;

export function bytes(n) {
  const units = ["B", "kB", "MB", "GB"];
  let unit = 0;
  while (n >= 1000 && unit < units.length - 1) {
    n /= 1000;
    unit += 1;
  }
  return `${n >= 100 || unit === 0 ? Math.round(n) : n.toFixed(1)} ${units[unit]}`;
}

/** Say something for a moment. */
export function toast(text) {
  const box = document.getElementById("toast");
  fill(box, text);
  box.classList.add("shown");
  clearTimeout(toast.timer);
  toast.timer = setTimeout(() => box.classList.remove("shown"), 2500);
}

/** What to show where something went wrong; that nothing has changed is no alarm. */
export function failure(error) {
  const isCalm = error.kind === "NothingChanged";
  return el(
    "div",
    { class: isCalm ? "notice" : "notice bad", role: isCalm ? "status" : "alert" },
    el("strong", {}, error.message || "Something went wrong"),
    error.hint ? el("p", {}, error.hint) : null,
  );
}

/** A table with its rows as lists of cells. */
export function table(caption, heads, rows, numeric = []) {
  const cells = (row) =>
    row.map((cell, n) => el("td", { class: numeric.includes(n) ? "number" : null }, cell));
  return el(
    "table",
    {},
    el("caption", { class: "hidden" }, caption),
    el(
      "thead",
      {},
      el(
        "tr",
        {},
        heads.map((head, n) =>
          el("th", { scope: "col", class: numeric.includes(n) ? "number" : null }, head),
        ),
      ),
    ),
    el(
      "tbody",
      {},
      rows.map((row) => el("tr", {}, cells(row))),
    ),
  );
}
