import { el, fill } from "../dom.js";

export const title = () => "knowledge";

export function show(main) {
  fill(main, el("h1", {}, "knowledge"), el("p", {}, "Not here yet."));
}
