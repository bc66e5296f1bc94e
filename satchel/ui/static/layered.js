// Layers of a call graph: callers to the left, callees to the right, groups where there are many.

const MOST_IN_A_COLUMN = 28;
/** Boxes that a browser moves without a halt; what is more is grouped, whatever is asked. */
export const MOST = 300;
const SWEEPS = 4;
const folderOf = (path) => path.replace(/[^/]*$/, "");

/**
 * Columns of nodes {key, symbols, column, isTest, isOther, isRoot, isGroup}, and edges
 * {from, to, edges}.
 * With `group` symbols of one file are one node where a column has too many, then files of one
 * folder, unless `open` holds the key. `repositoryOf` tells whose a path is.
 */
export function layered(graph, { confidence, tests, group, open, repositoryOf }) {
  const isShown = (e) =>
    e.confidence >= confidence &&
    (tests || !(graph.nodes[e.source].is_test || graph.nodes[e.target].is_test));
  const edges = graph.edges.filter(isShown);
  const columns = placed(graph, edges);
  const counts = new Map();
  for (const column of columns.values()) counts.set(column, (counts.get(column) || 0) + 1);
  const isCrowded = (column) => column && group && counts.get(column) > MOST_IN_A_COLUMN;
  const own = repositoryOf(graph.nodes[0]?.path || "");
  const nodes = new Map();
  const keyOf = new Map();
  for (const [index, column] of columns) {
    const symbol = graph.nodes[index];
    const file = `${column}/${symbol.path}`;
    const isOpen = open.has(file) || open.has(`${column}/${folderOf(symbol.path)}*`);
    const key = isCrowded(column) && !open.has(file) ? file : `${index}`;
    keyOf.set(index, key);
    if (!nodes.has(key))
      nodes.set(key, {
        key,
        column,
        symbols: [],
        isTest: symbol.is_test,
        isOther: repositoryOf(symbol.path) !== own,
        isRoot: !column,
        isOpen,
      });
    const node = nodes.get(key);
    node.symbols.push(symbol);
    // One symbol alone is itself, whatever it was grouped by.
    node.isGroup = node.symbols.length > 1;
  }
  if (group) foldersMerged(nodes, keyOf);
  restMerged(nodes, keyOf);
  const joined = new Map();
  for (const edge of edges) {
    const [from, to] = [keyOf.get(edge.source), keyOf.get(edge.target)];
    if (from === undefined || to === undefined || from === to) continue;
    const key = `${from}>${to}`;
    if (!joined.has(key)) joined.set(key, { from, to, edges: [] });
    joined.get(key).edges.push(edge);
  }
  return {
    columns: ordered([...nodes.values()], [...joined.values()]),
    edges: [...joined.values()],
  };
}

/** Where files are too many for a column as well, those of one folder are one node. */
function foldersMerged(nodes, keyOf) {
  const sizes = sizesOf(nodes);
  const into = new Map();
  for (const node of nodes.values()) {
    if (!node.column || sizes.get(node.column) <= MOST_IN_A_COLUMN || node.isOpen) continue;
    const key = `${node.column}/${folderOf(node.symbols[0].path)}*`;
    if (!into.has(key)) into.set(key, []);
    into.get(key).push(node);
  }
  for (const [key, members] of into) {
    if (members.length > 1)
      together(nodes, keyOf, key, members, folderOf(members[0].symbols[0].path) || "/");
  }
}

/** Whatever was opened: of the fullest columns the last become one node, until all fit. */
function restMerged(nodes, keyOf) {
  while (nodes.size > MOST) {
    const [column, size] = [...sizesOf(nodes)].sort((a, b) => b[1] - a[1])[0];
    const here = [...nodes.values()].filter((node) => node.column === column && !node.isRoot);
    if (here.length < 2) return;
    const kept = Math.max(0, Math.min(size - (nodes.size - MOST) - 1, here.length - 2));
    together(nodes, keyOf, `${column}/…`, here.slice(kept), "further ones");
  }
}

function sizesOf(nodes) {
  const sizes = new Map();
  for (const node of nodes.values()) sizes.set(node.column, (sizes.get(node.column) || 0) + 1);
  return sizes;
}

function together(nodes, keyOf, key, members, folder) {
  const symbols = members.flatMap((node) => node.symbols);
  const gone = new Set(members.map((node) => node.key));
  for (const each of gone) nodes.delete(each);
  const all = (name) => members.every((node) => node[name]);
  nodes.set(key, {
    key,
    column: members[0].column,
    symbols,
    isTest: all("isTest"),
    isOther: all("isOther"),
    isGroup: true,
    isRest: key.endsWith("…"),
    folder,
  });
  for (const [index, at] of keyOf) if (gone.has(at)) keyOf.set(index, key);
}

/** The column of every node that the edges still reach: negative for callers, 0 for the roots. */
function placed(graph, edges) {
  const columns = new Map(Array.from({ length: graph.n_roots }, (_, n) => [n, 0]));
  for (const side of ["callers", "callees"]) {
    const sign = side === "callers" ? -1 : 1;
    for (const edge of edges.filter((e) => e.reached === side).sort((a, b) => a.depth - b.depth)) {
      const [near, far] =
        side === "callers" ? [edge.target, edge.source] : [edge.source, edge.target];
      // An edge whose near end was filtered away hangs in the air.
      if (columns.has(near) && !columns.has(far)) columns.set(far, sign * edge.depth);
    }
  }
  return columns;
}

/** Own code first, then other repositories, then tests. */
const apart = (node) => (node.isTest ? 2 : node.isOther ? 1 : 0);

/** Columns from left to right; within each, neighbours of neighbours near each other. */
function ordered(nodes, edges) {
  const columns = new Map();
  for (const node of nodes) columns.set(node.column, [...(columns.get(node.column) || []), node]);
  const list = [...columns.keys()].sort((a, b) => a - b).map((column) => columns.get(column));
  const rank = new Map();
  const number = (column) =>
    column.forEach((node, n) => rank.set(node.key, n / Math.max(1, column.length - 1)));
  const byPlace = ({ symbols: [a] }, { symbols: [b] }) =>
    a.path === b.path ? a.line - b.line : a.path < b.path ? -1 : 1;
  for (const column of list) {
    column.sort((a, b) => apart(a) - apart(b) || byPlace(a, b));
    number(column);
  }
  const beside = new Map();
  for (const { from, to } of edges) {
    beside.set(from, [...(beside.get(from) || []), to]);
    beside.set(to, [...(beside.get(to) || []), from]);
  }
  const middle = (node) => {
    const near = (beside.get(node.key) || []).map((key) => rank.get(key));
    return near.length ? near.reduce((a, b) => a + b, 0) / near.length : rank.get(node.key);
  };
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    for (const column of list) {
      const wanted = new Map(column.map((node) => [node, middle(node)]));
      column.sort((a, b) => apart(a) - apart(b) || wanted.get(a) - wanted.get(b));
      number(column);
    }
  }
  return list;
}
