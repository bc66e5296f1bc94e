import { el, fill } from "../dom.js";

export const title = () => "review";

export function show(main) {
  fill(main, el("h1", {}, "review"), el("p", {}, "Not here yet."));
}
