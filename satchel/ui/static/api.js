// Asks the server. Reading is POST as well where a question may be long.

let changeToken = "";

export class Failure extends Error {
  constructor(message, hint, status) {
    super(message);
    this.hint = hint;
    this.status = status;
  }
}

async function answered(response) {
  const found = await response
    .json()
    .catch(() => ({ error: `The server said ${response.status}` }));
  if (!response.ok || found.error) throw new Failure(found.error, found.hint, response.status);
  return found;
}

async function sent(path, options) {
  try {
    return await fetch(path, { credentials: "same-origin", ...options });
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
  const headers = { "content-type": "application/json", "x-satchel-token": changeToken };
  return answered(
    await sent(path, { method: "POST", headers, body: JSON.stringify(body), signal }),
  );
}

/** Trade the token in the address for a cookie, once, and learn whose page this is. */
export async function session() {
  const token = new URLSearchParams(location.hash.slice(1)).get("token");
  if (token) {
    history.replaceState(history.state, "", location.pathname + location.search);
    await post("/session", { token });
  }
  const found = await get("/api/session");
  changeToken = found.change_token;
  return found;
}
