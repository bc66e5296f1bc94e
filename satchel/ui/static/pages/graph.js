import { el, fill } from "../dom.js";

export const title = () => "graph";

export function show(main) {
  fill(main, el("h1", {}, "graph"), el("p", {}, "Not here yet."));
}
