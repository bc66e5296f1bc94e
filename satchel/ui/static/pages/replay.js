// A pack that was made before, by its id; without one, the packs that are kept.

import { get } from "../api.js";
import { el, failure, fill, number, table } from "../dom.js";
import { packView } from "../pack.js";
import { addressOf, asked } from "../request.js";

export const title = (url) => {
  const id = url.pathname.split("/")[2];
  return id ? `Pack ${id}` : "Packs";
};

export async function show(main, { url, rest, about, go }) {
  if (!rest[0]) return fill(main, kept(await get("/api/packs"), about));
  const again =
    url.searchParams.has("q") || url.searchParams.has("diff")
      ? asked(url.searchParams, about)
      : null;
  const head = [
    el("h1", {}, `Pack ${rest[0]}`),
    again
      ? el(
          "p",
          { class: "dim" },
          again.question,
          " ",
          el("a", { href: addressOf(again) }, "Ask again"),
        )
      : null,
  ];
  try {
    fill(main, head, packView(await get(`/api/pack/${encodeURIComponent(rest[0])}`), { go }));
  } catch (error) {
    fill(main, head, failure(error));
  }
}

function kept({ packs, generation }, about) {
  const request = ({ question, budget }) => ({
    ...asked(new URLSearchParams(), about),
    question: question.text,
    scope: question.scope,
    path: question.path,
    budget,
  });
  const row = (pack) => {
    const again = addressOf(request(pack));
    const opens = pack.generation === generation && `/pack/${pack.id}${again.slice("/ask".length)}`;
    const text = (pack.question.text || "a review of changes").slice(0, 200);
    return [
      new Date(pack.at * 1000).toLocaleString(),
      pack.client || "terminal or page",
      opens || pack.question.text
        ? el("a", { href: opens || again, "data-item": true }, text)
        : text,
      number(pack.budget),
      opens ? pack.id : "the index has moved on: ask again",
    ];
  };
  return [
    el("h1", {}, "Packs that were made"),
    packs.length
      ? el(
          "div",
          { class: "scroll", tabindex: 0, role: "region", "aria-label": "Packs that were made" },
          table(
            "Packs that were made",
            ["when", "for", "question", "budget", "pack"],
            packs.map(row),
            [3],
          ),
        )
      : el(
          "p",
          { class: "dim" },
          "None yet. Ask a question, or connect an agent with ",
          el("code", {}, "satchel setup"),
          ".",
        ),
  ];
}
