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

function show({ state, live, checking }) {
  const progress = live.progress;
  if (progress && progress.stage !== "done") {
    const part = progress.total ? ` ${Math.floor((100 * progress.done) / progress.total)} %` : "";
    mark("busy", `${progress.stage}${part}`);
  } else if (checking) mark("busy", `checking ${checking}`);
  else if (!state) mark("busy", "no index yet");
  else if (live.notices.length) mark("warn", `generation ${state.generation}`);
  else if (!state.complete) mark("busy", "being built");
  else mark("ok", `generation ${state.generation}`);
}

function mark(kind, text) {
  const link = document.getElementById("pulse");
  link.dataset.kind = kind;
  fill(document.getElementById("pulse-text"), text);
}
