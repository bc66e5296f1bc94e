// Source as lines with their numbers; colours come later, from the worker, where it knows how.

import { add, el } from "./dom.js";

const LONGEST = 60_000;
const PATIENCE_MS = 4_000;
const WORKER = "/static/highlight-worker.js";
// The policy of the page allows no other script address to be made from text.
const policy = globalThis.trustedTypes?.createPolicy("satchel", {
  createScriptURL: (address) => {
    if (address !== WORKER) throw new TypeError(address);
    return address;
  },
});
const waiting = new Map();
let worker = null;
let next = 0;

function started() {
  if (worker) return worker;
  worker = new Worker(policy ? policy.createScriptURL(WORKER) : WORKER, { type: "module" });
  worker.onmessage = ({ data: { id, runs } }) => {
    waiting.get(id)?.(runs);
    waiting.delete(id);
  };
  return worker;
}

function highlighted(language, text) {
  const id = (next += 1);
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      // A grammar that does not come to an end is stopped with its thread.
      worker?.terminate();
      worker = null;
      for (const give of [...waiting.values()]) give(null);
      waiting.clear();
    }, PATIENCE_MS);
    waiting.set(id, (runs) => {
      clearTimeout(timer);
      resolve(runs);
    });
    started().postMessage({ id, language, text });
  });
}

/** Lines of source in `pre`; `firstLine` 0 means: without numbers. `omitted` are pairs of lines. */
export function code(text, { language = "", firstLine = 0, omitted = [] } = {}) {
  const body = el("code", { class: firstLine ? "numbered" : null });
  draw(body, [["", text]], firstLine, omitted);
  if (language && text.length <= LONGEST) {
    highlighted(language, text).then((runs) => {
      if (runs) draw(body, runs, firstLine, omitted);
    });
  }
  return body;
}

function draw(body, runs, firstLine, omitted) {
  const gaps = new Map(omitted.map(([first, last]) => [first, last]));
  const lines = [[]];
  for (const [scope, text] of runs) {
    text.split("\n").forEach((part, n) => {
      if (n) lines.push([]);
      if (part) lines.at(-1).push([scope, part]);
    });
  }
  if (lines.length > 1 && !lines.at(-1).length) lines.pop();
  let line = firstLine;
  body.replaceChildren();
  for (const parts of lines) {
    const isGap = firstLine && gaps.has(line);
    const row = el("span", {
      class: isGap ? "line gap" : "line",
      "data-line": firstLine && !isGap ? line : null,
    });
    add(
      row,
      parts.map(([scope, part]) => (scope ? el("span", { class: `hl-${scope}` }, part) : part)),
      "\n",
    );
    body.append(row);
    line = isGap ? gaps.get(line) + 1 : line + 1;
  }
}
