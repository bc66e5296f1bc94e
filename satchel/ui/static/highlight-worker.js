// Highlights in a thread of its own, so that no text can hold up the page.

import hljs from "./vendor/highlight/core.min.js";
import zig from "./zig.js";

const OTHER_NAMES = {
  tsx: "typescript",
  html: "xml",
  vue: "xml",
  svelte: "xml",
  astro: "xml",
  proto: "protobuf",
  toml: "ini",
  gomod: "go",
  hcl: "ini",
  rst: "markdown",
  org: "markdown",
};
const loaded = new Map([["zig", Promise.resolve(hljs.registerLanguage("zig", zig))]]);

/** Collects [scope, text] pairs; what hljs calls an emitter. */
class Runs {
  constructor() {
    this.runs = [];
    this.scopes = [];
  }
  addText(text) {
    if (text) this.runs.push([this.scopes.at(-1) || "", text]);
  }
  openNode(scope) {
    this.scopes.push(scope.split(".")[0]);
  }
  closeNode() {
    this.scopes.pop();
  }
  startScope(scope) {
    this.openNode(scope);
  }
  endScope() {
    this.closeNode();
  }
  __addSublanguage(other) {
    this.runs.push(...other.runs);
  }
  finalize() {}
  toHTML() {
    return "";
  }
}
hljs.configure({ __emitter: Runs });

async function registered(language) {
  const name = OTHER_NAMES[language] || language;
  if (!loaded.has(name)) {
    loaded.set(
      name,
      import(`./vendor/highlight/languages/${name}.min.js`).then((found) =>
        hljs.registerLanguage(name, found.default),
      ),
    );
  }
  await loaded.get(name);
  return name;
}

onmessage = async ({ data: { id, language, text } }) => {
  try {
    const name = await registered(language);
    const found = hljs.highlight(text, { language: name, ignoreIllegals: true });
    const { runs } = found._emitter;
    // A grammar that fails leaves what it had read by then; half a text must never be shown.
    postMessage({ id, runs: runs.map((run) => run[1]).join("") === text ? runs : null });
  } catch {
    postMessage({ id, runs: null });
  }
};
