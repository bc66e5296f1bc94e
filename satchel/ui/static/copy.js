// Text into the clipboard, or, where the browser refuses, before the reader, selected.

import { el, toast } from "./dom.js";

/** Copy `text`; `what` names it to the reader, as in "The text". */
export async function copy(text, what) {
  try {
    await navigator.clipboard.writeText(text);
    toast(`${what} is copied`);
  } catch {
    // A page without the focus, one on plain HTTP, or a reader who said no.
    offer(text, what);
  }
}

function offer(text, what) {
  const area = el("textarea", { readonly: true, rows: 12, "aria-label": what });
  area.value = text;
  const box = el(
    "dialog",
    { class: "copy", "aria-label": `Copy by hand: ${what}`, onclose: () => box.remove() },
    el("p", {}, "The browser did not let this page copy. The text is selected: copy it with "),
    area,
    el("form", { method: "dialog" }, el("button", {}, "Close")),
  );
  box.querySelector("p").append(el("kbd", {}, "Ctrl+C"), " or ", el("kbd", {}, "⌘C"), ".");
  document.body.append(box);
  box.showModal();
  area.focus();
  area.select();
  // The older way asks nobody's leave, and is let through after a click.
  if (document.execCommand("copy")) {
    box.close();
    toast(`${what} is copied`);
  }
}
