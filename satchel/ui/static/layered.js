// Layers of a call graph: callers to the left, callees to the right, groups where there are many.

const MOST_IN_A_COLUMN = 28;
const MOST = 300;
const SWEEPS = 4;

/**
 * Columns of nodes {key, label, sub, symbols, column, isTest, isRoot}, and edges {from, to, edges}.
 * Symbols of one file are one node where a column has too many, unless `open` holds its key.
 */
export function layered(graph, { confidence, tests, open }) {
  const edges = graph.edges.filter((e) => e.confidence >= confidence && (tests || !(graph.nodes[e.source].is_test || graph.nodes[e.target].is_test)));
  const columns = placed(graph, edges);
  const counts = new Map();
  for (const column of columns.values()) counts.set(column, (counts.get(column) || 0) + 1);
  const isCrowded = (column) => counts.get(column) > MOST_IN_A_COLUMN || (columns.size > MOST && Math.abs(column) > 1);
  const nodes = new Map();
  const keyOf = new Map();
  for (const [index, column] of columns) {
    const symbol = graph.nodes[index];
    const group = `${column}/${symbol.path}`;
    const folder = `${column}/${symbol.path.replace(/[^/]*$/, "")}*`;
    const key = column && isCrowded(column) && !open.has(group) ? group : `${index}`;
    keyOf.set(index, key);
    if (!nodes.has(key)) nodes.set(key, { key, column, symbols: [], isTest: symbol.is_test, isRoot: !column, isGroup: false, isOpen: open.has(group) || open.has(folder) });
    const node = nodes.get(key);
    node.symbols.push(symbol);
    // One symbol alone is itself, whatever it was grouped by.
    node.isGroup = node.symbols.length > 1;
  }
  merged(nodes, keyOf);
  const joined = new Map();
  for (const edge of edges) {
    const [from, to] = [keyOf.get(edge.source), keyOf.get(edge.target)];
    if (from === undefined || to === undefined || from === to) continue;
    const key = `${from}>${to}`;
    if (!joined.has(key)) joined.set(key, { from, to, edges: [] });
    joined.get(key).edges.push(edge);
  }
  return { nodes: ordered([...nodes.values()], [...joined.values()]), edges: [...joined.values()] };
}

/** Where files are too many for a column as well, those of one folder are one node. */
function merged(nodes, keyOf) {
  const sizes = new Map();
  for (const node of nodes.values()) sizes.set(node.column, (sizes.get(node.column) || 0) + 1);
  const into = new Map();
  for (const node of [...nodes.values()]) {
    if (!node.column || sizes.get(node.column) <= MOST_IN_A_COLUMN || node.isOpen) continue;
    const folder = node.symbols[0].path.replace(/[^/]*$/, "");
    const key = `${node.column}/${folder}*`;
    if (!into.has(key)) into.set(key, []);
    into.get(key).push(node);
  }
  for (const [key, held] of into) {
    if (held.length < 2) continue;
    const symbols = held.flatMap((node) => node.symbols);
    nodes.set(key, { key, column: held[0].column, symbols, isTest: symbols.every((each) => each.is_test), isGroup: true, folder: symbols[0].path.replace(/[^/]*$/, "") || "/" });
    const gone = new Set(held.map((node) => node.key));
    for (const each of gone) nodes.delete(each);
    for (const [index, at] of keyOf) if (gone.has(at)) keyOf.set(index, key);
  }
}

/** The column of every node that the edges still reach: negative for callers, 0 for the roots. */
function placed(graph, edges) {
  const columns = new Map(Array.from({ length: graph.n_roots }, (_, n) => [n, 0]));
  for (const side of ["callers", "callees"]) {
    const sign = side === "callers" ? -1 : 1;
    for (const edge of edges.filter((e) => e.reached === side).sort((a, b) => a.depth - b.depth)) {
      const [near, far] = side === "callers" ? [edge.target, edge.source] : [edge.source, edge.target];
      // An edge whose near end was filtered away hangs in the air.
      if (columns.has(near) && !columns.has(far)) columns.set(far, sign * edge.depth);
    }
  }
  return columns;
}

/** Columns from left to right; within each, neighbours of neighbours near each other, tests last. */
function ordered(nodes, edges) {
  const columns = new Map();
  for (const node of nodes) columns.set(node.column, [...(columns.get(node.column) || []), node]);
  const list = [...columns.keys()].sort((a, b) => a - b).map((column) => columns.get(column));
  const rank = new Map();
  const number = (column) => column.forEach((node, n) => rank.set(node.key, n / Math.max(1, column.length - 1)));
  for (const column of list) {
    column.sort((a, b) => a.isTest - b.isTest || (a.symbols[0].path < b.symbols[0].path ? -1 : a.symbols[0].path > b.symbols[0].path ? 1 : a.symbols[0].line - b.symbols[0].line));
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
      column.sort((a, b) => a.isTest - b.isTest || wanted.get(a) - wanted.get(b));
      number(column);
    }
  }
  return list;
}
