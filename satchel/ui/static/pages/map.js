// The code base by lines: folders, files, symbols, coloured by what one wants to see.

import { post } from "../api.js";
import { el, failure, fill, number, plural, share } from "../dom.js";
import { treemap } from "../treemap.js";

const COLOURS = { language: "language", tests: "tests", used: "how much uses it", problems: "parse problems", question: "a question" };
const HUES = [205, 28, 140, 275, 52, 340, 175, 95, 305, 235, 15, 120];
const place = (path) => `/map${path ? `/${path.split("/").map(encodeURIComponent).join("/")}` : ""}`;

export const title = (url) => decodeURIComponent(url.pathname.replace(/^\/map\/?/, "")) || "Map";

export async function show(main, { url, rest, go }) {
  const ends = url.pathname.endsWith("/") && rest.length;
  const state = { path: rest.join("/") + (ends ? "/" : ""), color: url.searchParams.get("color") || (url.searchParams.get("q") ? "question" : "language"), question: url.searchParams.get("q") || "" };
  const box = el("div", {}, el("p", { class: "waiting" }, "The map is being drawn."));
  fill(main, el("h1", { class: "hidden" }, "Map"), form(state, go), box);
  try {
    const area = await post("/api/map", { path: state.path, question: state.question });
    fill(box, drawn(area, state));
  } catch (error) {
    fill(box, failure(error));
  }
}

function addressOf(state) {
  const params = new URLSearchParams();
  if (state.color !== "language") params.set("color", state.color);
  if (state.question) params.set("q", state.question);
  return `${place(state.path)}${params.size ? `?${params}` : ""}`;
}

function form(state, go) {
  const question = el("input", { id: "question", value: state.question, "data-ask": true, placeholder: "a question lights up what it finds", spellcheck: "false", autocomplete: "off" });
  const colour = el("select", { id: "colour", onchange: () => go(addressOf({ ...state, color: colour.value })) }, Object.entries(COLOURS).map(([value, name]) => el("option", { value, selected: value === state.color }, name)));
  return el("form", { class: "ask", onsubmit: (event) => { event.preventDefault(); go(addressOf({ ...state, question: question.value.trim(), color: question.value.trim() ? "question" : "language" })); } },
    el("label", { class: "hidden", for: "question" }, "Question"), question, el("button", { class: "primary" }, "Light up"),
    el("div", { class: "options" }, el("span", { class: "option" }, el("label", { for: "colour" }, "Colour by"), colour), crumbs(state)));
}

function crumbs(state) {
  const parts = state.path.split("/").filter(Boolean);
  const link = (n) => addressOf({ ...state, path: n ? `${parts.slice(0, n).join("/")}${n < parts.length || state.path.endsWith("/") ? "/" : ""}` : "" });
  return el("nav", { class: "crumbs", "aria-label": "Where this is" }, el("a", { href: link(0) }, "everything"), parts.map((part, n) => [" / ", el("a", { href: link(n + 1) }, part)]));
}

function drawn(area, state) {
  const languages = [...new Set(leaves(area).map((each) => each.language).filter(Boolean))];
  const most = Math.max(1, ...leaves(area).map((each) => each.n_users));
  const best = Math.max(0.01, ...leaves(area).map((each) => each.score));
  const paint = (each) => painted(each, state.color, languages, { most, best });
  const isFile = area.path && !area.path.endsWith("/");
  const item = (each, parent) => ({
    value: Math.max(1, each.lines), label: each.path && each.path !== parent.path ? (each.line ? each.name : each.path.slice(parent.path.length) || each.name) : each.name, sub: said(each, state.color), title: each.line ? `${each.name}, line ${each.line}` : each.path || each.name,
    href: each.line ? `/graph/${encodeURIComponent(`${each.path}:${each.line}`)}` : each.path ? addressOf({ ...state, path: each.path }) : addressOf({ ...state, path: parent.path }), ...paint(each),
  });
  const groups = isFile ? [{ label: area.path, items: area.areas.map((each) => item(each, area)) }]
    : area.areas.map((each) => ({ label: each.path || each.name, name: each.path.endsWith("/") ? each.path.slice(area.path.length) : "", href: each.areas.length ? addressOf({ ...state, path: each.path }) : null, items: each.areas.length ? each.areas.map((inner) => item(inner, each)) : [item(each, area)] }));
  const wide = matchMedia("(min-width: 60rem)").matches;
  return [
    el("p", { class: "dim" }, `${plural(area.lines, "line")} in ${plural(area.n_files, "file")}`, area.test_lines && !isFile ? `, ${share(area.test_lines, area.lines)} of them tests` : "", isFile ? [`. `, el("a", { href: `/ask?${new URLSearchParams({ q: area.path })}` }, "Ask about it")] : "."),
    legend(area, state, languages, most),
    area.areas.length ? el("div", { class: "terrain" }, treemap(groups, { label: "Areas by lines", aspect: wide ? 2.3 : 0.8 })) : el("p", { class: "dim" }, "Nothing is defined in this file."),
  ];
}

const leaves = (area) => (area.areas.length ? area.areas.flatMap(leaves) : [area]);

function said(each, color) {
  const lines = plural(each.lines, "line");
  if (color === "used" && each.n_users) return `${lines}, used by ${plural(each.n_users, "file")}`;
  if (color === "question" && each.score) return `${lines}, score ${each.score.toFixed(2)}`;
  if (color === "problems" && each.n_problems) return `${lines}, ${plural(each.n_problems, "problem")}`;
  return each.n_files > 1 ? `${lines}, ${plural(each.n_files, "file")}` : lines;
}

/** The kind and strength of a cell's colour; the style sheet knows both schemes. */
function painted(each, color, languages, { most, best }) {
  const part = { tests: each.lines ? each.test_lines / each.lines : 0, used: Math.log1p(each.n_users) / Math.log1p(most), problems: Math.min(1, each.n_problems / Math.max(1, each.n_files)), question: each.score / best }[color];
  if (color === "language") {
    const n = languages.indexOf(each.language);
    return each.language ? { kind: "hued", vars: { "--hue": String(HUES[n % HUES.length]) } } : { kind: each.kind ? "match" : "" };
  }
  return { kind: `mixed ${color}`, vars: { "--part": `${Math.round(100 * Math.min(1, part || 0))}%` } };
}

function legend(area, state, languages, most) {
  if (state.color === "language") {
    return el("ul", { class: "legend" }, languages.slice(0, 14).map((name, n) => el("li", {}, el("span", { class: "swatch hued", "aria-hidden": "true", style: { "--hue": String(HUES[n % HUES.length]) } }), name)));
  }
  const ends = { tests: ["product code", "tests"], used: ["used by no other file", `used by ${plural(most, "file")}`], problems: ["read as a whole", "with problems"], question: ["no match", "best match"] }[state.color];
  return el("ul", { class: "legend" }, [0, 50, 100].map((part, n) => el("li", {}, el("span", { class: `swatch mixed ${state.color}`, "aria-hidden": "true", style: { "--part": `${part}%` } }), n === 1 ? "" : ends[n ? 1 : 0])),
    state.color === "question" && !state.question ? el("li", {}, "Write a question above.") : null);
}
