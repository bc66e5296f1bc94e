// A symbol in the middle, its callers to the left, what it calls to the right.

import { get, post } from "../api.js";
import { brief, drawGraph, graphAt, place } from "../callgraph.js";
import { code } from "../code.js";
import { el, failure, fill, number, plural, share, toast } from "../dom.js";
import { layered } from "../layered.js";
import { save, saveDrawing } from "../save.js";
import { during } from "../wait.js";

const LISTED = 200;
const EXPLAINED = 6;
const cut = (text, n) => (text.length > n ? `${text.slice(0, n - 1)}…` : text);

export const title = (url) => decodeURIComponent(url.pathname.split("/")[2] || "Graph");

function addressOf(state) {
  const params = new URLSearchParams();
  if (state.depth !== 1) params.set("depth", state.depth);
  if (state.confidence !== 0.5) params.set("confidence", state.confidence);
  if (!state.tests) params.set("tests", "0");
  if (!state.group) params.set("group", "0");
  if (state.to) params.set("to", state.to);
  const asked = params.toString();
  return `/graph${state.symbol ? `/${encodeURIComponent(state.symbol)}` : ""}${asked ? `?${asked}` : ""}`;
}

function asked(url, rest) {
  const said = (name, otherwise) => url.searchParams.get(name) ?? otherwise;
  return {
    symbol: rest[0] || "", depth: Math.min(5, Math.max(1, Number(said("depth", 1)) || 1)), to: said("to", ""),
    confidence: Number(said("confidence", 0.5)), tests: said("tests") !== "0", group: said("group") !== "0",
  };
}

/** Whose a path is: the longest name of a repository that it begins with, "" where there is one. */
const owners = (names) => (path) => names.filter((name) => path.startsWith(`${name}/`)).sort((a, b) => b.length - a.length)[0] || "";

export async function show(main, { url, rest, about, go, rename, left }) {
  const state = asked(url, rest);
  const box = el("div", {});
  fill(main, el("h1", { class: "hidden" }, "Graph"), box);
  if (!state.symbol) {
    const list = el("div", {});
    fill(box, form(state, go, () => {}), list);
    return during(list, "Looking for symbols that much else uses.", left, begin);
  }
  const area = el("div", { class: "drawing", tabindex: 0, role: "region", "aria-label": "Call graph" });
  const panel = el("aside", { "aria-label": "About the graph" });
  const view = { area, panel, state, open: new Set(), repositoryOf: owners(about.repositories || []), graph: null };
  const draw = () => {
    rename(addressOf(state));
    if (view.graph) drawn(view, draw);
  };
  fill(box, form(state, go, draw), el("div", { class: "graph" }, el("div", {}, area, scales(area)), panel));
  await during(area, "Looking at the call graph.", left, async (signal) => {
    view.graph = await post("/api/graph", { symbol: state.symbol, depth: state.depth }, signal);
    return [];
  });
  if (!view.graph || left.aborted) return null;
  draw();
  if (state.to) reaches(panel, state);
  return null;
}

function scales(area) {
  const button = (label, said, by) => el("button", { type: "button", class: "quiet", "aria-label": said, title: said, onclick: () => area.zoom?.(by) }, label);
  return el("div", { class: "scales" }, button("−", "Smaller", -1), button("+", "Larger", 1), button("fit", "All of it", 0),
    el("span", { class: "dim" }, "drag to move, Ctrl and the wheel to scale"));
}

function form(state, go, draw) {
  const symbol = el("input", { id: "symbol", value: state.symbol, "data-ask": true, placeholder: "a name, Class.method or path:line", spellcheck: "false", autocomplete: "off" });
  const shownDepth = el("output", { for: "depth" }, plural(state.depth, "step"));
  const depth = el("input", {
    type: "range", id: "depth", min: 1, max: 5, value: state.depth,
    oninput: () => fill(shownDepth, plural(Number(depth.value), "step")), onchange: () => go(addressOf({ ...state, depth: Number(depth.value) })),
  });
  const said = () => (state.confidence ? `at least ${state.confidence.toFixed(2)}` : "any");
  const shownConfidence = el("output", { for: "confidence" }, said());
  const confidence = el("input", {
    type: "range", id: "confidence", min: 0, max: 1, step: 0.05, value: state.confidence,
    oninput: () => {
      state.confidence = Number(confidence.value);
      fill(shownConfidence, said());
      draw();
    },
  });
  const tick = (id, label) => {
    const box = el("input", { type: "checkbox", id, checked: state[id], onchange: () => { state[id] = box.checked; draw(); } });
    return el("span", { class: "option" }, box, el("label", { for: id }, label));
  };
  const send = (event) => {
    event.preventDefault();
    if (symbol.value.trim()) go(addressOf({ ...state, symbol: symbol.value.trim(), to: "" }));
  };
  return el("form", { class: "ask", onsubmit: send },
    el("label", { class: "hidden", for: "symbol" }, "Symbol"), symbol, el("button", { class: "primary" }, "Show"),
    el("div", { class: "options" },
      el("span", { class: "option" }, el("label", { for: "depth" }, "Depth"), depth, shownDepth),
      el("span", { class: "option" }, el("label", { for: "confidence" }, "Confidence"), confidence, shownConfidence),
      tick("tests", "tests"), tick("group", "group by file")));
}

async function begin(signal) {
  const found = await get("/api/graph/begin", signal);
  const row = (symbol, more) => el("li", { "data-item": true },
    el("span", {}, el("a", { href: graphAt(symbol) }, brief(symbol.qualified_name || symbol.name)), ` ${place(symbol)}`), el("span", { class: "dim" }, more));
  return el("div", { class: "empty" },
    el("h2", {}, "Who calls it, and what does it call?"),
    el("p", {}, "Name a function, method or type, or begin with one that much else uses."),
    el("ul", { class: "rows" }, found.central.map((each) => row(each.symbol, `used in ${plural(each.n_files, "file")}`)), found.entry_points.map((each) => row(each, each.why))),
    found.central.length + found.entry_points.length ? null : el("p", { class: "dim" }, "No symbol here is used by another file."));
}

function drawn({ area, panel, graph, state, open, repositoryOf }, redraw) {
  const { columns, edges } = layered(graph, { ...state, open, repositoryOf });
  const onOpen = (node) => {
    if (node.isRest) return listed(panel, node);
    open.add(node.key);
    return redraw();
  };
  const onEdge = (some) => why(panel, some, graph);
  const picture = drawGraph(area, { columns, edges, label: `Call graph around ${state.symbol}` }, { onOpen, onEdge });
  fill(panel, aboutRoot(graph, state, columns), aboutEdges(panel, edges, graph),
    el("section", { id: "reaches" }, reachForm(state)), exports(picture, state));
}

/** What did not fit into the drawing, as a list. */
function listed(panel, node) {
  fill(panel.querySelector("#why"), el("h2", {}, plural(node.symbols.length, "further symbol")),
    el("ul", { class: "rows" }, node.symbols.slice(0, LISTED).map((symbol) => el("li", {}, el("span", {}, el("a", { href: graphAt(symbol) }, brief(symbol.qualified_name)), ` ${place(symbol)}`)))));
}

function aboutRoot(graph, state, columns) {
  const n = columns.reduce((sum, column) => sum + column.length, 0);
  const roots = graph.nodes.slice(0, graph.n_roots);
  const isTest = (e) => graph.nodes[e.source].is_test && e.reached === "callers";
  const tests = new Set(graph.edges.filter(isTest).map((e) => e.source)).size;
  const facts = [
    plural(n, "box", "boxes"), plural(graph.n_found, "edge"),
    graph.n_found > graph.edges.length ? `${number(graph.edges.length)} drawn` : "",
    `${tests ? plural(tests, "test") : "no test"} within ${plural(state.depth, "step")}`,
    graph.n_unresolved ? `${plural(graph.n_unresolved, "use")} without a known target` : "",
  ];
  const choose = graph.n_roots > 1;
  return el("section", {}, el("h2", {}, brief(roots[0]?.qualified_name || state.symbol)),
    roots.slice(0, 8).map((symbol) => el("p", { class: "mono" }, choose ? el("a", { href: graphAt(symbol) }, place(symbol)) : place(symbol))),
    choose ? el("p", { class: "notice" }, `${graph.n_roots} definitions have this name. Choose one.`) : null,
    roots[0] ? el("pre", { class: "dim" }, cut(roots[0].signature, 300)) : null,
    el("p", {}, facts.filter(Boolean).join(", ")), graph.absent.map((each) => el("p", { class: "notice" }, each)));
}

function aboutEdges(panel, edges, graph) {
  const near = edges.flatMap((each) => each.edges).filter((e) => e.depth === 1);
  // Who would break stands first.
  near.sort((a, b) => (a.reached === "callers" ? 0 : 1) - (b.reached === "callers" ? 0 : 1));
  const rows = near.slice(0, LISTED).map((edge) => {
    const [user, used] = [graph.nodes[edge.source], graph.nodes[edge.target]];
    const button = el("button", { type: "button", class: "quiet", onclick: () => why(panel, [edge], graph) }, `${brief(user.qualified_name)} → ${brief(used.qualified_name)}`);
    return el("li", { "data-item": true }, button, el("span", { class: "dim" }, `${edge.kind} ${edge.confidence.toFixed(2)}`));
  });
  return el("section", { id: "why" }, el("h2", {}, "Why an edge is there"), el("p", { class: "dim" }, "Click a line, or one of these."),
    el("details", { open: rows.length <= 12 }, el("summary", {}, plural(rows.length, "edge")), el("ul", { class: "rows" }, rows)));
}

function exports(picture, state) {
  const button = (name, act) => el("button", { type: "button", onclick: act }, name);
  return el("section", {}, el("h2", {}, "Export"), el("div", { class: "buttons" },
    button("SVG", () => saveDrawing(picture, "graph", "svg")), button("PNG", () => saveDrawing(picture, "graph", "png")),
    button("DOT", () => exported(state, "dot")), button("GraphML", () => exported(state, "graphml"))));
}

async function exported(state, form) {
  try {
    const { text } = await post("/api/graph/export", { symbol: state.symbol, depth: state.depth, form });
    save(new Blob([text], { type: "text/plain" }), `graph.${form}`);
  } catch (error) {
    toast(error.message);
  }
}

async function why(panel, edges, graph) {
  const box = panel.querySelector("#why");
  const parts = await Promise.all(edges.slice(0, EXPLAINED).map((edge) => explained(edge, graph))).catch((error) => [failure(error)]);
  fill(box, el("h2", {}, "Why an edge is there"), parts, edges.length > EXPLAINED ? el("p", { class: "dim" }, `and ${edges.length - EXPLAINED} more`) : null);
}

async function explained(edge, graph) {
  const [user, used] = [graph.nodes[edge.source], graph.nodes[edge.target]];
  const { first, text } = await post("/api/graph/why", { path: user.path, line: edge.line });
  const name = (symbol) => el("strong", {}, brief(symbol.qualified_name));
  return el("div", { class: "edge" },
    el("p", {}, name(user), " uses ", name(used), ` (${edge.kind}) on line ${edge.line} of `, el("span", { class: "path" }, user.path)),
    el("pre", { class: "source" }, code(text, { firstLine: first })),
    el("p", {}, "Found by the rule ", el("strong", {}, edge.rule), `, confidence ${edge.confidence.toFixed(2)}${edge.confidence < 0.5 ? ": likelier wrong than right" : ""}.`));
}

function reachForm(state) {
  const to = el("input", { id: "to", value: state.to, placeholder: "another symbol", spellcheck: "false", autocomplete: "off", size: 18 });
  const find = (event) => {
    event.preventDefault();
    state.to = to.value.trim();
    history.replaceState({}, "", addressOf(state));
    if (state.to) reaches(event.target.closest("aside"), state);
  };
  return [el("h2", {}, "Does it reach …"),
    el("form", { class: "buttons", onsubmit: find }, el("label", { class: "hidden", for: "to" }, "Another symbol"), to, el("button", {}, "Find the way")), el("div", { id: "way" })];
}

async function reaches(panel, state) {
  const box = () => panel.querySelector("#way");
  try {
    const { there, back } = await post("/api/graph/way", { source: state.symbol, target: state.to });
    fill(box(), ways(there, state.symbol, state.to), ways(back, state.to, state.symbol));
  } catch (error) {
    fill(box(), failure(error));
  }
}

/** The surest ways from one symbol to another, step by step. */
function ways({ paths, is_whole: isWhole }, from, to) {
  if (!paths.length) return el("p", { class: "dim" }, `${from} does not reach ${to}${isWhole ? "" : ", as far as was looked"}.`);
  const link = (symbol) => el("a", { href: graphAt(symbol) }, brief(symbol.qualified_name));
  return paths.map(({ steps, confidence }, n) => [
    el("p", {}, `${n ? "or" : `${from} reaches ${to}`} in ${plural(steps.length, "step")}, ${share(confidence, 1)} sure:`),
    el("ol", {}, el("li", {}, link(steps[0].source)), steps.map((step) => el("li", {}, link(step.target),
      el("span", { class: "dim" }, ` line ${step.line} of ${step.source.path}, ${step.rule}, ${step.confidence.toFixed(2)}`)))),
  ]);
}
