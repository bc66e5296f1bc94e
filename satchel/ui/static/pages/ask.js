// A question and a budget; the pack as its reader gets it, and why it is what it is.

import { post } from "../api.js";
import { el, fill, number } from "../dom.js";
import { packView } from "../pack.js";
import { addressOf, asked } from "../request.js";
import { during } from "../wait.js";

const SCOPES = [
  ["impl", "product code"],
  ["test", "tests"],
  ["all", "both"],
];
const STEPS = 7 * 8;
const budgetAt = (step) => Math.round(2 ** (8 + step / 8) / 16) * 16;
const stepOf = (budget) => Math.round((Math.log2(budget) - 8) * 8);

export const title = (url) => (url.searchParams.get("q") || "Ask").split("\n")[0].slice(0, 80);

export async function show(main, { url, about, go, left }) {
  const request = asked(url.searchParams, about);
  const answer = el("div", { class: "answer", "aria-live": "off" });
  fill(main, el("h1", { class: "hidden" }, "Ask"), form(request, go), answer);
  if (!request.question && !request.diff) {
    fill(answer, empty(request, about.is_hub));
    main.querySelector("[data-ask]").focus({ preventScroll: true });
    return;
  }
  await during(answer, "The pack is being made.", left, async (signal) => {
    const layout = await post("/api/context", request, signal);
    return packView(layout, { request, go, isHub: about.is_hub });
  });
}

/** The question as a form; submitting it goes to its address. */
export function form(request, go) {
  const budget = el("output", { for: "budget" }, `${number(request.budget)} tokens`);
  const slider = el("input", {
    type: "range",
    id: "budget",
    min: 0,
    max: STEPS,
    value: stepOf(request.budget),
    "aria-valuetext": `${request.budget} tokens`,
    oninput: () => {
      fill(budget, `${number(budgetAt(slider.value))} tokens`);
      slider.setAttribute("aria-valuetext", `${budgetAt(slider.value)} tokens`);
    },
    onchange: () => (question.value.trim() ? send() : null),
  });
  const question = el(
    "textarea",
    {
      id: "question",
      rows: 1,
      "data-ask": true,
      spellcheck: "false",
      maxlength: 10000,
      placeholder: "a task or question, a name, or a pasted trace, failing test or diff",
      oninput: () => grow(question),
      onkeydown: (event) => {
        if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
          event.preventDefault();
          send();
        }
      },
    },
    request.question,
  );
  const scope = el(
    "select",
    { id: "scope" },
    SCOPES.map(([value, name]) => el("option", { value, selected: value === request.scope }, name)),
  );
  const path = el("input", {
    id: "path",
    value: request.path,
    placeholder: "anywhere",
    size: 14,
    spellcheck: "false",
    autocomplete: "off",
  });
  const send = () => {
    const isSame =
      question.value === request.question &&
      path.value === request.path &&
      scope.value === request.scope;
    // What was put in or taken out belongs to a question, and a new one starts without it.
    const kept =
      isSame || question.value === request.question
        ? request
        : { put_in: [], take_out: [], diff: "" };
    const tokens =
      Number(slider.value) === stepOf(request.budget) ? request.budget : budgetAt(slider.value);
    go(
      addressOf({
        ...kept,
        question: question.value,
        budget: tokens,
        scope: scope.value,
        path: path.value,
      }),
    );
  };
  requestAnimationFrame(() => grow(question));
  return el(
    "form",
    {
      class: "ask",
      onsubmit: (event) => {
        event.preventDefault();
        send();
      },
    },
    el("label", { class: "hidden", for: "question" }, "Question"),
    question,
    el("button", { class: "primary" }, "Ask"),
    el(
      "div",
      { class: "options" },
      el("span", { class: "option" }, el("label", { for: "budget" }, "Budget"), slider, budget),
      el("span", { class: "option" }, el("label", { for: "scope" }, "In"), scope),
      el("span", { class: "option" }, el("label", { for: "path" }, "Path"), path),
      request.diff ? el("span", { class: "chip" }, `changes since ${request.diff}`) : null,
    ),
  );
}

function grow(field) {
  field.style.setProperty("height", "auto");
  field.style.setProperty("height", `${Math.min(field.scrollHeight + 2, innerHeight * 0.4)}px`);
}

function empty(request, isHub) {
  const link = (text, more) =>
    el(
      "li",
      { "data-item": true },
      el(
        "a",
        { href: addressOf({ ...request, question: text, ...more }) },
        text || "Review what changed since the last commit",
      ),
    );
  return el(
    "section",
    { class: "empty" },
    el("h2", {}, "What should a model see, in so many tokens?"),
    el(
      "p",
      {},
      "Ask in words or names, or paste a stack trace, a failing test or a diff. The pack is what ",
      "an agent would get for the same question, to the byte; beside it stands why each piece is ",
      "in it and where the tokens went.",
    ),
    el("p", { class: "dim" }, "For example"),
    el(
      "ul",
      { class: "plain" },
      link("where does the program start"),
      link("how are errors handled"),
      link("how is the configuration read"),
      isHub ? null : link("", { diff: "HEAD" }),
    ),
  );
}
