// The code base by lines: folders or neighbourhoods, files, symbols, coloured by what is asked.

import { post } from "../api.js";
import { el, fill, plural, share } from "../dom.js";
import { circles } from "../circles.js";
import { levels } from "../levels.js";
import { fileName, graphAt } from "../names.js";
import { treemap } from "../treemap.js";
import { during } from "../wait.js";

const COLOURS = {
  language: "language",
  tests: "tests",
  used: "how much uses it",
  age: "last change in git",
  problems: "parse problems",
  question: "a question",
};
const VIEWS = {
  "": "Folders",
  neighbourhoods: "Neighbourhoods",
  levels: "Layers",
  cycles: "Circles",
};
const HUES = [205, 28, 140, 275, 52, 340, 175, 95, 305, 235, 15, 120];
const DAY = 86_400;
/** What stands above the treemap, in the page's own letters. */
const ABOVE_REM = 18;
const place = (path) =>
  `/map${path ? `/${path.split("/").map(encodeURIComponent).join("/")}` : ""}`;

export const title = (url) => decodeURIComponent(url.pathname.replace(/^\/map\/?/, "")) || "Map";

export async function show(main, { url, rest, about, go, left }) {
  const isFolder = url.pathname.endsWith("/") && rest.length;
  const param = (name) => url.searchParams.get(name) || "";
  const state = {
    path: rest.join("/") + (isFolder ? "/" : ""),
    question: param("q"),
    view: param("view"),
    color: param("color") || (param("q") ? "question" : "language"),
  };
  const box = el("div", {});
  fill(main, el("h1", { class: "hidden" }, "Map"), form(state, about, go), views(state), box);
  await during(box, "The map is being drawn.", left, (signal) => seen(state, signal));
}

async function seen(state, signal) {
  const { path, question } = state;
  if (state.view === "levels")
    return levels(await post("/api/map/levels", { path }, signal), (at) =>
      addressOf({ ...state, path: at }),
    );
  if (state.view === "cycles")
    return circles(await post("/api/map/cycles", { path }, signal), (at) =>
      addressOf({ ...state, view: "", path: at }),
    );
  if (state.view === "neighbourhoods")
    return drawn(await post("/api/map/neighbourhoods", { path }, signal), state);
  return drawn(
    await post("/api/map", { path, question, aged: state.color === "age" }, signal),
    state,
  );
}

function addressOf(state) {
  const params = new URLSearchParams();
  if (state.view) params.set("view", state.view);
  if (state.color !== (state.question ? "question" : "language")) params.set("color", state.color);
  if (state.question) params.set("q", state.question);
  return `${place(state.path)}${params.size ? `?${params}` : ""}`;
}

function form(state, about, go) {
  const question = el("input", {
    id: "question",
    value: state.question,
    "data-ask": true,
    placeholder: "a question lights up what it finds",
    spellcheck: "false",
    autocomplete: "off",
  });
  // A hub reads no checkout, so that it does not know when files changed.
  const known = Object.entries(COLOURS).filter(([value]) => value !== "age" || !about.is_hub);
  const colour = el(
    "select",
    { id: "colour", onchange: () => go(addressOf({ ...state, color: colour.value })) },
    known.map(([value, name]) => el("option", { value, selected: value === state.color }, name)),
  );
  const ask = (event) => {
    event.preventDefault();
    const asked = question.value.trim();
    go(addressOf({ ...state, view: "", question: asked, color: asked ? "question" : "language" }));
  };
  const choice = state.view
    ? null
    : el("span", { class: "option" }, el("label", { for: "colour" }, "Colour by"), colour);
  return el(
    "form",
    { class: "ask", onsubmit: ask },
    el("label", { class: "hidden", for: "question" }, "Question"),
    question,
    el("button", { class: "primary" }, "Light up"),
    el("div", { class: "options" }, choice, crumbs(state, about.name)),
  );
}

function views(state) {
  const path = /[^/]$/.test(state.path) ? "" : state.path;
  return el(
    "nav",
    { class: "views", "aria-label": "Ways to see it" },
    Object.entries(VIEWS).map(([view, name]) =>
      el(
        "a",
        {
          href: addressOf({ ...state, view, path: view ? path : state.path }),
          "aria-current": view === state.view ? "true" : null,
        },
        name,
      ),
    ),
  );
}

function crumbs(state, name) {
  const parts = state.path.split("/").filter(Boolean);
  const link = (n) => {
    const isLast = n === parts.length && !state.path.endsWith("/");
    return addressOf({
      ...state,
      path: n ? `${parts.slice(0, n).join("/")}${isLast ? "" : "/"}` : "",
    });
  };
  return el(
    "nav",
    { class: "crumbs", "aria-label": "Where this is" },
    el("span", { class: "dim" }, "In "),
    el("a", { href: link(0) }, name),
    parts.map((part, n) => [" / ", el("a", { href: link(n + 1) }, part)]),
  );
}

function drawn(area, state) {
  const cells = leaves(area);
  const now = Date.now() / 1000;
  const oldest = Math.min(now - DAY, ...cells.map((each) => each.changed_at).filter(Boolean));
  const scale = {
    languages: [...new Set(cells.map((each) => each.language).filter(Boolean))],
    now,
    oldest,
    most: Math.max(1, ...cells.map((each) => each.n_users)),
    best: Math.max(0.01, ...cells.map((each) => each.score)),
  };
  const isFile = area.path && !area.path.endsWith("/");
  const wide = matchMedia("(min-width: 60rem)").matches;
  return [
    el(
      "p",
      { class: "dim" },
      `${plural(area.lines, "line")} in ${plural(area.n_files, "file")}`,
      area.test_lines && !isFile
        ? `; ${share(area.test_lines, area.lines)} of the lines are tests`
        : "",
      isFile
        ? [". ", el("a", { href: `/ask?${new URLSearchParams({ q: area.path })}` }, "Ask about it")]
        : ".",
      state.view
        ? " Files stand together that use each other more than others, wherever they lie."
        : "",
    ),
    legend(state, scale),
    area.areas.length
      ? el(
          "div",
          { class: "terrain" },
          treemap(grouped(area, state, scale), {
            label: "Areas by lines",
            aspect: wide ? windowAspect() : 0.8,
          }),
        )
      : el(
          "p",
          { class: "dim" },
          state.view ? "No file here uses another." : "Nothing is defined in this file.",
        ),
  ];
}

/** The proportions of the window below the headings, so that all of the map is seen at once. */
function windowAspect() {
  const above = ABOVE_REM * parseFloat(getComputedStyle(document.documentElement).fontSize);
  return Math.max(1.5, Math.min(4, innerWidth / (innerHeight - above)));
}

const leaves = (area) => (area.areas.length ? area.areas.flatMap(leaves) : [area]);

/** The groups of the treemap: folders with what lies in them, or the symbols of a file. */
function grouped(area, state, scale) {
  const item = (each, parent) => cell(each, parent, state, scale);
  if (area.path && !area.path.endsWith("/"))
    return [{ label: area.path, items: area.areas.map((each) => item(each, area)) }];
  return area.areas.map((each) => {
    const isOpen = each.areas.length > 0;
    return {
      label: each.path || each.name,
      href: isOpen && each.path ? addressOf({ ...state, path: each.path }) : null,
      name: state.view
        ? each.name
        : each.path.endsWith("/")
          ? each.path.slice(area.path.length)
          : "",
      items: isOpen ? each.areas.map((inner) => item(inner, each)) : [item(each, area)],
    };
  });
}

function cell(each, parent, state, scale) {
  let href = addressOf({ ...state, view: "", path: each.path || parent.path });
  if (each.line) href = graphAt(each);
  const inside =
    parent.path && each.path.startsWith(parent.path)
      ? each.path.slice(parent.path.length)
      : fileName(each.path);
  return {
    value: Math.max(1, each.lines),
    label: each.line || !each.path || each.path === parent.path ? each.name : inside || each.name,
    sub: caption(each, state.color, scale),
    title: each.line ? `${each.name}, line ${each.line}` : each.path || each.name,
    href,
    ...painted(each, state.color, scale),
  };
}

function ago(seconds) {
  const days = Math.floor(seconds / DAY);
  if (days < 1) return "today";
  if (days < 60) return `${plural(days, "day")} ago`;
  return days < 730
    ? `${plural(Math.round(days / 30.4), "month")} ago`
    : `${plural(Math.round(days / 365), "year")} ago`;
}

function caption(each, color, { now }) {
  const lines = plural(each.lines, "line");
  if (color === "used" && each.n_users) return `${lines}, used by ${plural(each.n_users, "file")}`;
  if (color === "question" && each.score)
    return `${lines}, ${each.n_files > 1 ? "best score" : "score"} ${each.score.toFixed(2)}`;
  if (color === "problems" && each.n_problems)
    return `${lines}, ${plural(each.n_problems, "problem")}`;
  if (color === "age" && each.changed_at) return `${lines}, changed ${ago(now - each.changed_at)}`;
  return each.n_files > 1 ? `${lines}, ${plural(each.n_files, "file")}` : lines;
}

/** The kind and strength of a cell's colour; the style sheet knows both schemes. */
function painted(each, color, { languages, most, best, now, oldest }) {
  if (color === "language") {
    if (!each.language) return { kind: each.kind ? "match" : "" };
    return {
      kind: "hued",
      vars: { "--hue": String(HUES[languages.indexOf(each.language) % HUES.length]) },
    };
  }
  const part = {
    tests: each.lines ? each.test_lines / each.lines : 0,
    used: Math.log1p(each.n_users) / Math.log1p(most),
    // By logarithm: yesterday and last week differ more than two days of last year.
    age: each.changed_at
      ? 1 - Math.log1p((now - each.changed_at) / DAY) / Math.log1p((now - oldest) / DAY)
      : 0,
    problems: Math.min(1, each.n_problems / Math.max(1, each.n_files)),
    question: each.score / best,
  }[color];
  return {
    kind: `mixed ${color}`,
    vars: { "--part": `${Math.round(100 * Math.max(0, Math.min(1, part || 0)))}%` },
  };
}

function legend(state, { languages, most, now, oldest }) {
  if (state.color === "language") {
    return el(
      "ul",
      { class: "legend" },
      languages.slice(0, 14).map((name, n) =>
        el(
          "li",
          {},
          el("span", {
            class: "swatch hued",
            "aria-hidden": "true",
            style: { "--hue": String(HUES[n % HUES.length]) },
          }),
          name,
        ),
      ),
    );
  }
  const ends = {
    tests: ["product code", "tests"],
    used: ["used by no other file", `used by ${plural(most, "file")}`],
    age: [`changed ${ago(now - oldest)}, or nobody knows when`, "changed today"],
    problems: ["read as a whole", "with problems"],
    question: ["no match", "best match"],
  }[state.color];
  const swatches = [0, 50, 100].map((part, n) =>
    el(
      "li",
      {},
      el("span", {
        class: `swatch mixed ${state.color}`,
        "aria-hidden": "true",
        style: { "--part": `${part}%` },
      }),
      n === 2 ? ends[1] : "",
    ),
  );
  return el(
    "ul",
    { class: "legend scale" },
    el("li", {}, ends[0]),
    swatches,
    state.color === "question" && !state.question ? el("li", {}, "Write a question above.") : null,
  );
}
