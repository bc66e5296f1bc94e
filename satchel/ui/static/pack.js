// A pack drawn: its text as the reader gets it, why each excerpt is there, what to copy.

import { post } from "./api.js";
import { code } from "./code.js";
import { copy } from "./copy.js";
import { add, el, failure, fill, number, plural, share } from "./dom.js";
import { mark } from "./keys.js";
import { brief, graphAt, partsOf, placeOf } from "./names.js";
import { besidePack } from "./pack-side.js";
import { addressOf } from "./request.js";
import { fold } from "./unfolded.js";

/** Everything about a pack. `request` is the question; without it nothing can be changed. */
export function packView(layout, { request = null, go = () => {}, isHub = false } = {}) {
  const text = el(
    "section",
    { class: "pack", "aria-label": "The pack" },
    segments(layout, request, go),
  );
  return [
    summary(layout, request, isHub),
    el(
      "div",
      { class: "columns" },
      text,
      el("aside", { "aria-label": "Where the tokens went" }, besidePack(layout, request, go)),
    ),
  ];
}

function summary({ pack }, request, isHub) {
  const r = pack.receipt;
  const facts = [
    plural(r.n_excerpts, "excerpt"),
    r.n_neighbours ? `${r.n_neighbours} of them neighbours` : null,
    r.n_omitted ? `${number(r.n_omitted)} more matched` : null,
    `${plural(r.n_searched, "file")} searched`,
    `generation ${r.generation}`,
    `pack ${r.id}`,
  ];
  return el(
    "div",
    { class: "summary" },
    el(
      "p",
      {},
      el("strong", {}, `${number(r.used)} of ${number(r.budget)} tokens`),
      " ",
      el("span", { class: "dim" }, facts.filter(Boolean).join(" · ")),
    ),
    el(
      "div",
      { class: "buttons" },
      el(
        "button",
        { type: "button", "data-copy": true, onclick: () => copy(pack.text, "The text") },
        "Copy text",
      ),
      el(
        "button",
        { type: "button", onclick: () => copy(markdown(pack, request), "The Markdown") },
        "Markdown",
      ),
      el(
        "button",
        { type: "button", onclick: () => copy(link(pack, request, isHub), "The link") },
        "Link",
      ),
      request ? el("a", { class: "button", href: compareAddress(request) }, "Compare") : null,
    ),
  );
}

/** A link that replays the pack; a hub keeps none, so there the link asks again. */
function link({ receipt }, request, isHub) {
  if (isHub) return location.origin + addressOf(request);
  return (
    location.origin + (request ? addressOf(request, `/pack/${receipt.id}`) : `/pack/${receipt.id}`)
  );
}
const compareAddress = (request) =>
  `${addressOf(request, "/compare")}&${new URLSearchParams({
    q2: request.question,
    budget2: Math.max(256, request.budget / 2),
  })}`;

function markdown(pack, request) {
  const longest = Math.max(3, ...(pack.text.match(/`+/g) || []).map((run) => run.length + 1));
  const fence = "`".repeat(longest);
  const heading = request?.question
    ? `${request.question
        .split("\n")
        .map((line) => `> ${line}`)
        .join("\n")}\n\n`
    : "";
  return `${heading}${fence}\n${pack.text}${fence}\n`;
}

function segments(layout, request, go) {
  const { pack, displaced } = layout;
  const counted = partsOf(layout);
  const drawn = [];
  let open = null;
  let section = null;
  for (const part of layout.segments) {
    if (part.excerpt < 0) {
      open = null;
      drawn.push(el("pre", { class: `segment ${part.part}` }, part.text.replace(/\n$/, "")));
      continue;
    }
    const excerpt = pack.excerpts[part.excerpt];
    if (open !== part.excerpt) {
      open = part.excerpt;
      section = el("article", {
        class: `excerpt ${counted[part.excerpt]}`,
        id: `e${part.excerpt}`,
        "data-item": true,
        "aria-label": placeOf(excerpt),
        onclick: () => mark(document.getElementById(`e${part.excerpt}`)),
      });
      add(
        section,
        headed(excerpt, counted[part.excerpt], displaced[part.excerpt], pack, request, go),
      );
      drawn.push(section);
    }
    const lines = {
      language: part.language,
      firstLine: excerpt.detail === "hunk" ? 0 : excerpt.start_line,
      omitted: excerpt.omitted,
    };
    const body = part.is_code ? code(part.text, lines) : part.text.replace(/\n$/, "");
    section.append(el("pre", { class: part.is_code ? "source" : "segment frame" }, body));
  }
  return drawn;
}

function headed(excerpt, part, displaced, pack, request, go) {
  const out =
    request &&
    el(
      "button",
      {
        type: "button",
        class: "quiet",
        "data-out": true,
        title: "Take it out of the pack (x)",
        onclick: () =>
          go(
            addressOf({
              ...request,
              take_out: [...request.take_out, placeOf(excerpt)],
              put_in: request.put_in.filter((p) => p !== placeOf(excerpt)),
            }),
          ),
      },
      "Take out",
    );
  const details = fold(placeOf(excerpt), { class: "why" }, why(excerpt, part), (box) =>
    explained(box, excerpt, displaced, pack),
  );
  return el(
    "header",
    {},
    el(
      "h2",
      {},
      el("span", { class: "path" }, excerpt.path),
      el(
        "span",
        { class: "dim" },
        `:${excerpt.start_line}`,
        excerpt.end_line > excerpt.start_line ? `-${excerpt.end_line}` : "",
      ),
      excerpt.symbol ? el("span", { class: "symbol" }, ` ${brief(excerpt.symbol)}`) : null,
    ),
    el(
      "span",
      { class: "cost" },
      `${number(excerpt.tokens)} tokens, ${share(excerpt.tokens, pack.receipt.budget)}`,
    ),
    out,
    details,
  );
}

/** The signals that a score is made of, largest part first, equal parts by name. */
const signals = (excerpt) =>
  Object.entries(excerpt.shares)
    .filter(([, share]) => share)
    .sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
    .map(([signal, share]) => ({ signal, share }));

function why(excerpt, part) {
  const badge = part === "neighbour" ? "neighbour" : excerpt.reason ? "required" : "match";
  if (excerpt.reason) return [el("span", { class: `badge ${part}` }, badge), ` ${excerpt.reason}`];
  const best = signals(excerpt).slice(0, 4);
  const parts = best.map((each) => `${each.signal} ${each.share.toFixed(2)}`);
  return [
    el("span", { class: `badge ${part}` }, badge),
    ` score ${excerpt.score.toFixed(2)}${parts.length ? ` = ${parts.join(" + ")}` : ""}`,
    excerpt.label ? `, ${excerpt.label}` : "",
  ];
}

function explained(details, excerpt, displaced, pack) {
  const parts = signals(excerpt);
  const most = Math.max(0.01, ...parts.map((each) => each.share));
  const bars = parts.map((each) =>
    el(
      "li",
      {},
      el("span", {}, each.signal),
      el("span", {
        class: "bar",
        "aria-hidden": "true",
        style: { "--part": `${(100 * each.share) / most}%` },
      }),
      el("span", { class: "number" }, each.share.toFixed(3)),
    ),
  );
  const callers = el("div", { class: "callers" }, el("p", { class: "dim" }, "Looking for callers"));
  add(
    details,
    bars.length ? el("ul", { class: "signals", "aria-label": "Score by signal" }, bars) : null,
    el(
      "p",
      {},
      displaced
        ? `In place of ${named(displaced)}.`
        : pack.waiting.length
          ? "Nothing that waited would have fitted in its place."
          : "Nothing waited for its place.",
    ),
    excerpt.symbol ? callers : null,
  );
  if (excerpt.symbol) loadCallers(callers, excerpt);
}

async function loadCallers(box, excerpt) {
  const symbol = `${excerpt.path}:${brief(excerpt.symbol)}`;
  try {
    const found = await post("/api/callers", { symbol });
    const rows = found.edges.map((edge) =>
      el(
        "li",
        {},
        el("a", { href: graphAt(edge.source) }, brief(edge.source.qualified_name)),
        ` ${edge.source.path}:${edge.line} `,
        el(
          "span",
          { class: "dim" },
          `${edge.kind} via ${edge.rule}, ${edge.confidence.toFixed(2)}`,
        ),
      ),
    );
    fill(
      box,
      el(
        "p",
        {},
        found.n_found
          ? `${plural(found.n_found, "use")} of ${brief(excerpt.symbol)}`
          : `No use of ${brief(excerpt.symbol)} is known.`,
        " ",
        el("a", { href: `/graph/${encodeURIComponent(symbol)}` }, "Graph"),
      ),
      el("ul", { class: "plain" }, rows),
    );
  } catch (error) {
    fill(box, failure(error));
  }
}

const named = (w) =>
  `${w.path}:${w.line}${w.name ? ` ${brief(w.name)}` : ""} (about ${number(w.tokens)} tokens)`;
