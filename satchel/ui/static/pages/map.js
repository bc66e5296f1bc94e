import { el, fill } from "../dom.js";

export const title = () => "map";

export function show(main) {
  fill(main, el("h1", {}, "map"), el("p", {}, "Not here yet."));
}
