// A pack that was made before, by its id.

import { get } from "../api.js";
import { el, failure, fill } from "../dom.js";
import { packView } from "../pack.js";
import { addressOf, asked } from "../request.js";

export const title = (url) => `Pack ${url.pathname.split("/")[2] || ""}`;

export async function show(main, { url, rest, about, go }) {
  const again =
    url.searchParams.has("q") || url.searchParams.has("diff")
      ? asked(url.searchParams, about)
      : null;
  const head = [
    el("h1", {}, `Pack ${rest[0] || ""}`),
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
    fill(main, head, packView(await get(`/api/pack/${encodeURIComponent(rest[0] || "")}`), { go }));
  } catch (error) {
    fill(main, head, failure(error));
  }
}
