// Whether the index is well: what is in it, what is not and why, what becomes of it just now.

import { get } from "../api.js";
import { findings } from "../checks.js";
import { bytes, el, failure, fill, number, plural, share, table } from "../dom.js";
import { onBeat } from "../live.js";
import { fold } from "../unfolded.js";

const LISTED = 200;
const BARS = 9;

export const title = () => "Health";

export async function show(main, { about }) {
  if (about.is_hub) return fill(main, el("h1", {}, "Repositories"), granted(about.granted)) && null;
  const box = el("div", { class: "health" });
  const live = el("section", { class: "wide", "aria-label": "Just now" });
  fill(main, el("h1", {}, "Health"), live, box);
  let generation = -1;
  const draw = async () => {
    try {
      fill(box, sections(await get("/api/status")));
    } catch (error) {
      fill(box, failure(error));
    }
  };
  const ended = onBeat((beat) => {
    fill(live, justNow(beat));
    const now = beat.state?.generation ?? 0;
    if (generation >= 0 && now !== generation) refreshed(box, draw);
    generation = now;
  });
  await draw();
  return ended;
}

/** What a hub lets this person read. */
function granted(rows) {
  if (!rows.length)
    return el("p", { class: "dim" }, "You were granted no repository that is built.");
  return el(
    "div",
    { class: "scroll", tabindex: 0, role: "region", "aria-label": "Repositories" },
    table(
      "Repositories",
      ["name", "files", "commit"],
      rows.map((each) => [
        el(
          "a",
          { href: `/map/${each.name.split("/").map(encodeURIComponent).join("/")}/` },
          each.name,
        ),
        number(each.files),
        el("span", { class: "mono" }, each.head.slice(0, 12)),
      ]),
      [1],
    ),
  );
}

/** Draw again what nobody is reading in: what is open stays open. */
function refreshed(box, draw) {
  if (!box.querySelector("details[open]") && !box.contains(document.activeElement)) draw();
}

function justNow({ state, live, saves, checking }) {
  const facts = [
    state ? `generation ${state.generation}` : "There is no index yet",
    state && !state.complete ? "a first index is being built" : null,
    state && state.complete && !state.linked ? "edges are still being followed" : null,
    {
      owner: "this page keeps the index fresh",
      follower: `process ${live.owner || "?"} keeps it fresh`,
      reader: "the index is only read",
      starting: "starting",
    }[live.role],
    live.watching === "events"
      ? "changes are seen as they are saved"
      : live.watching === "scanning"
        ? "changes are found by scanning"
        : null,
    checking ? `checking ${checking}` : null,
  ];
  const progress =
    live.progress && live.progress.stage !== "done"
      ? el(
          "p",
          {},
          el("progress", {
            max: live.progress.total || null,
            value: live.progress.total ? live.progress.done : null,
            "aria-label": live.progress.stage,
          }),
          ` ${live.progress.stage}, ${plural(live.progress.files, "file")}`,
        )
      : null;
  const rows = [...saves].reverse().slice(0, 12).map(saved);
  return [
    el(
      "p",
      { class: "state", id: "state" },
      el("span", { class: `dot ${live.notices.length ? "warn" : "ok"}`, "aria-hidden": "true" }),
      facts.filter(Boolean).join(" · "),
    ),
    live.notices.map((notice) => el("p", { class: "notice" }, notice)),
    progress,
    el("h2", {}, "Saves"),
    rows.length
      ? el("ol", { class: "log", id: "saves" }, rows)
      : el(
          "p",
          { class: "dim" },
          "No file was saved since this page was started. Save one, and it appears here.",
        ),
  ];
}

function saved(save) {
  const { added, changed, removed } = save.files;
  const names = [
    ...changed.map((p) => p),
    ...added.map((p) => `+ ${p}`),
    ...removed.map((p) => `− ${p}`),
  ];
  const more = save.n_files - names.length;
  return el(
    "li",
    {},
    el(
      "time",
      { datetime: new Date(save.at * 1000).toISOString() },
      new Date(save.at * 1000).toLocaleTimeString(),
    ),
    el("span", { class: "dim" }, ` generation ${save.generation} `),
    names.slice(0, 6).join(", "),
    names.length > 6 || more > 0
      ? ` and ${number(save.n_files - Math.min(6, names.length))} more`
      : "",
  );
}

function sections(status) {
  return [
    tiles(status),
    skipped(status),
    problems(status),
    disk(status),
    findings(),
    usage(status),
  ];
}

function tiles({ counts, n_without_vectors: without }) {
  const rows = [
    ["files", number(counts.files)],
    ["lines", number(counts.lines)],
    ["symbols", number(counts.symbols)],
    ["edges between symbols", number(counts.edges)],
    ["chunks with a vector", share(counts.chunks - without, counts.chunks)],
  ];
  return el(
    "section",
    { class: "wide" },
    el("h2", {}, "Indexed"),
    el(
      "dl",
      { class: "tiles" },
      rows.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value))),
    ),
    bars("Files by language", counts.languages),
  );
}

function bars(label, pairs) {
  const most = Math.max(1, ...pairs.map(([, n]) => n));
  const drawn = (some) =>
    el(
      "ul",
      { class: "bars", "aria-label": label },
      some.map(([name, n]) =>
        el(
          "li",
          {},
          el("span", {}, name),
          el("span", {
            class: "bar",
            "aria-hidden": "true",
            style: { "--part": `${(100 * n) / most}%` },
          }),
          el("span", { class: "number" }, number(n)),
        ),
      ),
    );
  const [first, others] = [pairs.slice(0, BARS), pairs.slice(BARS)];
  return [
    drawn(first),
    others.length
      ? fold(label, {}, plural(others.length, "other language"), (box) => box.append(drawn(others)))
      : null,
  ];
}

function grouped(rows, key) {
  const groups = new Map();
  for (const row of rows) groups.set(row[key], [...(groups.get(row[key]) || []), row]);
  return [...groups].sort((a, b) => b[1].length - a[1].length || (a[0] < b[0] ? -1 : 1));
}

function listed(rows, line) {
  return el(
    "ul",
    { class: "plain mono" },
    rows.slice(0, LISTED).map((row) => el("li", {}, line(row))),
    rows.length > LISTED
      ? el(
          "li",
          { class: "dim" },
          `and ${number(rows.length - LISTED)} more: satchel status --skipped lists all`,
        )
      : null,
  );
}

function folds(rows, key, line) {
  return grouped(rows, key).map(([name, group]) => {
    const summary = [
      el("span", {}, name),
      " ",
      el("span", { class: "number" }, number(group.length)),
    ];
    return fold(`${key}:${name}`, { "data-item": true }, summary, (box) =>
      box.append(listed(group, line)),
    );
  });
}

function skipped({ skipped: rows }) {
  return el(
    "section",
    { id: "skipped" },
    el("h2", {}, "Skipped"),
    rows.length
      ? [
          el("p", { class: "dim" }, `${plural(rows.length, "path")} not indexed, by reason`),
          folds(rows, "reason", (row) => `${row.path}${row.detail ? ` (${row.detail})` : ""}`),
        ]
      : el("p", { class: "dim" }, "Everything is indexed."),
  );
}

function problems({ problems: rows }) {
  return el(
    "section",
    { id: "problems" },
    el("h2", {}, "Read in part"),
    rows.length
      ? [
          el("p", { class: "dim" }, "Indexed, but not read as a whole"),
          folds(
            rows,
            "kind",
            (row) =>
              `${row.path}${row.line ? `:${row.line}` : ""}${row.detail ? ` (${row.detail})` : ""}`,
          ),
        ]
      : el("p", { class: "dim" }, "Every file was read as a whole."),
  );
}

function usage({ usage: rows }) {
  const saved = rows.reduce((sum, row) => sum + row.saved_tokens, 0);
  return el(
    "section",
    { class: "wide", id: "usage" },
    el("h2", {}, "What agents used"),
    rows.length
      ? [
          el(
            "p",
            { class: "dim" },
            `${number(saved)} tokens fewer than the whole files that were quoted from`,
          ),
          el(
            "div",
            { class: "scroll", tabindex: 0, role: "region", "aria-label": "Usage by tool" },
            table(
              "Usage by tool",
              ["tool", "calls", "refused", "half within", "95 % within", "tokens", "saved"],
              rows.map((row) => [
                row.tool,
                number(row.calls),
                number(row.errors),
                `${number(row.p50_ms)} ms`,
                `${number(row.p95_ms)} ms`,
                number(row.returned_tokens),
                number(row.saved_tokens),
              ]),
              [1, 2, 3, 4, 5, 6],
            ),
          ),
        ]
      : el(
          "p",
          { class: "dim" },
          "No agent has asked yet. ",
          el("code", {}, "satchel setup"),
          " connects one.",
        ),
    el("p", {}, el("a", { href: "/pack" }, "Packs that were made")),
  );
}

function disk({ disk: rows, index, knowledge }) {
  const total = rows.reduce((sum, row) => sum + row.bytes, 0);
  return el(
    "section",
    { id: "disk" },
    el("h2", {}, "Disk"),
    el("p", { class: "dim" }, `${bytes(total)} altogether`),
    table(
      "Disk",
      ["what", "size"],
      rows.map((row) => [el("span", { class: "mono" }, row.name), bytes(row.bytes)]),
      [1],
    ),
    el("p", { class: "dim mono" }, `index ${index}`),
    el("p", { class: "dim mono" }, `knowledge ${knowledge}`),
  );
}
