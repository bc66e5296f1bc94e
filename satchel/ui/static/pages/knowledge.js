// What people and agents wrote down: by place and time, what calls for a look first.

import { post } from "../api.js";
import { el, failure, fill, number, plural, share, toast } from "../dom.js";

const KINDS = ["decision", "warning", "convention", "need", "question", "finding"];
const ORDERS = [
  ["score", "what matters most"],
  ["time", "newest first"],
  ["confidence", "surest first"],
];
const REASONED = {
  promote: "Promote",
  resolve: "Resolve",
  supersede: "Supersede",
  archive: "Archive",
};

/** Marks of items whose code changed or is gone, and of those that others contradict. */
const URGENT = new Set(["drifted", "orphaned", "contradicted"]);

export const title = (url) => url.searchParams.get("q") || "Knowledge";

export async function show(main, { url, rest, go }) {
  const state = {
    id: rest[0] || "",
    query: url.searchParams.get("q") || "",
    scope: url.searchParams.get("scope") || "",
    kind: url.searchParams.get("kind") || "",
    status: url.searchParams.get("status") || "open",
    order: url.searchParams.get("order") || "score",
  };
  const box = el("div", {});
  fill(main, el("h1", { class: "hidden" }, "Knowledge"), form(state, go), box);
  try {
    if (state.id) return fill(box, await oneItem(state.id, go));
    const found = await post("/api/knowledge", {
      query: state.query,
      scope: state.scope,
      kinds: state.kind ? [state.kind] : [],
      status: [state.status],
      order: state.order,
    });
    const isAll = addressOf(state) === "/knowledge";
    const isEmpty = !found.state || (isAll && !found.found.items.length);
    fill(box, isEmpty ? empty() : listed(found, state));
  } catch (error) {
    fill(box, failure(error));
  }
}

function addressOf(state) {
  const params = new URLSearchParams();
  if (state.query) params.set("q", state.query);
  for (const name of ["scope", "kind"]) if (state[name]) params.set(name, state[name]);
  if (state.status !== "open") params.set("status", state.status);
  if (state.order !== "score") params.set("order", state.order);
  return `/knowledge${params.size ? `?${params}` : ""}`;
}

function form(state, go) {
  const query = el("input", {
    id: "query",
    value: state.query,
    "data-ask": true,
    placeholder: "what did we decide about …",
    spellcheck: "false",
    autocomplete: "off",
  });
  const scope = el("input", {
    id: "scope",
    value: state.scope,
    placeholder: "path or symbol:Name",
    size: 18,
    spellcheck: "false",
    autocomplete: "off",
  });
  const choice = (id, label, value, options) =>
    el(
      "span",
      { class: "option" },
      el("label", { for: id }, label),
      el(
        "select",
        { id, onchange: () => send() },
        options.map(([key, name]) => el("option", { value: key, selected: key === value }, name)),
      ),
    );
  const send = () =>
    go(
      addressOf({
        query: query.value.trim(),
        scope: scope.value.trim(),
        kind: box.querySelector("#kind").value,
        status: box.querySelector("#status").value,
        order: box.querySelector("#order").value,
      }),
    );
  const box = el(
    "form",
    {
      class: "ask",
      onsubmit: (event) => {
        event.preventDefault();
        send();
      },
    },
    el("label", { class: "hidden", for: "query" }, "Question"),
    query,
    el("button", { class: "primary" }, "Recall"),
    el(
      "div",
      { class: "options" },
      choice("kind", "Kind", state.kind, [["", "all"], ...KINDS.map((kind) => [kind, kind])]),
      choice("status", "Status", state.status, [
        ["open", "open"],
        ["provisional", "provisional"],
        ["superseded", "superseded"],
        ["resolved", "resolved"],
        ["archived", "archived"],
        ["all", "every"],
      ]),
      choice("order", "Order", state.order, ORDERS),
      el("span", { class: "option" }, el("label", { for: "scope" }, "About"), scope),
    ),
  );
  return box;
}

function empty() {
  return el(
    "div",
    { class: "empty" },
    el("h2", {}, "Nothing is written down here."),
    el(
      "p",
      {},
      "Decisions, warnings and conventions appear here once a person or an agent has written one:",
    ),
    el(
      "pre",
      {},
      'satchel remember decision "Receivers are called in the order of connection"' +
        " --scope src/signals.py",
    ),
  );
}

/** What calls for a look comes first: code that changed under an item, and contradictions. */
function urgent(item) {
  return (item.marks || []).some((mark) => URGENT.has(mark.split(":")[0])) ? 0 : 1;
}

function listed({ state, found }, asked) {
  const facts = [
    [state.active_decisions, "decision"],
    [state.active_warnings, "warning"],
    [state.open_needs, "open need"],
    [state.unanswered_questions, "open question"],
  ]
    .filter(([n]) => n)
    .map(([n, name]) => plural(n, name));
  const items =
    asked.order === "score" ? [...found.items].sort((a, b) => urgent(a) - urgent(b)) : found.items;
  return [
    el(
      "p",
      {},
      facts.join(" · ") || "Nothing is open just now.",
      state.drifted
        ? el("strong", {}, ` · ${number(state.drifted)} about code that has changed since`)
        : "",
      el("span", { class: "dim" }, ` · ${state.recent_activity_summary}`),
    ),
    state.promotable.length
      ? el(
          "p",
          { class: "notice" },
          `${plural(state.promotable.length, "provisional decision")} could be promoted: `,
          state.promotable
            .slice(0, 5)
            .map((each) => [el("a", { href: `/knowledge/${each.id}` }, each.summary), " "]),
        )
      : null,
    items.length
      ? el(
          "ol",
          { class: "items" },
          items.map((item) => card(item, asked)),
        )
      : el("p", { class: "dim" }, "No item fits. Try other words, another kind, or every status."),
    found.omitted.length
      ? el("p", { class: "dim" }, `${plural(found.omitted.length, "item")} left out`)
      : null,
  ];
}

function card(item) {
  return el(
    "li",
    { class: `item kind-${item.kind}`, "data-item": true },
    el(
      "h2",
      {},
      el("span", { class: "badge" }, item.kind),
      " ",
      el("a", { href: `/knowledge/${item.id}` }, item.summary),
    ),
    item.detail ? el("p", {}, item.detail) : null,
    item.rationale ? el("p", {}, el("span", { class: "dim" }, "because "), item.rationale) : null,
    el(
      "p",
      { class: "dim" },
      [
        item.scope,
        item.status,
        `confidence ${share(item.confidence, 1)}`,
        item.created_at.slice(0, 10),
        ...(item.tags || []),
      ].join(" · "),
    ),
    (item.marks || []).length ? el("p", { class: "notice" }, item.marks.join(" · ")) : null,
  );
}

async function oneItem(id, go) {
  const { items } = await post("/api/knowledge/item", { id });
  const item = items[0];
  if (!item) return el("p", { class: "dim" }, "There is no such item.");
  const rows = [
    ["kind", item.kind],
    ["status", item.status],
    ["about", item.scope],
    ["confidence", share(item.confidence, 1)],
    ["importance", share(item.importance, 1)],
    ["checked", item.verification],
    ["written by", `${item.actor} (${item.source})`],
    ["at", item.created_at],
    ["shown", plural(item.uses, "time")],
    ["tags", item.tags.join(", ")],
  ].filter(([, value]) => value);
  return el(
    "article",
    { class: "one" },
    el("h2", { class: "big" }, item.summary),
    item.detail ? el("p", { class: "prose" }, item.detail) : null,
    item.rationale
      ? el("p", { class: "prose" }, el("strong", {}, "Because "), item.rationale)
      : null,
    el(
      "div",
      { class: "health" },
      el(
        "section",
        {},
        el("h2", {}, "About it"),
        el(
          "dl",
          { class: "facts" },
          rows.map(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]),
        ),
      ),
      el(
        "section",
        {},
        el("h2", {}, "Linked"),
        item.links.length
          ? el(
              "ul",
              { class: "plain mono" },
              item.links.map((link) =>
                el("li", {}, `${link.rel} ${link.src === item.id ? link.dst : link.src}`),
              ),
            )
          : el("p", { class: "dim" }, "To nothing."),
      ),
      el(
        "section",
        {},
        el("h2", {}, "History"),
        el(
          "ol",
          { class: "log" },
          item.history.map((event) =>
            el(
              "li",
              {},
              el("time", { datetime: event.at }, event.at.slice(0, 16).replace("T", " ")),
              ` ${event.actor}: ${event.action}`,
              event.to_status && event.to_status !== event.from_status
                ? ` → ${event.to_status}`
                : "",
              event.reason ? el("span", { class: "dim" }, ` ${event.reason}`) : null,
            ),
          ),
        ),
      ),
      changes(item, go),
    ),
  );
}

function changes(item, go) {
  const reason = el("input", { id: "reason", placeholder: "why" });
  const by = el("input", { id: "by", placeholder: "id of the item that replaces it", size: 22 });
  const act = async (action) => {
    if (!reason.value.trim()) {
      reason.focus();
      return toast("Say why");
    }
    try {
      const done = await post("/api/knowledge/revise", {
        id: item.id,
        action,
        reason: reason.value,
        by: by.value.trim(),
      });
      const refused = done.wrong_status[0];
      toast(refused ? refused.reason : `It is ${done.changed[0]?.status || "unchanged"}`);
      if (!refused) go(`/knowledge/${item.id}`, { replace: true });
    } catch (error) {
      toast(`${error.message}. ${error.hint}`);
    }
  };
  return el(
    "section",
    { id: "change" },
    el("h2", {}, "Change it"),
    el("p", { class: "option" }, el("label", { for: "reason" }, "Reason"), reason),
    el("p", { class: "option" }, el("label", { for: "by" }, "Replaced by"), by),
    el(
      "div",
      { class: "buttons" },
      Object.entries(REASONED).map(([action, name]) =>
        el("button", { type: "button", onclick: () => act(action) }, name),
      ),
    ),
  );
}
