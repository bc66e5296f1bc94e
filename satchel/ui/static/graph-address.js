// What is asked of the call graph, as an address.

/** The address of a graph as it is set. */
export function addressOf(state) {
  const params = new URLSearchParams();
  if (state.depth !== 1) params.set("depth", state.depth);
  if (state.confidence !== 0.5) params.set("confidence", state.confidence);
  if (!state.tests) params.set("tests", "0");
  if (!state.group) params.set("group", "0");
  if (state.to) params.set("to", state.to);
  for (const key of state.open || []) params.append("open", key);
  for (const name of state.why || []) params.append("why", name);
  const asked = params.toString();
  const symbol = state.symbol ? `/${encodeURIComponent(state.symbol)}` : "";
  return `/graph${symbol}${asked ? `?${asked}` : ""}`;
}

/** What an address asks. */
export function asked(url, rest) {
  const param = (name, otherwise) => url.searchParams.get(name) ?? otherwise;
  return {
    symbol: rest[0] || "",
    depth: Math.min(5, Math.max(1, Number(param("depth", 1)) || 1)),
    to: param("to", ""),
    open: url.searchParams.getAll("open"),
    why: url.searchParams.getAll("why"),
    confidence: Number(param("confidence", 0.5)),
    tests: param("tests") !== "0",
    group: param("group") !== "0",
  };
}

/** An edge as an address names it: where the use stands, and of what. */
export function edgeName(edge, graph) {
  return `${graph.nodes[edge.source].path}:${edge.line} ${graph.nodes[edge.target].qualified_name}`;
}
