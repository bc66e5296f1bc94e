// Checks of the index on request: progress, findings, what repairs them.

import { post } from "./api.js";
import { el, failure, fill, plural } from "./dom.js";
import { onBeat } from "./live.js";

const LISTED = 200;

/** The section that runs checks and shows what they find. */
export function findings() {
  const result = el(
    "div",
    { "aria-live": "polite" },
    el(
      "p",
      { class: "dim" },
      "They compare the index with the files on disk. Quick ones take seconds, deep ones build ",
      "a second index and compare.",
    ),
  );
  const buttons = ["quick", "standard", "deep"].map((level) =>
    el("button", { type: "button", onclick: () => check(level) }, level),
  );
  const stop = el(
    "button",
    { type: "button", hidden: true, onclick: () => post("/api/validate/cancel") },
    "Cancel",
  );
  const check = async (level) => {
    for (const each of buttons) each.disabled = true;
    stop.hidden = false;
    const forget = onBeat(({ checking }) =>
      fill(
        result,
        el(
          "p",
          { role: "status" },
          el("span", { class: "spinner", "aria-hidden": "true" }),
          checking ? ` Checking: ${checking}` : " Checking",
        ),
      ),
    );
    try {
      const report = await post("/api/validate", { level });
      forget();
      fill(result, reported(report));
    } catch (error) {
      forget();
      fill(result, failure(error));
    }
    for (const each of buttons) each.disabled = false;
    stop.hidden = true;
  };
  return el(
    "section",
    { class: "wide", id: "findings" },
    el("h2", {}, "Checks of the index"),
    el("div", { class: "buttons" }, buttons, stop),
    result,
  );
}

function reported(report) {
  const head = el(
    "p",
    {},
    el(
      "strong",
      {},
      report.findings.length ? plural(report.findings.length, "finding") : "Nothing is wrong.",
    ),
    el(
      "span",
      { class: "dim" },
      ` ${report.n_checks} checks of ${plural(report.files, "file")}`,
      ` at generation ${report.generation} in ${report.seconds.toFixed(1)} s`,
      report.n_known ? `, ${report.n_known} known already` : "",
    ),
  );
  const rows = report.findings
    .slice(0, LISTED)
    .map((f) =>
      el(
        "li",
        { "data-item": true, class: `finding ${f.severity}` },
        el(
          "p",
          {},
          el("span", { class: `badge ${f.severity}` }, f.severity),
          ` ${f.code} `,
          f.path ? el("span", { class: "path" }, `${f.path}${f.line ? `:${f.line}` : ""} `) : "",
          f.message,
        ),
        el("p", { class: "dim" }, `Repair: ${f.hint || remedyOf(f)}`),
      ),
    );
  return [head, el("ol", { class: "plain" }, rows)];
}

const remedyOf = ({ remedy }) =>
  remedy === "a person" ? "a person has to look" : `satchel ${remedy}`;
