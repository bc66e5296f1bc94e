// What stands beside a call graph: its root, why edges are there, ways to others, exports.

import { post } from "./api.js";
import { place } from "./callgraph.js";
import { code } from "./code.js";
import { el, failure, fill, number, plural, share, toast } from "./dom.js";
import { addressOf, edgeName } from "./graph-address.js";
import { brief, graphAt } from "./names.js";
import { save, saveDrawing } from "./save.js";

const LISTED = 200;
const EXPLAINED = 6;
const cut = (text, n) => (text.length > n ? `${text.slice(0, n - 1)}…` : text);

/** The sections beside a graph that is drawn as `picture`. */
export function besideGraph({ panel, graph, state }, { columns, edges, picture }) {
  return [
    aboutRoot(graph, state, columns),
    aboutEdges({ panel, graph, state }, edges),
    el("section", { id: "reaches" }, reachForm(state)),
    exports(picture, state),
  ];
}

/** What did not fit into the drawing, as a list. */
export function listed(panel, node) {
  fill(
    panel.querySelector("#why"),
    el("h2", {}, plural(node.symbols.length, "further symbol")),
    el(
      "ul",
      { class: "rows" },
      node.symbols
        .slice(0, LISTED)
        .map((symbol) =>
          el(
            "li",
            {},
            el(
              "span",
              {},
              el("a", { href: graphAt(symbol) }, brief(symbol.qualified_name)),
              ` ${place(symbol)}`,
            ),
          ),
        ),
    ),
  );
}

function aboutRoot(graph, state, columns) {
  const n = columns.reduce((sum, column) => sum + column.length, 0);
  const roots = graph.nodes.slice(0, graph.n_roots);
  const isTest = (e) => graph.nodes[e.source].is_test && e.reached === "callers";
  const tests = new Set(graph.edges.filter(isTest).map((e) => e.source)).size;
  const facts = [
    plural(n, "box", "boxes"),
    plural(graph.n_found, "edge"),
    graph.n_found > graph.edges.length ? `${number(graph.edges.length)} drawn` : "",
    `${tests ? plural(tests, "test") : "no test"} within ${plural(state.depth, "step")}`,
    graph.n_unresolved ? `${plural(graph.n_unresolved, "use")} without a known target` : "",
  ];
  const choose = graph.n_roots > 1;
  return el(
    "section",
    {},
    el("h2", {}, brief(roots[0]?.qualified_name || state.symbol)),
    roots
      .slice(0, 8)
      .map((symbol) =>
        el(
          "p",
          { class: "mono" },
          choose ? el("a", { href: graphAt(symbol) }, place(symbol)) : place(symbol),
        ),
      ),
    choose
      ? el("p", { class: "notice" }, `${graph.n_roots} definitions have this name. Choose one.`)
      : null,
    roots[0] ? el("pre", { class: "dim" }, cut(roots[0].signature, 300)) : null,
    el("p", {}, facts.filter(Boolean).join(", ")),
    state.open.length
      ? el(
          "p",
          {},
          el("a", { href: addressOf({ ...state, open: [], why: [] }) }, "Close opened groups"),
        )
      : null,
    graph.absent.map((each) => el("p", { class: "notice" }, each)),
  );
}

function aboutEdges({ panel, graph, state }, edges) {
  const drawn = edges.flatMap((each) => each.edges);
  const near = drawn.filter((e) => e.depth === 1);
  // Who would break stands first.
  near.sort((a, b) => (a.reached === "callers" ? 0 : 1) - (b.reached === "callers" ? 0 : 1));
  const rows = near.slice(0, LISTED).map((edge) => {
    const [user, used] = [graph.nodes[edge.source], graph.nodes[edge.target]];
    const button = el(
      "button",
      { type: "button", class: "quiet", onclick: () => why({ panel, graph, state }, [edge]) },
      `${brief(user.qualified_name)} → ${brief(used.qualified_name)}`,
    );
    return el(
      "li",
      { "data-item": true },
      button,
      el("span", { class: "dim" }, `${edge.kind} ${edge.confidence.toFixed(2)}`),
    );
  });
  return el(
    "section",
    { id: "why" },
    el("h2", {}, "Why an edge is there"),
    el("p", { class: "dim" }, "Click a line, or one of these."),
    el(
      "details",
      { open: rows.length <= 12 },
      el("summary", {}, listedOf(rows.length, drawn.length, graph.n_found)),
      el("ul", { class: "rows" }, rows),
    ),
  );
}

/** How many edges are listed, and where that is not all of them, of how many. */
const listedOf = (n, drawn, found) =>
  n === found
    ? plural(n, "edge")
    : `${number(n)} of the ${plural(drawn, "edge")} drawn, ${number(found)} found`;

function exports(picture, state) {
  const button = (name, act) => el("button", { type: "button", onclick: act }, name);
  return el(
    "section",
    {},
    el("h2", {}, "Export"),
    el(
      "div",
      { class: "buttons" },
      button("SVG", () => saveDrawing(picture, "graph", "svg")),
      button("PNG", () => saveDrawing(picture, "graph", "png")),
      button("DOT", () => exported(state, "dot")),
      button("GraphML", () => exported(state, "graphml")),
    ),
  );
}

async function exported(state, form) {
  try {
    const { text } = await post("/api/graph/export", {
      symbol: state.symbol,
      depth: state.depth,
      form,
    });
    save(new Blob([text], { type: "text/plain" }), `graph.${form}`);
  } catch (error) {
    toast(error.message);
  }
}

/** Say why edges are there: the line, the rule, its confidence. */
export async function why({ panel, graph, state }, edges) {
  const box = panel.querySelector("#why");
  const first = edges.slice(0, EXPLAINED);
  state.why = first.map((edge) => edgeName(edge, graph));
  history.replaceState({}, "", addressOf(state));
  const parts = await Promise.all(first.map((edge) => explained(edge, graph))).catch((error) => [
    failure(error),
  ]);
  fill(
    box,
    el("h2", {}, "Why an edge is there"),
    parts,
    edges.length > EXPLAINED
      ? el("p", { class: "dim" }, `and ${edges.length - EXPLAINED} more`)
      : null,
  );
}

async function explained(edge, graph) {
  const [user, used] = [graph.nodes[edge.source], graph.nodes[edge.target]];
  // A slider draws the graph again at each step, with the same edges.
  edge.lines ??= post("/api/graph/why", { path: user.path, line: edge.line });
  const { first, text } = await edge.lines;
  const name = (symbol) => el("strong", {}, brief(symbol.qualified_name));
  return el(
    "div",
    { class: "edge" },
    el(
      "p",
      {},
      name(user),
      " uses ",
      name(used),
      ` (${edge.kind}) on line ${edge.line} of `,
      el("span", { class: "path" }, user.path),
    ),
    el("pre", { class: "source" }, code(text, { firstLine: first })),
    el(
      "p",
      {},
      "Found by the rule ",
      el("strong", {}, edge.rule),
      `, confidence ${edge.confidence.toFixed(2)}`,
      edge.confidence < 0.5 ? ": likelier wrong than right." : ".",
    ),
  );
}

function reachForm(state) {
  const to = el("input", {
    id: "to",
    value: state.to,
    placeholder: "another symbol",
    spellcheck: "false",
    autocomplete: "off",
    size: 18,
  });
  const find = (event) => {
    event.preventDefault();
    state.to = to.value.trim();
    history.replaceState({}, "", addressOf(state));
    if (state.to) reaches(event.target.closest("aside"), state);
  };
  return [
    el("h2", {}, "Does it reach …"),
    el(
      "form",
      { class: "buttons", onsubmit: find },
      el("label", { class: "hidden", for: "to" }, "Another symbol"),
      to,
      el("button", {}, "Find the way"),
    ),
    el("div", { id: "way" }),
  ];
}

/** Look for ways between two symbols, and show them. */
export async function reaches(panel, state) {
  const box = () => panel.querySelector("#way");
  try {
    const { there, back } = await post("/api/graph/way", {
      source: state.symbol,
      target: state.to,
    });
    fill(box(), ways(there, state.symbol, state.to), ways(back, state.to, state.symbol));
  } catch (error) {
    fill(box(), failure(error));
  }
}

/** The surest ways from one symbol to another, step by step. */
function ways({ paths, is_whole: isWhole }, from, to) {
  if (!paths.length)
    return el(
      "p",
      { class: "dim" },
      `${from} does not reach ${to}${isWhole ? "" : ", as far as was looked"}.`,
    );
  const link = (symbol) => el("a", { href: graphAt(symbol) }, brief(symbol.qualified_name));
  return paths.map(({ steps, confidence }, n) => [
    el(
      "p",
      {},
      n ? "or" : `${from} reaches ${to}`,
      ` in ${plural(steps.length, "step")}, ${share(confidence, 1)} sure:`,
    ),
    el(
      "ol",
      {},
      el("li", {}, link(steps[0].source)),
      steps.map((step) =>
        el(
          "li",
          {},
          link(step.target),
          el(
            "span",
            { class: "dim" },
            ` line ${step.line} of ${step.source.path}, ${step.rule}, `,
            step.confidence.toFixed(2),
          ),
        ),
      ),
    ),
  ]);
}
