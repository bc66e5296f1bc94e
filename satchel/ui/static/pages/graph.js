// A symbol in the middle, its callers to the left, what it calls to the right.

import { get, post } from "../api.js";
import { drawGraph, place } from "../callgraph.js";
import { el, fill, plural } from "../dom.js";
import { addressOf, asked, edgeName } from "../graph-address.js";
import { besideGraph, listed, reaches, why } from "../graph-side.js";
import { layered } from "../layered.js";
import { brief, graphAt } from "../names.js";
import { during } from "../wait.js";

export const title = (url) => decodeURIComponent(url.pathname.split("/")[2] || "Graph");

/** Whose a path is: the longest name of a repository that it begins with, "" where there is one. */
const owners = (names) => (path) =>
  names.filter((name) => path.startsWith(`${name}/`)).sort((a, b) => b.length - a.length)[0] || "";

export async function show(main, { url, rest, about, go, rename, left }) {
  const state = asked(url, rest);
  const box = el("div", {});
  fill(main, el("h1", { class: "hidden" }, "Graph"), box);
  if (!state.symbol) {
    const list = el("div", {});
    fill(
      box,
      form(state, go, () => {}),
      list,
    );
    return during(list, "Looking for symbols that much else uses.", left, begin);
  }
  const area = el("div", {
    class: "drawing",
    tabindex: 0,
    role: "region",
    "aria-label": "Call graph",
  });
  const panel = el("aside", { "aria-label": "About the graph" });
  const view = {
    area,
    panel,
    state,
    repositoryOf: owners(about.repositories || []),
    graph: null,
  };
  const draw = () => {
    rename(addressOf(state));
    if (view.graph) drawn(view, draw);
  };
  fill(
    box,
    form(state, go, draw),
    el("div", { class: "graph" }, el("div", {}, legend(), area, scales(area)), panel),
  );
  await during(area, "Looking at the call graph.", left, async (signal) => {
    view.graph = await post("/api/graph", { symbol: state.symbol, depth: state.depth }, signal);
    return [];
  });
  if (!view.graph || left.aborted) return null;
  draw();
  if (state.to) reaches(panel, state);
  return null;
}

const legend = () =>
  el(
    "p",
    { class: "dim" },
    "Callers to the left, what it calls to the right. Dashed: boxes of tests, lines of guesses.",
  );

function scales(area) {
  const button = (label, says, by) =>
    el(
      "button",
      {
        type: "button",
        class: "quiet",
        "aria-label": says,
        title: says,
        onclick: () => area.zoom?.(by),
      },
      label,
    );
  return el(
    "div",
    { class: "scales" },
    button("−", "Smaller", -1),
    button("+", "Larger", 1),
    button("fit", "All of it", 0),
    el(
      "span",
      { class: "dim" },
      matchMedia("(pointer: coarse)").matches
        ? "drag to move, two fingers to scale"
        : "drag to move, Ctrl and the wheel to scale",
    ),
  );
}

function form(state, go, draw) {
  const symbol = el("input", {
    id: "symbol",
    value: state.symbol,
    "data-ask": true,
    placeholder: "a name, Class.method or path:line",
    spellcheck: "false",
    autocomplete: "off",
  });
  const shownDepth = el("output", { for: "depth" }, plural(state.depth, "step"));
  const depth = el("input", {
    type: "range",
    id: "depth",
    min: 1,
    max: 5,
    value: state.depth,
    oninput: () => fill(shownDepth, plural(Number(depth.value), "step")),
    onchange: () => go(addressOf({ ...state, depth: Number(depth.value), why: [] })),
  });
  const least = () => (state.confidence ? `at least ${state.confidence.toFixed(2)}` : "any");
  const shownConfidence = el("output", { for: "confidence" }, least());
  const confidence = el("input", {
    type: "range",
    id: "confidence",
    min: 0,
    max: 1,
    step: 0.05,
    value: state.confidence,
    oninput: () => {
      state.confidence = Number(confidence.value);
      fill(shownConfidence, least());
      draw();
    },
  });
  const tick = (id, label) => {
    const box = el("input", {
      type: "checkbox",
      id,
      checked: state[id],
      onchange: () => {
        state[id] = box.checked;
        draw();
      },
    });
    return el("span", { class: "option" }, box, el("label", { for: id }, label));
  };
  const send = (event) => {
    event.preventDefault();
    if (symbol.value.trim())
      go(addressOf({ ...state, symbol: symbol.value.trim(), to: "", open: [], why: [] }));
  };
  return el(
    "form",
    { class: "ask", onsubmit: send },
    el("label", { class: "hidden", for: "symbol" }, "Symbol"),
    symbol,
    el("button", { class: "primary" }, "Show"),
    el(
      "div",
      { class: "options" },
      el("span", { class: "option" }, el("label", { for: "depth" }, "Depth"), depth, shownDepth),
      el(
        "span",
        { class: "option" },
        el("label", { for: "confidence" }, "Confidence"),
        confidence,
        shownConfidence,
      ),
      tick("tests", "tests"),
      tick("group", "group by file"),
    ),
  );
}

async function begin(signal) {
  const found = await get("/api/graph/begin", signal);
  const used = found.central.filter((each) => each.n_files);
  used.sort((one, other) => other.n_files - one.n_files);
  const row = (symbol, more) =>
    el(
      "li",
      { "data-item": true },
      el(
        "span",
        {},
        el("a", { href: graphAt(symbol) }, brief(symbol.qualified_name || symbol.name)),
        ` ${place(symbol)}`,
      ),
      el("span", { class: "dim" }, more),
    );
  return el(
    "div",
    { class: "empty" },
    el("h2", {}, "Who calls it, and what does it call?"),
    el("p", {}, "Name a function, method or type, or begin with one that much else uses."),
    el(
      "ul",
      { class: "rows" },
      used.map((each) => row(each.symbol, `used in ${plural(each.n_files, "file")}`)),
      found.entry_points.map((each) => row(each, each.why)),
    ),
    used.length + found.entry_points.length
      ? null
      : el("p", { class: "dim" }, "No symbol here is used by another file."),
  );
}

function drawn({ area, panel, graph, state, repositoryOf }, redraw) {
  const open = new Set(state.open);
  const { columns, edges } = layered(graph, { ...state, open, repositoryOf });
  const onOpen = (node) => {
    if (node.isRest) return listed(panel, node);
    state.open = [...state.open, node.key];
    // Back closes it again.
    history.pushState({}, "", addressOf(state));
    return redraw();
  };
  const onEdge = (some) => why({ panel, graph, state }, some);
  const picture = drawGraph(
    area,
    { columns, edges, label: `Call graph around ${state.symbol}` },
    { onOpen, onEdge },
  );
  fill(panel, besideGraph({ panel, graph, state }, { columns, edges, picture }));
  const explained = edges
    .flatMap((each) => each.edges)
    .filter((edge) => state.why.includes(edgeName(edge, graph)));
  if (explained.length) why({ panel, graph, state }, explained);
}
