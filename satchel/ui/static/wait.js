// Work that may take long: it says so after a moment, shows how far it is, and can be stopped.

import { el, failure, fill } from "./dom.js";
import { onBeat, progressOf } from "./live.js";

const MOMENT_MS = 250;

/**
 * Fill a box with what `work` resolves to, which is handed a signal that ends it.
 * `left` is the signal of the page: who went on is shown nothing more.
 */
export async function during(box, says, left, work) {
  const stop = new AbortController();
  left.addEventListener("abort", () => stop.abort());
  let forget = () => {};
  // An answer that comes at once is not preceded by a flash of something else.
  const slow = setTimeout(() => {
    const progress = el("span", {});
    fill(box, waiting(says, progress, stop));
    forget = onBeat((beat) => fill(progress, progressOf(beat)));
  }, MOMENT_MS);
  try {
    const found = await work(stop.signal);
    if (!stop.signal.aborted) fill(box, found);
  } catch (error) {
    if (error.name !== "AbortError") fill(box, failure(error), error.more);
    else if (!left.aborted) fill(box, el("p", { class: "dim" }, "Stopped."));
  } finally {
    clearTimeout(slow);
    forget();
  }
}

function waiting(says, progress, stop) {
  return el(
    "p",
    { class: "waiting", role: "status" },
    el("span", { class: "spinner", "aria-hidden": "true" }),
    ` ${says} `,
    progress,
    " ",
    el("button", { type: "button", onclick: () => stop.abort() }, "Stop"),
  );
}
