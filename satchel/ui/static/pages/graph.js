// A symbol in the middle, its callers to the left, what it calls to the right.

import { get, post } from "../api.js";
import { code } from "../code.js";
import { el, failure, fill, number, plural, svg, toast } from "../dom.js";
import { layered } from "../layered.js";
import { save, saveDrawing } from "../save.js";

const [WIDE, HIGH, GAP, BETWEEN] = [216, 38, 9, 92];
const brief = (name) => name.split(".").slice(-2).join(".");
const tail = (text, n) => (text.length > n ? `…${text.slice(1 - n)}` : text);
const cut = (text, n) => (text.length > n ? `${text.slice(0, n - 1)}…` : text);
const place = (symbol) => `${symbol.path}:${symbol.line}`;

export const title = (url) => decodeURIComponent(url.pathname.split("/")[2] || "Graph");

function addressOf(state) {
  const params = new URLSearchParams();
  if (state.depth !== 1) params.set("depth", state.depth);
  if (state.confidence !== 0.5) params.set("confidence", state.confidence);
  if (!state.tests) params.set("tests", "0");
  if (state.to) params.set("to", state.to);
  const asked = params.toString();
  return `/graph${state.symbol ? `/${encodeURIComponent(state.symbol)}` : ""}${asked ? `?${asked}` : ""}`;
}

export async function show(main, { url, rest, go, rename }) {
  const state = {
    symbol: rest[0] || "", depth: Math.min(5, Math.max(1, Number(url.searchParams.get("depth")) || 1)),
    confidence: Number(url.searchParams.get("confidence") ?? 0.5), tests: url.searchParams.get("tests") !== "0", to: url.searchParams.get("to") || "",
  };
  const box = el("div", {});
  fill(main, el("h1", { class: "hidden" }, "Graph"), box);
  if (!state.symbol) return fill(box, form(state, go, () => {}), await begin());
  const area = el("div", { class: "drawing", tabindex: 0, role: "region", "aria-label": "Call graph" }, el("p", { class: "waiting" }, "Looking at the call graph."));
  const panel = el("aside", { "aria-label": "About the graph" });
  let graph = null;
  const open = new Set();
  const draw = () => {
    rename(addressOf(state));
    if (graph) drawn(area, panel, graph, state, open, draw);
  };
  fill(box, form(state, go, draw), el("div", { class: "graph" }, area, panel));
  try {
    graph = await post("/api/graph", { symbol: state.symbol, depth: state.depth });
    draw();
    if (state.to) reaches(panel, state);
  } catch (error) {
    fill(area, failure(error));
  }
}

function form(state, go, draw) {
  const symbol = el("input", { id: "symbol", value: state.symbol, "data-ask": true, placeholder: "a name, Class.method or path:line", spellcheck: "false", autocomplete: "off" });
  const shownDepth = el("output", { for: "depth" }, plural(state.depth, "step"));
  const depth = el("input", { type: "range", id: "depth", min: 1, max: 5, value: state.depth, oninput: () => fill(shownDepth, plural(Number(depth.value), "step")),
    onchange: () => go(addressOf({ ...state, depth: Number(depth.value) })) });
  const said = () => (state.confidence ? `at least ${state.confidence.toFixed(2)}` : "any");
  const shownConfidence = el("output", { for: "confidence" }, said());
  const confidence = el("input", { type: "range", id: "confidence", min: 0, max: 1, step: 0.05, value: state.confidence, oninput: () => {
    state.confidence = Number(confidence.value);
    fill(shownConfidence, said());
    draw();
  } });
  const tests = el("input", { type: "checkbox", id: "tests", checked: state.tests, onchange: () => { state.tests = tests.checked; draw(); } });
  return el("form", { class: "ask", onsubmit: (event) => { event.preventDefault(); if (symbol.value.trim()) go(addressOf({ ...state, symbol: symbol.value.trim(), to: "" })); } },
    el("label", { class: "hidden", for: "symbol" }, "Symbol"), symbol, el("button", { class: "primary" }, "Show"),
    el("div", { class: "options" },
      el("span", { class: "option" }, el("label", { for: "depth" }, "Depth"), depth, shownDepth),
      el("span", { class: "option" }, el("label", { for: "confidence" }, "Confidence"), confidence, shownConfidence),
      el("span", { class: "option" }, tests, el("label", { for: "tests" }, "tests"))));
}

async function begin() {
  const found = await get("/api/graph/begin");
  const row = (symbol, more) => el("li", { "data-item": true }, el("span", {}, el("a", { href: `/graph/${encodeURIComponent(place(symbol))}` }, brief(symbol.qualified_name || symbol.name)), ` ${place(symbol)}`), el("span", { class: "dim" }, more));
  return el("div", { class: "empty" },
    el("h2", {}, "Who calls it, and what does it call?"),
    el("p", {}, "Name a function, method or type, or begin with one that much else uses."),
    el("ul", { class: "rows" }, found.central.map((each) => row(each.symbol, `used in ${plural(each.n_files, "file")}`)), found.entry_points.map((each) => row(each, each.why))),
    found.central.length + found.entry_points.length ? null : el("p", { class: "dim" }, "No symbol here is used by another file."));
}

function drawn(area, panel, graph, state, open, redraw) {
  const { nodes: columns, edges } = layered(graph, { ...state, open });
  const at = new Map();
  const tall = Math.max(...columns.map((column) => column.length));
  const height = Math.max(160, tall * (HIGH + GAP) + 46);
  columns.forEach((column, n) => column.forEach((node, row) => {
    const top = 34 + (height - 46 - column.length * (HIGH + GAP)) / 2;
    at.set(node.key, { node, x: 12 + n * (WIDE + BETWEEN), y: top + row * (HIGH + GAP) });
  }));
  const width = columns.length * (WIDE + BETWEEN) - BETWEEN + 24;
  const titles = columns.map((column, n) => svg("text", { class: "g-title", x: 12 + n * (WIDE + BETWEEN), y: at.get(column[0].key).y - 12 }, titleOf(column[0].column)));
  const lines = edges.map((joined) => line(joined, at, panel, graph));
  const boxes = [...at.values()].map((each) => box(each, open, redraw, lines, edges));
  // What carries a title is drawn at its own size; a wide graph scrolls and is not shrunk.
  const picture = svg("svg", { class: edges.length > 90 ? "g many" : "g", width, height, viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": `Call graph around ${state.symbol}` },
    titles, svg("g", {}, lines), svg("g", {}, boxes));
  fill(area, picture);
  const root = at.get("0");
  area.scrollLeft = root ? root.x - area.clientWidth / 2 + WIDE / 2 : 0;
  area.scrollTop = root ? root.y - area.clientHeight / 2 : 0;
  described(panel, graph, state, columns, edges, picture);
}

const titleOf = (column) => (column === 0 ? "" : column < 0 ? (column === -1 ? "callers" : `callers, ${-column} steps`) : column === 1 ? "calls" : `calls, ${column} steps`);

function box({ node, x, y }, open, redraw, lines, edges) {
  const symbol = node.symbols[0];
  const name = node.isGroup ? plural(node.symbols.length, "symbol") : brief(symbol.qualified_name);
  const file = symbol.path.slice(symbol.path.lastIndexOf("/") + 1);
  const link = svg("a", {
    class: `g-node${node.isRoot ? " root" : ""}${node.isTest ? " test" : ""}${node.isGroup ? " group" : ""}`, "data-item": true,
    href: node.isGroup ? "#" : `/graph/${encodeURIComponent(place(symbol))}`, "aria-label": node.isGroup ? `Open ${name} of ${node.folder || symbol.path}` : `${name}, ${place(symbol)}`,
    onclick: (event) => {
      if (!node.isGroup) return;
      event.preventDefault();
      open.add(node.key);
      redraw();
    },
    onmouseenter: () => lit(node.key, lines, edges), onmouseleave: () => lit(null, lines, edges), onfocus: () => lit(node.key, lines, edges), onblur: () => lit(null, lines, edges),
  },
  svg("title", {}, node.isGroup ? `${symbol.path}\n${node.symbols.map((s) => s.name).slice(0, 12).join(", ")}` : `${symbol.qualified_name}\n${place(symbol)}\n${symbol.signature}`),
  svg("rect", { x, y, width: WIDE, height: HIGH, rx: 5 }),
  svg("text", { class: "g-name", x: x + 9, y: y + 16 }, cut(name, 29)),
  svg("text", { class: "g-sub", x: x + 9, y: y + 31 }, tail(node.folder || (node.isGroup ? symbol.path : `${file}:${symbol.line}`), 31)));
  return link;
}

function lit(key, lines, edges) {
  lines.forEach((each, n) => each.classList.toggle("lit", key !== null && (edges[n].from === key || edges[n].to === key)));
}

function line({ from, to, edges }, at, panel, graph) {
  const [a, b] = [at.get(from), at.get(to)];
  const forward = a.x < b.x;
  const [x1, y1, x2, y2] = [forward ? a.x + WIDE : a.x, a.y + HIGH / 2, forward ? b.x : b.x + WIDE, b.y + HIGH / 2];
  const bend = a.x === b.x ? -46 : (x2 - x1) / 2;
  const path = a.x === b.x ? `M${x1},${y1} C${x1 + bend},${y1} ${b.x + bend},${y2} ${b.x},${y2}` : `M${x1},${y1} C${x1 + bend},${y1} ${x2 - bend},${y2} ${x2},${y2}`;
  const sure = Math.max(...edges.map((e) => e.confidence));
  return svg("path", { class: `g-edge${sure < 0.5 ? " guess" : ""}`, d: path, "stroke-width": 0.8 + Math.min(3, edges.length * 0.4), onclick: () => why(panel, edges, graph) },
    svg("title", {}, edges.length > 1 ? `${edges.length} uses` : `${edges[0].kind} via ${edges[0].rule}, ${edges[0].confidence.toFixed(2)}`));
}

function described(panel, graph, state, columns, edges, picture) {
  const n = columns.reduce((sum, column) => sum + column.length, 0);
  const roots = graph.nodes.slice(0, graph.n_roots);
  const tests = new Set(graph.edges.filter((e) => graph.nodes[e.source].is_test && e.reached === "callers").map((e) => e.source)).size;
  const listed = edges.flatMap((each) => each.edges).filter((e) => e.depth === 1)
    // Who would break stands first.
    .sort((a, b) => (a.reached === "callers" ? 0 : 1) - (b.reached === "callers" ? 0 : 1)).slice(0, 200);
  fill(panel,
    el("section", {}, el("h2", {}, brief(roots[0]?.qualified_name || state.symbol)),
      roots.slice(0, 8).map((symbol) => el("p", { class: "mono" }, graph.n_roots > 1 ? el("a", { href: `/graph/${encodeURIComponent(place(symbol))}` }, place(symbol)) : place(symbol))),
      graph.n_roots > 1 ? el("p", { class: "notice" }, `${graph.n_roots} definitions have this name. Choose one.`) : null,
      roots[0] ? el("pre", { class: "dim" }, cut(roots[0].signature, 300)) : null,
      el("p", {}, `${plural(n, "box", "boxes")}, ${plural(graph.n_found, "edge")}`, graph.n_found > graph.edges.length ? `, ${number(graph.edges.length)} drawn` : "", `, ${tests ? plural(tests, "test") : "no test"} within ${plural(state.depth, "step")}`,
        graph.n_unresolved ? `, ${plural(graph.n_unresolved, "use")} without a known target` : ""),
      graph.absent.map((each) => el("p", { class: "notice" }, each))),
    el("section", { id: "why" }, el("h2", {}, "Why an edge is there"), el("p", { class: "dim" }, "Click a line, or one of these."),
      el("details", { open: listed.length <= 12 }, el("summary", {}, plural(listed.length, "edge")),
        el("ul", { class: "rows" }, listed.map((edge) => el("li", { "data-item": true }, el("button", { type: "button", class: "quiet", onclick: () => why(panel, [edge], graph) }, `${brief(graph.nodes[edge.source].qualified_name)} → ${brief(graph.nodes[edge.target].qualified_name)}`), el("span", { class: "dim" }, `${edge.kind} ${edge.confidence.toFixed(2)}`)))))),
    el("section", { id: "reaches" }, reachForm(state)),
    el("section", {}, el("h2", {}, "Export"), el("div", { class: "buttons" },
      el("button", { type: "button", onclick: () => saveDrawing(picture, "graph", "svg") }, "SVG"), el("button", { type: "button", onclick: () => saveDrawing(picture, "graph", "png") }, "PNG"),
      ["dot", "graphml"].map((form) => el("button", { type: "button", onclick: () => exported(state, form) }, form === "dot" ? "DOT" : "GraphML")))));
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
  const parts = await Promise.all(edges.slice(0, 6).map(async (edge) => {
    const [user, used] = [graph.nodes[edge.source], graph.nodes[edge.target]];
    const { first, text } = await post("/api/graph/why", { path: user.path, line: edge.line });
    return el("div", { class: "edge" },
      el("p", {}, el("strong", {}, brief(user.qualified_name)), ` uses `, el("strong", {}, brief(used.qualified_name)), ` (${edge.kind}) on line ${edge.line} of `, el("span", { class: "path" }, user.path)),
      el("pre", { class: "source" }, code(text, { firstLine: first })),
      el("p", {}, `Found by the rule `, el("strong", {}, edge.rule), `, confidence ${edge.confidence.toFixed(2)}${edge.confidence < 0.5 ? ": likelier wrong than right" : ""}.`));
  })).catch((error) => [failure(error)]);
  fill(box, el("h2", {}, "Why an edge is there"), parts, edges.length > 6 ? el("p", { class: "dim" }, `and ${edges.length - 6} more`) : null);
}

function reachForm(state) {
  const to = el("input", { id: "to", value: state.to, placeholder: "another symbol", spellcheck: "false", autocomplete: "off", size: 18 });
  return [el("h2", {}, "Does it reach …"), el("form", { class: "buttons", onsubmit: (event) => {
    event.preventDefault();
    state.to = to.value.trim();
    history.replaceState({}, "", addressOf(state));
    if (state.to) reaches(event.target.closest("aside"), state);
  } }, el("label", { class: "hidden", for: "to" }, "Another symbol"), to, el("button", {}, "Find the way")), el("div", { id: "way" })];
}

async function reaches(panel, state) {
  const box = () => panel.querySelector("#way");
  try {
    const { there, back } = await post("/api/graph/way", { source: state.symbol, target: state.to });
    fill(box(), steps(there, state.symbol, state.to), steps(back, state.to, state.symbol));
  } catch (error) {
    fill(box(), failure(error));
  }
}

function steps(way, from, to) {
  if (!way.length) return el("p", { class: "dim" }, `${from} does not reach ${to} within five steps.`);
  const link = (symbol) => el("a", { href: `/graph/${encodeURIComponent(place(symbol))}` }, brief(symbol.qualified_name));
  return [el("p", {}, `${from} reaches ${to} in ${plural(way.length, "step")}:`),
    el("ol", {}, el("li", {}, link(way[0].source)), way.map((edge) => el("li", {}, link(edge.target), el("span", { class: "dim" }, ` line ${edge.line} of ${edge.source.path}, ${edge.rule}, ${edge.confidence.toFixed(2)}`))))];
}
