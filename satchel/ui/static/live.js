// How the index stands, as the server tells it. Pages listen with `onBeat`.

import { events } from "./api.js";
import { fill } from "./dom.js";

const AGAIN_MS = 3000;
const listeners = new Set();
let last = null;

/** Call `heard` now and with every news; returns what ends that. */
export function onBeat(heard) {
  listeners.add(heard);
  if (last) heard(last);
  return () => listeners.delete(heard);
}

/** Follow the server for as long as the page is open. */
export async function listen() {
  // A stream that ends or breaks is begun again: a laptop sleeps, a server is started again.
  for (;;) {
    await events("/api/events", heard).catch(() => {});
    mark("off", "not connected");
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
  }
}

function heard(beat) {
  last = beat;
  show(beat);
  for (const each of [...listeners]) each(beat);
}

/** How far a refresh of the index is, "" when none runs. */
export function progressOf({ live: { progress } }) {
  if (!progress || progress.stage === "done") return "";
  return progress.total
    ? `${progress.stage} ${Math.floor((100 * progress.done) / progress.total)} %`
    : progress.stage;
}

function show(beat) {
  const { state, live, checking } = beat;
  const progress = progressOf(beat);
  if (progress) mark("busy", progress);
  else if (checking) mark("busy", `checking ${checking}`);
  else if (!state) mark("busy", "no index yet");
  else if (live.notices.length) mark("warn", `generation ${state.generation}`);
  else if (!state.complete) mark("busy", "being built");
  else mark("ok", `generation ${state.generation}`);
}

export function mark(kind, text) {
  const link = document.getElementById("pulse");
  link.dataset.kind = kind;
  fill(document.getElementById("pulse-text"), text);
}
