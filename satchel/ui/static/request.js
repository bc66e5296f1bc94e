// What is asked for a pack, as an address and as the API takes it.

/** What an address asks. */
export function asked(params, about) {
  return {
    question: params.get("q") || "",
    budget: Math.min(32768, Math.max(256, Number(params.get("budget")) || about.budget)),
    scope: params.get("scope") || (params.get("diff") ? "all" : "impl"),
    path: params.get("path") || "",
    diff: params.get("diff") || "",
    put_in: params.getAll("in"),
    take_out: params.getAll("out"),
  };
}

/** The address that asks it. */
export function addressOf(request, page = "/ask") {
  const params = new URLSearchParams();
  if (request.question) params.set("q", request.question);
  params.set("budget", request.budget);
  if (request.scope !== (request.diff ? "all" : "impl")) params.set("scope", request.scope);
  if (request.path) params.set("path", request.path);
  if (request.diff) params.set("diff", request.diff);
  for (const place of request.put_in) params.append("in", place);
  for (const place of request.take_out) params.append("out", place);
  return `${page}?${params}`;
}
