// What is unfolded on a page stands in its address, so that a bookmark or a link shows the same.

import { el } from "./dom.js";

const OPEN = "open";

/** The names of what the address has open. */
export const opened = () => new URL(location.href).searchParams.getAll(OPEN);

/** Write what is open into the address. */
export function setOpened(names) {
  const url = new URL(location.href);
  url.searchParams.delete(OPEN);
  for (const name of names) url.searchParams.append(OPEN, name);
  history.replaceState({}, "", url);
}

/** A `details` element that the address knows by its name; `fill` is called when it opens first. */
export function fold(name, attributes, summary, fill) {
  let isFull = false;
  const box = el(
    "details",
    {
      ...attributes,
      open: opened().includes(name),
      ontoggle: () => {
        // A browser tells of the first state later, when the reader may have gone on.
        if (!box.isConnected) return;
        const names = opened();
        const others = names.filter((each) => each !== name);
        if (names.includes(name) !== box.open) setOpened(box.open ? [...others, name] : others);
        if (box.open && !isFull) fill(box);
        isFull ||= box.open;
      },
    },
    el("summary", {}, summary),
  );
  return box;
}
