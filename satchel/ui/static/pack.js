// A pack drawn: its text as the reader gets it, the treemap of its tokens, what waits, what to copy.

import { post } from "./api.js";
import { code } from "./code.js";
import { add, el, failure, fill, number, plural, share, toast } from "./dom.js";
import { mark } from "./keys.js";
import { addressOf } from "./pages/ask.js";
import { treemap } from "./treemap.js";

const PARTS = { match: "matches", neighbour: "neighbours", known: "notes", frame: "frame" };

export const placeOf = (e) => `${e.path}:${e.start_line}-${e.end_line}`;
const partOf = (e) => (e.reason ? "neighbour" : "match");
const brief = (name) => name.split(".").slice(-2).join(".");
const fileName = (path) => path.slice(path.lastIndexOf("/") + 1);

/** Everything about a pack. `said` is the question; without it nothing can be changed. */
export function packView(layout, { said = null, go = () => {}, isHub = false } = {}) {
  const { pack } = layout;
  const text = el("section", { class: "pack", "aria-label": "The pack" }, segments(layout, said, go));
  return [
    summary(layout, said, isHub),
    el("div", { class: "columns" }, text, el("aside", { "aria-label": "Where the tokens went" }, tokens(layout), changed(said), waiting(pack, said), lacks(pack))),
  ];
}

function summary({ pack }, said, isHub) {
  const r = pack.receipt;
  const facts = [
    plural(r.n_excerpts, "excerpt"), r.n_neighbours ? `${r.n_neighbours} of them neighbours` : null,
    r.n_omitted ? `${number(r.n_omitted)} more matched` : null, `${plural(r.n_searched, "file")} searched`,
    `generation ${r.generation}`, `pack ${r.id}`,
  ];
  return el("div", { class: "summary" },
    el("p", {}, el("strong", {}, `${number(r.used)} of ${number(r.budget)} tokens`), " ", el("span", { class: "dim" }, facts.filter(Boolean).join(" · "))),
    el("div", { class: "buttons" },
      el("button", { type: "button", "data-copy": true, onclick: () => copy(pack.text, "The text") }, "Copy text"),
      el("button", { type: "button", onclick: () => copy(markdown(pack, said), "The Markdown") }, "Markdown"),
      el("button", { type: "button", onclick: () => copy(link(pack, said, isHub), "The link") }, "Link"),
      said ? el("a", { class: "button", href: compareAddress(said) }, "Compare") : null));
}

/** A link that replays the pack; a hub keeps none, so there the link asks again. */
function link({ receipt }, said, isHub) {
  if (isHub) return location.origin + addressOf(said);
  return location.origin + (said ? addressOf(said, `/pack/${receipt.id}`) : `/pack/${receipt.id}`);
}
const compareAddress = (said) => `${addressOf(said, "/compare")}&${new URLSearchParams({ q2: said.question, budget2: Math.max(256, said.budget / 2) })}`;

function markdown(pack, said) {
  const longest = Math.max(3, ...(pack.text.match(/`+/g) || []).map((run) => run.length + 1));
  const fence = "`".repeat(longest);
  const heading = said?.question ? `${said.question.split("\n").map((line) => `> ${line}`).join("\n")}\n\n` : "";
  return `${heading}${fence}\n${pack.text}${fence}\n`;
}

async function copy(text, what) {
  try {
    await navigator.clipboard.writeText(text);
    toast(`${what} is copied`);
  } catch {
    toast("The browser did not let it be copied");
  }
}

function segments({ pack, segments: parts, displaced }, said, go) {
  const drawn = [];
  let open = null;
  let section = null;
  for (const part of parts) {
    if (part.excerpt < 0) {
      open = null;
      drawn.push(el("pre", { class: `segment ${part.part}` }, part.text.replace(/\n$/, "")));
      continue;
    }
    const excerpt = pack.excerpts[part.excerpt];
    if (open !== part.excerpt) {
      open = part.excerpt;
      section = el("article", { class: `excerpt ${partOf(excerpt)}`, id: `e${part.excerpt}`, "data-item": true, "aria-label": placeOf(excerpt), onclick: () => mark(document.getElementById(`e${part.excerpt}`)) });
      add(section, headed(excerpt, displaced[part.excerpt], pack, said, go));
      drawn.push(section);
    }
    const lines = { language: part.language, firstLine: excerpt.detail === "hunk" ? 0 : excerpt.start_line, omitted: excerpt.omitted };
    const body = part.is_code ? code(part.text, lines) : part.text.replace(/\n$/, "");
    section.append(el("pre", { class: part.is_code ? "source" : "segment frame" }, body));
  }
  return drawn;
}

function headed(excerpt, displaced, pack, said, go) {
  const out = said && el("button", {
    type: "button", class: "quiet", "data-out": true, title: "Take it out of the pack (x)",
    onclick: () => go(addressOf({ ...said, take_out: [...said.take_out, placeOf(excerpt)], put_in: said.put_in.filter((p) => p !== placeOf(excerpt)) })),
  }, "Take out");
  const details = el("details", { class: "why", ontoggle: () => details.open && !details.dataset.full && opened(details, excerpt, displaced, pack) },
    el("summary", {}, why(excerpt)));
  return el("header", {},
    el("h2", {}, el("span", { class: "path" }, excerpt.path), el("span", { class: "dim" }, `:${excerpt.start_line}${excerpt.end_line > excerpt.start_line ? `-${excerpt.end_line}` : ""}`),
      excerpt.symbol ? el("span", { class: "symbol" }, ` ${brief(excerpt.symbol)}`) : null),
    el("span", { class: "cost" }, `${number(excerpt.tokens)} tokens, ${share(excerpt.tokens, pack.receipt.budget)}`), out, details);
}

function why(excerpt) {
  const required = excerpt.reason && !excerpt.reason.includes(" via ");
  if (excerpt.reason) return [el("span", { class: "badge neighbour" }, required ? "required" : "neighbour"), ` ${excerpt.reason}`];
  const parts = excerpt.why.slice(0, 4).map((each) => `${each.signal} ${each.share.toFixed(2)}`);
  return [el("span", { class: "badge match" }, "match"), ` score ${excerpt.score.toFixed(2)}${parts.length ? ` = ${parts.join(" + ")}` : ""}`, excerpt.label ? `, ${excerpt.label}` : ""];
}

function opened(details, excerpt, displaced, pack) {
  details.dataset.full = "";
  const most = Math.max(0.01, ...excerpt.why.map((each) => each.share));
  const bars = excerpt.why.map((each) => el("li", {}, el("span", {}, each.signal),
    el("span", { class: "bar", "aria-hidden": "true", style: { "--part": `${(100 * each.share) / most}%` } }), el("span", { class: "number" }, each.share.toFixed(3))));
  const callers = el("div", { class: "callers" }, el("p", { class: "dim" }, "Looking for callers"));
  add(details,
    bars.length ? el("ul", { class: "signals", "aria-label": "Score by signal" }, bars) : null,
    el("p", {}, displaced ? `In place of ${named(displaced)}.` : pack.waiting.length ? "Nothing that waited would have fitted in its place." : "Nothing waited for its place."),
    excerpt.symbol ? callers : null);
  if (excerpt.symbol) loadCallers(callers, excerpt);
}

async function loadCallers(box, excerpt) {
  const symbol = `${excerpt.path}:${brief(excerpt.symbol)}`;
  try {
    const found = await post("/api/callers", { symbol });
    const rows = found.edges.map((edge) => el("li", {},
      el("a", { href: graphAddress(edge.source) }, brief(edge.source.qualified_name)), ` ${edge.source.path}:${edge.line} `,
      el("span", { class: "dim" }, `${edge.kind} via ${edge.rule}, ${edge.confidence.toFixed(2)}`)));
    fill(box, el("p", {}, found.n_found ? `${plural(found.n_found, "use")} of ${brief(excerpt.symbol)}` : `No use of ${brief(excerpt.symbol)} is known.`, " ",
      el("a", { href: `/graph/${encodeURIComponent(symbol)}` }, "Graph")), el("ul", { class: "plain" }, rows));
  } catch (error) {
    fill(box, failure(error));
  }
}

export const graphAddress = (symbol) => `/graph/${encodeURIComponent(`${symbol.path}:${symbol.line}`)}`;
const named = (w) => `${w.path}:${w.line}${w.name ? ` ${brief(w.name)}` : ""} (about ${number(w.tokens)} tokens)`;

function tokens({ pack, tokens: spent }) {
  const r = pack.receipt;
  const free = r.budget - r.used;
  const parts = [...spent.map(([part, n]) => [part, PARTS[part], n]), ["free", "free", free]].filter(([, , n]) => n > 0);
  const files = new Map();
  pack.excerpts.forEach((e, n) => {
    if (!files.has(e.path)) files.set(e.path, []);
    files.get(e.path).push({
      value: Math.max(e.tokens, 1), label: brief(e.symbol) || fileName(e.path), sub: `${number(e.tokens)} tokens`, title: placeOf(e),
      kind: partOf(e), href: `#e${n}`, onclick: (event) => jump(event, n),
    });
  });
  const groups = [...files].map(([label, items]) => ({ label, name: fileName(label), items }));
  for (const [part, n] of spent) {
    if (["known", "frame"].includes(part) && n) groups.push({ label: PARTS[part], items: [{ value: n, label: PARTS[part], sub: `${number(n)} tokens`, kind: part, href: "#main" , onclick: (event) => event.preventDefault() }] });
  }
  return el("section", {},
    el("h2", {}, "Where the tokens went"),
    el("div", { class: "stack", role: "img", "aria-label": parts.map(([, name, n]) => `${name} ${share(n, r.budget)}`).join(", ") },
      parts.map(([part, , n]) => el("span", { class: part, style: { "--part": `${(100 * n) / r.budget}%` } }))),
    el("ul", { class: "legend" }, parts.map(([part, name, n]) => el("li", {}, el("span", { class: `swatch ${part}`, "aria-hidden": "true" }), `${name} ${number(n)}`, el("span", { class: "dim" }, ` ${share(n, r.budget)}`)))),
    groups.length ? treemap(groups, { label: "Tokens by file and excerpt" }) : null);
}

function jump(event, n) {
  event.preventDefault();
  const section = document.getElementById(`e${n}`);
  mark(section);
  section.scrollIntoView({ block: "start", behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
  section.querySelector("summary")?.focus({ preventScroll: true });
}

function changed(said) {
  if (!said || !(said.put_in.length + said.take_out.length)) return null;
  const row = (place, key, sign) => el("li", {}, el("span", {}, `${sign} ${place}`),
    el("a", { class: "button quiet", href: addressOf({ ...said, [key]: said[key].filter((p) => p !== place) }), "aria-label": `Undo ${place}` }, "Undo"));
  return el("section", {}, el("h2", {}, "Changed by hand"),
    el("ul", { class: "rows" }, said.put_in.map((p) => row(p, "put_in", "+")), said.take_out.map((p) => row(p, "take_out", "−"))));
}

function waiting(pack, said) {
  if (!pack.waiting.length) return null;
  const rows = pack.waiting.slice(0, 12).map((w) => el("li", { "data-item": true },
    el("span", {}, el("span", { class: "path" }, `${w.path}:${w.line}`), w.name ? ` ${brief(w.name)}` : "", el("span", { class: "dim" }, ` ~${number(w.tokens)}`)),
    said ? el("a", { class: "button quiet", href: addressOf({ ...said, put_in: [...said.put_in, `${w.path}:${w.line}`] }), "aria-label": `Put in ${w.path}:${w.line}` }, "Put in") : null));
  return el("section", {}, el("h2", {}, "Next, had there been room"), el("ul", { class: "rows" }, rows));
}

function lacks(pack) {
  const r = pack.receipt;
  const rows = [...r.absent.map((each) => `${each.kind}: ${each.detail}`), ...r.notices];
  if (!rows.length) return null;
  return el("section", {}, el("h2", {}, "What to know of this answer"), el("ul", { class: "plain" }, rows.map((row) => el("li", {}, row))));
}
