// Starts the page: the session, addresses, keys, colours.

import { get, session } from "./api.js";
import { el, failure, fill, plural } from "./dom.js";
import { listen, mark } from "./live.js";
import { askAt, setup as setupKeys } from "./keys.js";

const PAGES = {
  ask: () => import("./pages/ask.js"),
  pack: () => import("./pages/replay.js"),
  compare: () => import("./pages/compare.js"),
  map: () => import("./pages/map.js"),
  graph: () => import("./pages/graph.js"),
  review: () => import("./pages/review.js"),
  knowledge: () => import("./pages/knowledge.js"),
  health: () => import("./pages/health.js"),
};
const main = document.getElementById("main");
let leave = () => {};
let about = null;
let shown = 0;

/** Go to an address of the page; with `replace` it takes the place of the one before. */
export function go(address, { replace = false } = {}) {
  if (replace) history.replaceState({}, "", address);
  else history.pushState({}, "", address);
  return show();
}

/** Change the address without drawing the page again. */
export function rename(address) {
  history.replaceState({}, "", address);
}

async function show() {
  const turn = (shown += 1);
  const url = new URL(location.href);
  const [name = "ask", ...rest] = url.pathname.split("/").filter(Boolean);
  if (!PAGES[name]) return go("/ask", { replace: true });
  leave();
  const visit = new AbortController();
  leave = () => visit.abort();
  for (const link of document.querySelectorAll("nav a")) {
    const isHere =
      link.pathname === `/${name}` ||
      (link.pathname === "/ask" && ["pack", "compare"].includes(name));
    if (isHere) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  main.className = `page-${name}`;
  try {
    const page = await PAGES[name]();
    // Who went on meanwhile does not want to see this one.
    if (turn !== shown) return;
    const place = {
      url,
      rest: rest.map(decodeURIComponent),
      about,
      go,
      rename,
      left: visit.signal,
    };
    const ended = await page.show(main, place);
    if (typeof ended === "function") {
      if (turn !== shown) ended();
      else visit.signal.addEventListener("abort", ended);
    }
    document.title = `${page.title(url)} · ${about.name}`;
  } catch (error) {
    if (error.name !== "AbortError")
      fill(main, el("h1", { class: "hidden" }, "Satchel"), failure(error));
  }
}

function follow(event) {
  const link = event.target.closest?.("a[href]");
  if (
    !link ||
    event.defaultPrevented ||
    event.button ||
    event.ctrlKey ||
    event.metaKey ||
    event.shiftKey ||
    link.download
  )
    return;
  const href = link.getAttribute("href") ?? "";
  if (!href.startsWith("/") || href.startsWith("/static/")) return;
  event.preventDefault();
  go(href);
}

function setupTheme() {
  const button = document.getElementById("theme");
  const names = { "": "as the system says", light: "light", dark: "dark" };
  const say = () => {
    const now = document.documentElement.dataset.theme || "";
    button.setAttribute("aria-label", `Colours: ${names[now]}`);
    button.title = `Colours: ${names[now]}`;
  };
  button.addEventListener("click", () => {
    const order = ["", "light", "dark"];
    const next =
      order[(order.indexOf(document.documentElement.dataset.theme || "") + 1) % order.length];
    if (next) document.documentElement.dataset.theme = next;
    else delete document.documentElement.dataset.theme;
    localStorage.setItem("satchel-theme", next);
    say();
  });
  say();
}

async function hub() {
  const { repositories } = await get("/api/repositories");
  return { granted: repositories, repositories: repositories.map((each) => each.name) };
}

/** A hub keeps neither a checkout nor knowledge, and is brought up to date by others. */
function settled() {
  for (const link of document.querySelectorAll("nav a"))
    link.hidden = ["/review", "/knowledge"].includes(link.pathname);
  mark("ok", plural(about.repositories.length, "repository", "repositories"));
}

function locked(error) {
  fill(
    main,
    el("h1", {}, "This browser has no session"),
    el(
      "p",
      {},
      "A session lasts as long as the ",
      el("code", {}, "satchel ui"),
      " that began it. Open the address that it printed last; of a hub, its address with ",
      el("code", {}, "#token="),
      " and your token.",
    ),
    failure(error),
  );
}

async function start() {
  setupTheme();
  try {
    about = await session();
    // Paths of a hub begin with their repository, and the graph tells them apart by that.
    if (about.is_hub) Object.assign(about, await hub());
  } catch (error) {
    return error.status === 401 ? locked(error) : fill(main, failure(error));
  }
  document.querySelector(".brand").title = about.root;
  document.addEventListener("click", follow);
  addEventListener("popstate", show);
  setupKeys({ go, ask: () => askAt(go) });
  if (about.is_hub) settled();
  else listen();
  if (location.pathname === "/") history.replaceState({}, "", `/ask${location.search}`);
  await show();
  document.documentElement.dataset.ready = "";
}

start();
