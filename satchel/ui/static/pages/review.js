// A change: its hunks, what each touches, who did not change with it, tests to run, what is known.

import { post } from "../api.js";
import { el, fill, number, plural } from "../dom.js";
import { brief, graphAt } from "../names.js";
import { during } from "../wait.js";

const LONGEST = 1_500;
const fileId = (path) => `f-${encodeURIComponent(path)}`;

export const title = (url) => `Review since ${url.searchParams.get("since") || "HEAD"}`;

export async function show(main, { url, go, left }) {
  const since = url.searchParams.get("since") || "HEAD";
  const field = el("input", {
    id: "since",
    value: since,
    "data-ask": true,
    spellcheck: "false",
    autocomplete: "off",
  });
  const box = el("div", {});
  fill(
    main,
    el("h1", { class: "hidden" }, "Review"),
    el(
      "form",
      {
        class: "ask",
        onsubmit: (event) => {
          event.preventDefault();
          go(`/review?since=${encodeURIComponent(field.value.trim() || "HEAD")}`);
        },
      },
      el("label", { class: "hidden", for: "since" }, "Changed since"),
      field,
      el("button", { class: "primary" }, "Review"),
      el(
        "div",
        { class: "options dim" },
        "Changed since a revision (HEAD, main, a commit), an age (24h, 7d) or a date",
      ),
    ),
    box,
  );
  await during(box, "The change is being read.", left, async (signal) => {
    try {
      return drawn(await post("/api/review", { since }, signal), since);
    } catch (error) {
      error.more = el(
        "p",
        {},
        "Try ",
        ["HEAD~1", "24h", "7d"].map((each) => [
          el("a", { href: `/review?since=${encodeURIComponent(each)}` }, each),
          " ",
        ]),
      );
      throw error;
    }
  });
}

function drawn(found, since) {
  const files = parsed(found.diff);
  return [
    el(
      "p",
      {},
      el(
        "strong",
        {},
        `${plural(files.length, "file")}, ${plural(found.n_changes, "symbol")} changed`,
      ),
      el("span", { class: "dim" }, ` since ${found.since}`),
      " · ",
      el(
        "a",
        { href: `/ask?${new URLSearchParams({ diff: since, budget: 8192 })}` },
        "Pack for a reviewer",
      ),
    ),
    el(
      "div",
      { class: "columns" },
      el(
        "section",
        { class: "pack", "aria-label": "Hunks" },
        files.map((file) => fileDrawn(file, found)),
      ),
      el(
        "aside",
        { "aria-label": "What it touches" },
        symbols(found),
        users(found),
        tests(found),
        known(found),
      ),
    ),
  ];
}

/** Files of a unified diff: {path, hunks: [{head, first, lines}]}. */
function parsed(diff) {
  const files = [];
  for (const line of diff.split("\n")) {
    const file = files.at(-1);
    const hunk = file?.hunks.at(-1);
    const head = /^@@ -\d+(?:,\d+)? \+(\d+)(?:,(\d+))? @@/.exec(line);
    const isBody = hunk && hunk.left > 0;
    if (isBody) {
      hunk.lines.push(line);
      hunk.left -= line.startsWith("\\") ? 0 : 1;
    } else if (line.startsWith("--- "))
      files.push({ then: named(line), path: named(line), hunks: [] });
    else if (line.startsWith("+++ "))
      file.path = line === "+++ /dev/null" ? file.then : named(line);
    else if (head) {
      const counts = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(line);
      file.hunks.push({
        head: line,
        first: Number(counts[3]),
        olds: Number(counts[2] ?? 1),
        news: Number(counts[4] ?? 1),
        lines: [],
        left: Infinity,
      });
    }
    // A hunk ends with its counts, so that no line of the code can pass for a heading.
    const open = files.at(-1)?.hunks.at(-1);
    if (open) {
      const olds = open.lines.filter(
        (each) => !each.startsWith("+") && !each.startsWith("\\"),
      ).length;
      const news = open.lines.filter(
        (each) => !each.startsWith("-") && !each.startsWith("\\"),
      ).length;
      open.left = olds >= open.olds && news >= open.news ? 0 : 1;
    }
  }
  return files;
}

const named = (line) =>
  line
    .slice(4)
    .replace(/^"?[ab]\//, "")
    .replace(/"$/, "");

function fileDrawn(file, found) {
  const here = found.changes.filter((change) => change.path === file.path);
  const ofFile = found.known.filter((each) => each.scope === file.path);
  let left = LONGEST;
  const hunks = file.hunks.map((hunk) => {
    const shown = hunk.lines.slice(0, Math.max(0, left));
    left -= hunk.lines.length;
    const touched = here.filter(
      (change) => change.line >= hunk.first - 1 && change.line <= hunk.first + hunk.news,
    );
    return [
      touched.length
        ? el(
            "p",
            { class: "touched" },
            touched.map((change) => [
              el("span", { class: "badge" }, change.change),
              " ",
              el("a", { href: graphAt(change) }, brief(change.name)),
              change.n_users ? ` ${plural(change.n_users, "user")} did not change ` : " ",
            ]),
          )
        : null,
      touched.map((change) => found.known.filter(isAbout(change)).map(note)),
      hunkDrawn(hunk, shown),
    ];
  });
  return el(
    "article",
    { class: "excerpt", id: fileId(file.path), "data-item": true },
    el(
      "header",
      {},
      el("h2", { class: "path" }, file.path),
      el("span", { class: "cost" }, `${plural(here.length, "symbol")}`),
    ),
    ofFile.map(note),
    hunks,
    left < 0 ? el("p", { class: "dim" }, `and ${number(-left)} more lines`) : null,
  );
}

const isAbout = (change) => (known) => known.scope === `symbol:${change.name}`;
const note = (known) =>
  el("p", { class: "notice" }, el("strong", {}, known.kind), ` ${known.summary}`);

function hunkDrawn(hunk, lines) {
  let line = hunk.first - 1;
  const rows = lines.map((text) => {
    const kind = text[0] === "+" ? "added" : text[0] === "-" ? "removed" : "same";
    if (kind !== "removed") line += 1;
    return el(
      "span",
      { class: `line ${kind}`, "data-line": kind === "removed" ? "" : line },
      text,
      "\n",
    );
  });
  return el("pre", { class: "source" }, el("code", { class: "numbered diff" }, rows));
}

function symbols(found) {
  // What others use may break them, so it comes first.
  const rows = [...found.changes]
    .sort((a, b) => b.n_users - a.n_users)
    .slice(0, 60)
    .map((change) =>
      el(
        "li",
        {},
        el(
          "span",
          {},
          el("span", { class: "badge" }, change.change),
          " ",
          el(
            "a",
            {
              href: change.change === "removed" ? `#${fileId(change.path)}` : graphAt(change),
            },
            brief(change.name),
          ),
        ),
        el("span", { class: "dim" }, change.n_users ? plural(change.n_users, "user") : ""),
      ),
    );
  return el(
    "section",
    {},
    el("h2", {}, "What changed"),
    el("ul", { class: "rows" }, rows),
    found.n_changes > 60
      ? el("p", { class: "dim" }, `and ${number(found.n_changes - 60)} more`)
      : null,
  );
}

function users(found) {
  const rows = found.users
    .slice(0, 60)
    .map((each) =>
      el(
        "li",
        {},
        el(
          "span",
          {},
          el("a", { href: graphAt(each.user) }, brief(each.user.qualified_name)),
          ` uses ${brief(each.of)}`,
          el("span", { class: "dim" }, ` ${each.user.path}:${each.line}`),
        ),
        el("span", { class: "dim" }, each.confidence < 0.5 ? "a guess" : ""),
      ),
    );
  return el(
    "section",
    {},
    el("h2", {}, "Users that did not change"),
    rows.length ? el("ul", { class: "rows" }, rows) : el("p", { class: "dim" }, "None is known."),
    found.n_users > rows.length
      ? el("p", { class: "dim" }, `and ${number(found.n_users - rows.length)} more`)
      : null,
    places("Uses of what was removed", found.dangling),
    places("Lines with the names of what changed, by name alone", found.mentions),
  );
}

function places(title, rows) {
  if (!rows.length) return null;
  const listed = rows.slice(0, 30).map((each) => el("li", {}, each));
  return [el("h2", {}, title), el("ul", { class: "plain mono" }, listed)];
}

function tests(found) {
  return el(
    "section",
    {},
    el("h2", {}, "Tests to run"),
    found.tests.length
      ? el(
          "ul",
          { class: "rows" },
          found.tests
            .slice(0, 40)
            .map((test) =>
              el(
                "li",
                {},
                el("span", { class: "path" }, test.path),
                el(
                  "span",
                  { class: "dim" },
                  test.distance === 0
                    ? "changed itself"
                    : test.distance < 50
                      ? plural(test.distance, "step")
                      : "by its name",
                ),
              ),
            ),
        )
      : el("p", { class: "dim" }, "No test is known to reach it."),
  );
}

function known(found) {
  if (!found.known.length) return null;
  return el(
    "section",
    {},
    el("h2", {}, "What is known of it"),
    el(
      "ul",
      { class: "plain" },
      found.known.map((each) =>
        el(
          "li",
          { class: "notice" },
          el("strong", {}, each.kind),
          ` ${each.summary} `,
          el("span", { class: "dim" }, each.scope),
        ),
      ),
    ),
  );
}
