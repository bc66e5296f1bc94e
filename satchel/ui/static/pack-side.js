// What stands beside a pack: where its tokens went, what was changed by hand, what waits.

import { el, number, plural, share } from "./dom.js";
import { mark } from "./keys.js";
import { brief, fileName, namesOf, partsOf, placeOf } from "./names.js";
import { addressOf } from "./request.js";
import { treemap } from "./treemap.js";

const PARTS = { match: "matches", neighbour: "neighbours", known: "notes", frame: "headings" };
const LISTED = 12;

/** The sections beside a pack; without a request nothing can be changed. */
export function besidePack(layout, request, go) {
  const { pack } = layout;
  return [tokens(layout), changed(request), waiting(pack, request, go), lacks(pack)];
}

function tokens(layout) {
  const { pack, tokens: spent } = layout;
  const counted = partsOf(layout);
  const r = pack.receipt;
  const free = r.budget - r.used;
  const parts = [
    ...spent.map(([part, n]) => [part, PARTS[part], n]),
    ["free", "free", free],
  ].filter(([, , n]) => n > 0);
  const files = new Map();
  pack.excerpts.forEach((e, n) => {
    if (!files.has(e.path)) files.set(e.path, []);
    files.get(e.path).push({
      value: Math.max(e.tokens, 1),
      label: brief(e.symbol) || fileName(e.path),
      sub: `${number(e.tokens)} tokens`,
      title: placeOf(e),
      kind: counted[n],
      href: `#e${n}`,
      onclick: (event) => jump(event, n),
    });
  });
  const names = namesOf([...files.keys()]);
  const groups = [...files].map(([label, items]) => ({ label, name: names.get(label), items }));
  for (const [part, n] of spent) {
    if (["known", "frame"].includes(part) && n)
      groups.push({
        label: PARTS[part],
        items: [
          {
            value: n,
            label: PARTS[part],
            sub: `${number(n)} tokens`,
            kind: part,
            href: "#main",
            onclick: (event) => event.preventDefault(),
          },
        ],
      });
  }
  return el(
    "section",
    {},
    el("h2", {}, "Where the tokens went"),
    el(
      "div",
      {
        class: "stack",
        role: "img",
        "aria-label": parts.map(([, name, n]) => `${name} ${share(n, r.budget)}`).join(", "),
      },
      parts.map(([part, , n]) =>
        el("span", { class: part, style: { "--part": `${(100 * n) / r.budget}%` } }),
      ),
    ),
    el(
      "ul",
      { class: "legend" },
      parts.map(([part, name, n]) =>
        el(
          "li",
          {},
          el("span", { class: `swatch ${part}`, "aria-hidden": "true" }),
          `${name} ${number(n)}`,
          el("span", { class: "dim" }, ` (${share(n, r.budget)})`),
        ),
      ),
    ),
    groups.length ? treemap(groups, { label: "Tokens by file and excerpt" }) : null,
  );
}

function jump(event, n) {
  event.preventDefault();
  const section = document.getElementById(`e${n}`);
  mark(section);
  section.scrollIntoView({
    block: "start",
    behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth",
  });
  section.querySelector("summary")?.focus({ preventScroll: true });
}

function changed(request) {
  if (!request || !(request.put_in.length + request.take_out.length)) return null;
  const row = (place, key, sign) =>
    el(
      "li",
      {},
      el("span", {}, `${sign} ${place}`),
      el(
        "a",
        {
          class: "button quiet",
          href: addressOf({ ...request, [key]: request[key].filter((p) => p !== place) }),
          "aria-label": `Undo ${place}`,
        },
        "Undo",
      ),
    );
  return el(
    "section",
    {},
    el("h2", {}, "Changed by hand"),
    el(
      "ul",
      { class: "rows" },
      request.put_in.map((p) => row(p, "put_in", "+")),
      request.take_out.map((p) => row(p, "take_out", "−")),
    ),
  );
}

function waiting(pack, request, go) {
  if (!pack.waiting.length && !request) return null;
  const rows = pack.waiting.slice(0, LISTED).map((w) =>
    el(
      "li",
      { "data-item": true },
      el(
        "span",
        {},
        el("span", { class: "path" }, `${w.path}:${w.line}`),
        w.name ? ` ${brief(w.name)}` : "",
        el("span", { class: "dim" }, `, about ${plural(w.tokens, "token")}`),
      ),
      request
        ? el(
            "a",
            {
              class: "button quiet",
              href: addressOf({ ...request, put_in: [...request.put_in, `${w.path}:${w.line}`] }),
              "aria-label": `Put in ${w.path}:${w.line}`,
            },
            "Put in",
          )
        : null,
    ),
  );
  return el(
    "section",
    {},
    el("h2", {}, rows.length ? "Next, had there been room" : "Nothing else waits"),
    rows.length ? el("ul", { class: "rows" }, rows) : null,
    request ? anyPlace(request, go) : null,
  );
}

/** A field for whatever a reader wants in the pack, found by it or not. */
function anyPlace(request, go) {
  const field = el("input", {
    id: "put-in",
    placeholder: "path:12-40",
    size: 18,
    spellcheck: "false",
    autocomplete: "off",
  });
  const put = (event) => {
    event.preventDefault();
    const place = field.value.trim();
    if (place) go(addressOf({ ...request, put_in: [...request.put_in, place] }));
  };
  return el(
    "form",
    { class: "buttons", onsubmit: put },
    el("label", { for: "put-in" }, "Any other place"),
    field,
    el("button", {}, "Put in"),
  );
}

function lacks(pack) {
  const r = pack.receipt;
  const rows = [...r.absent.map((each) => `${each.kind}: ${each.detail}`), ...r.notices];
  if (!rows.length) return null;
  return el(
    "section",
    {},
    el("h2", {}, "What to know of this answer"),
    el(
      "ul",
      { class: "plain" },
      rows.map((row) => el("li", {}, row)),
    ),
  );
}
