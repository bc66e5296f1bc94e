// Asks the server. Reading is POST as well where a question may be long.

// The storage of an origin is for one port of this machine; a cookie is for all of them.
const SESSION = "satchel-session";

export class Failure extends Error {
  constructor(message, hint, status, kind = "") {
    super(message);
    this.hint = hint;
    this.status = status;
    this.kind = kind;
  }
}

async function answered(response) {
  const found = await response
    .json()
    .catch(() => ({ error: `The server said ${response.status}` }));
  if (!response.ok || found.error)
    throw new Failure(found.error, found.hint, response.status, found.kind);
  return found;
}

async function sent(path, { headers, ...options }) {
  const authorization = `Bearer ${localStorage.getItem(SESSION) ?? ""}`;
  try {
    return await fetch(path, {
      credentials: "omit",
      headers: { ...headers, authorization },
      ...options,
    });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Failure(
      "satchel ui does not answer",
      "start it again, and open the address it prints",
      0,
    );
  }
}

export async function get(path, signal) {
  return answered(await sent(path, { signal }));
}

export async function post(path, body = {}, signal) {
  const headers = { "content-type": "application/json" };
  return answered(
    await sent(path, { method: "POST", headers, body: JSON.stringify(body), signal }),
  );
}

/** Call `heard` with each event of a stream; resolves when the stream ends. */
export async function events(path, heard) {
  const response = await sent(path, {});
  if (!response.ok) await answered(response);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const said = (text + value).split("\n\n");
    text = said.pop();
    for (const each of said) heard(JSON.parse(each.slice("data: ".length)));
  }
}

/** Trade the token in the address for a session, and learn whose page this is. */
export async function session() {
  const token = new URLSearchParams(location.hash.slice(1)).get("token");
  if (token) {
    history.replaceState(history.state, "", location.pathname + location.search);
    localStorage.setItem(SESSION, (await post("/session", { token })).session);
  }
  return get("/api/session");
}
