// The server: every request, and every way in which one fails, as a plain sentence.

/** A request that came to nothing. */
export class Failure extends Error {
  constructor(sentence, status, code, answer) {
    super(sentence);
    Object.assign(this, { status, code, answer });
  }

  /** The small print. */
  get fine() {
    return [this.status ? `status ${this.status}` : null, this.code].filter(Boolean).join(", ");
  }
}

/** Says "lost" when the server does not answer, and "found" when it does again. */
export const connection = new EventTarget();
let isLost = false;

const sentences = {
  401: "The server wants a token that this page does not have.",
  403: "The server does not take this from here.",
  404: "The server does not know this any more.",
  405: "The server does not do this.",
  408: "The server waited too long for the whole request.",
  413: "This is larger than the server takes.",
  415: "The server cannot read this kind of file.",
  422: "The model cannot take this.",
  429: "The server has too much to do; try again in a moment.",
  500: "Something went wrong inside the server.",
  503: "The server has too much to do, or is stopping; try again in a moment.",
};

/** Asks the server for something, and gives what it answers. */
export async function ask(path, options = {}) {
  const response = await fetch(path, options).catch((error) => {
    if (error.name === "AbortError") throw error;
    lose();
    throw new Failure("The server does not answer.", 0, "offline");
  });
  find();
  if (response.status === 204) return null;
  const answer = await body(response);
  if (response.ok) return answer;
  const told = answer?.error?.message;
  throw new Failure(
    told ? sentence(told) : sentences[response.status] ?? "The server refused this.",
    response.status, answer?.error?.code, answer);
}

/** Asks again, a little later each time, while the server has too much to do. */
export async function patiently(request, tries = 20) {
  for (let wait = 100; ; wait = Math.min(wait * 1.5, 2000)) {
    try {
      return await request();
    } catch (failure) {
      if (failure.code !== "overloaded" || --tries === 0) throw failure;
      await new Promise((done) => setTimeout(done, wait));
    }
  }
}

async function body(response) {
  const text = await response.text();
  try {
    return JSON.parse(text);
  } catch {
    if (!response.ok) return null;
    throw new Failure("The server's answer cannot be read.", response.status, "not-json");
  }
}

const sentence = (text) => text[0].toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? "" : ".");

function lose() {
  if (isLost) return;
  isLost = true;
  connection.dispatchEvent(new Event("lost"));
}

function find() {
  if (!isLost) return;
  isLost = false;
  connection.dispatchEvent(new Event("found"));
}

const json = (method, value, signal) => ({
  method, signal, body: JSON.stringify(value), headers: { "Content-Type": "application/json" },
});
const picture = (blob, signal) => ({
  method: "POST", signal, body: blob, headers: { "Content-Type": blob.type || "application/octet-stream" },
});
const at = encodeURIComponent;
const api = "/studio/api";

export const state = () => ask(`${api}/state`);
export const change = (settings) => ask(`${api}/settings`, json("PUT", settings));
export const model = (name, signal) => ask(`/v2/models/${at(name)}`, { signal });
export const description = (name) => ask(`${api}/models/${at(name)}/description`);
export const samples = (name) => ask(`${api}/models/${at(name)}/samples`);
export const isAlive = () => ask("/v2/health/live");

/** Runs a model on a picture, or on values by the names of its inputs. */
export async function predict(name, input, wishes = {}, signal) {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(wishes)) if (value !== null && value !== undefined) query.set(key,
    value);
  const path = `/v2/models/${at(name)}/predict?${query}`;
  const answer = await ask(path, input instanceof Blob ? picture(input, signal) : json("POST", input, signal));
  return Array.isArray(answer) ? answer[0] : answer;
}

export const seen = (name, blob, signal) => ask(`${api}/models/${at(name)}/seen`, picture(blob, signal));

export const evaluations = {
  begin: (model, data) => ask(`${api}/evaluations`, json("POST", { model, data })),
  add: (id, path, blob, signal) => ask(`${api}/evaluations/${at(id)}/items?path=${at(path)}`,
    picture(blob, signal)),
  start: (id) => ask(`${api}/evaluations/${at(id)}/start`, { method: "POST" }),
  progress: (id) => ask(`${api}/evaluations/${at(id)}`),
  cancel: (id) => ask(`${api}/evaluations/${at(id)}`, { method: "DELETE" }),
  picture: (id, name) => `${api}/evaluations/${at(id)}/picture?name=${at(name)}`,
  exported: (id, format) => `${api}/evaluations/${at(id)}/report.${format}`,
};

export const importBundle = (blob, name, replace) =>
  ask(`${api}/import?name=${at(name)}&replace=${replace ? 1 : 0}`, {
    method: "POST", body: blob, headers: { "Content-Type": "application/zip" },
  });
