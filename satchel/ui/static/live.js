// How the index stands, as the server tells it. Pages listen with `onBeat`.

import { fill } from "./dom.js";

const listeners = new Set();
let last = null;

/** Call `heard` now and with every news; returns what ends that. */
export function onBeat(heard) {
  listeners.add(heard);
  if (last) heard(last);
  return () => listeners.delete(heard);
}

export function listen() {
  const source = new EventSource("/api/events");
  source.onmessage = ({ data }) => {
    last = JSON.parse(data);
    show(last);
    for (const heard of [...listeners]) heard(last);
  };
  source.onerror = () => mark("off", "not connected");
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
