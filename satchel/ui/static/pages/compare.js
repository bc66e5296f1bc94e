// Two questions, or two budgets, side by side: what one shows that the other does not.

import { post } from "../api.js";
import { el, fill, number, plural } from "../dom.js";
import { brief, partsOf, placeOf } from "../names.js";
import { during } from "../wait.js";
import { addressOf, asked } from "../request.js";

export const title = () => "Compare";

export async function show(main, { url, about, go, left }) {
  const first = asked(url.searchParams, about);
  const second = {
    ...first,
    question: url.searchParams.get("q2") ?? first.question,
    budget: Number(url.searchParams.get("budget2")) || first.budget,
  };
  const result = el("div", { class: "pair" });
  fill(main, el("h1", {}, "Compare"), form(first, second, go), result);
  if (!first.question && !first.diff)
    return fill(result, el("p", { class: "dim" }, "Ask two questions, or one with two budgets."));
  await during(result, "Both packs are being made.", left, async (signal) => {
    const layouts = [
      await post("/api/context", first, signal),
      await post("/api/context", second, signal),
    ];
    return drawn(layouts, [first, second]);
  });
}

function form(first, second, go) {
  const field = (id, label, value, more) => [
    el("label", { for: id }, label),
    el("input", { id, value, ...more }),
  ];
  const side = (n, request) =>
    el(
      "fieldset",
      {},
      el("legend", {}, n === 1 ? "Left" : "Right"),
      field(`q${n}`, "Question", request.question, n === 1 ? { "data-ask": true } : {}),
      field(`b${n}`, "Budget", request.budget, { type: "number", min: 256, max: 32768 }),
    );
  const box = el(
    "form",
    {
      class: "pair",
      onsubmit: (event) => {
        event.preventDefault();
        const value = (id) => box.querySelector(`#${id}`).value;
        const left = { ...first, question: value("q1"), budget: Number(value("b1")) };
        const more = new URLSearchParams({ q2: value("q2"), budget2: value("b2") });
        go(`${addressOf(left, "/compare")}&${more}`);
      },
    },
    side(1, first),
    side(2, second),
    el("button", { class: "primary" }, "Compare"),
  );
  return box;
}

function drawn(layouts, questions) {
  return layouts.map((layout, n) => {
    const { pack } = layout;
    const counted = partsOf(layout);
    const other = layouts[1 - n].pack.excerpts;
    const inOther = (e) =>
      other.some(
        (o) => o.path === e.path && o.start_line <= e.end_line && e.start_line <= o.end_line,
      );
    const only = pack.excerpts.filter((e) => !inOther(e));
    return el(
      "section",
      { "aria-label": n ? "Right" : "Left" },
      el(
        "p",
        {},
        el("strong", {}, `${number(pack.receipt.used)} of ${number(pack.receipt.budget)} tokens`),
        el(
          "span",
          { class: "dim" },
          ` · ${plural(pack.excerpts.length, "excerpt")}, ${only.length} only here`,
        ),
      ),
      el("p", {}, el("a", { href: addressOf(questions[n]) }, "Open this pack")),
      el(
        "ol",
        { class: "rows" },
        pack.excerpts.map((e, at) =>
          el(
            "li",
            { class: inOther(e) ? null : "only", "data-item": true },
            el(
              "span",
              {},
              el("span", {
                class: `swatch ${counted[at]}`,
                "aria-hidden": "true",
              }),
              placeOf(e),
              " ",
              el("span", { class: "symbol" }, brief(e.symbol)),
            ),
            el(
              "span",
              { class: "dim" },
              inOther(e) ? `${number(e.tokens)}` : `${number(e.tokens)}, only here`,
            ),
          ),
        ),
      ),
    );
  });
}
