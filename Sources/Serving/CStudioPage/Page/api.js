// Requests to the server. Every failure becomes an APIError with a readable message.

/** A failed request. */
class APIError extends Error {
  constructor(message, status, code, body) {
    super(message);
    Object.assign(this, { status, code, body });
  }

  /** The status and the code, for the fine print. */
  get detail() {
    return [this.status ? `status ${this.status}` : null, this.code].filter(Boolean).join(", ");
  }
}

/** Dispatches "offline" when the server stops responding, and "online" when it responds again. */
export const connection = new EventTarget();
let isOffline = false;

const statusMessages = {
  401: "The server requires a token.",
  403: "The server rejected the request.",
  404: "The server no longer has this resource.",
  405: "The server does not support this request.",
  408: "The request took too long to arrive.",
  413: "The data exceeds the server's limit.",
  415: "The server does not support this file type.",
  422: "The model cannot process this input.",
  429: "The server is busy; try again in a moment.",
  500: "The server encountered an error.",
  503: "The server is busy or stopping; try again in a moment.",
};

/** Sends a request and returns the parsed response. */
export async function request(path, options = {}) {
  const response = await fetch(path, options).catch((error) => {
    if (error.name === "AbortError") throw error;
    markOffline();
    throw new APIError("The server is not responding.", 0, "offline");
  });
  markOnline();
  if (response.status === 204) return null;
  const body = await parseBody(response);
  if (response.ok) return body;
  const serverMessage = body?.error;
  throw new APIError(
    serverMessage
      ? asSentence(serverMessage)
      : (statusMessages[response.status] ?? "The server rejected the request."),
    response.status,
    body?.code,
    body,
  );
}

/** Repeats a request with increasing delays while the server is overloaded. */
export async function retryWhileOverloaded(send, maxAttempts = 20) {
  for (let attempts = 1, delay = 100; ; attempts += 1, delay = Math.min(delay * 1.5, 2000)) {
    try {
      return await send();
    } catch (error) {
      if (error.code !== "overloaded" || attempts === maxAttempts) throw error;
      await new Promise((resolve) => setTimeout(resolve, delay));
    }
  }
}

async function parseBody(response) {
  const text = await response.text();
  try {
    return JSON.parse(text);
  } catch {
    if (!response.ok) return null;
    throw new APIError(
      "The server's response is not valid JSON.",
      response.status,
      "invalid-response",
    );
  }
}

/** Returns a message as a sentence. A first word that may be a file name or a quotation is unchanged. */
export const asSentence = (text) =>
  (/^[a-z]+[ ,;]/.test(text) ? text[0].toUpperCase() + text.slice(1) : text) +
  (/[.!?]$/.test(text) ? "" : ".");

function markOffline() {
  if (isOffline) return;
  isOffline = true;
  connection.dispatchEvent(new Event("offline"));
}

function markOnline() {
  if (!isOffline) return;
  isOffline = false;
  connection.dispatchEvent(new Event("online"));
}

const jsonRequest = (method, value, signal) => ({
  method,
  signal,
  body: JSON.stringify(value),
  headers: { "Content-Type": "application/json" },
});
const imageRequest = (blob, signal) => ({
  method: "POST",
  signal,
  body: blob,
  headers: { "Content-Type": blob.type || "application/octet-stream" },
});
const apiRoot = "/studio/api";
const modelRoot = (name) => `${apiRoot}/models/${encodeURIComponent(name)}`;
const evaluationRoot = (id) => `${apiRoot}/evaluations/${encodeURIComponent(id)}`;

export const getState = () => request(`${apiRoot}/state`);
export const updateSettings = (settings) =>
  request(`${apiRoot}/settings`, jsonRequest("PUT", settings));
export const getModel = (name, signal) =>
  request(`/v2/models/${encodeURIComponent(name)}`, { signal });
export const getDescription = (name) => request(`${modelRoot(name)}/description`);
export const getCard = (name) => request(`${modelRoot(name)}/card`);
/** Returns the names of the inputs that take text. */
export const getTextInputs = (name) => request(`${modelRoot(name)}/text-inputs`);
export const getSamples = (name) => request(`${modelRoot(name)}/samples`);
export const checkHealth = () => request("/v2/health/live");

/** Runs a model on an image, or on values by input name. */
export async function predict(name, input, parameters = {}, signal) {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(parameters)) {
    if (value !== null && value !== undefined) query.set(key, value);
  }
  const path = `/v2/models/${encodeURIComponent(name)}/predict?${query}`;
  const body = await request(
    path,
    input instanceof Blob ? imageRequest(input, signal) : jsonRequest("POST", input, signal),
  );
  return Array.isArray(body) ? body[0] : body;
}

export const preprocess = (name, blob, signal) =>
  request(`${modelRoot(name)}/preprocess`, imageRequest(blob, signal));

export const evaluations = {
  create: (model, dataset) =>
    request(`${apiRoot}/evaluations`, jsonRequest("POST", { model, dataset })),
  addImage: (id, path, blob, signal) =>
    request(
      `${evaluationRoot(id)}/items?path=${encodeURIComponent(path)}`,
      imageRequest(blob, signal),
    ),
  start: (id) => request(`${evaluationRoot(id)}/start`, { method: "POST" }),
  status: (id) => request(evaluationRoot(id)),
  cancel: (id) => request(evaluationRoot(id), { method: "DELETE" }),
  imageURL: (id, name) => `${evaluationRoot(id)}/image?name=${encodeURIComponent(name)}`,
  reportURL: (id, format) => `${evaluationRoot(id)}/report.${format}`,
};

export const importBundle = (blob, name, replace) =>
  request(`${apiRoot}/import?name=${encodeURIComponent(name)}&replace=${replace ? 1 : 0}`, {
    method: "POST",
    body: blob,
    headers: { "Content-Type": "application/zip" },
  });

/** Teaches a model classes from examples with a label and an image in Base64. */
export const teach = (model, name, examples, unknownRate) =>
  request(
    `${modelRoot(model)}/teach`,
    jsonRequest("POST", { name, examples, unknown_rate: unknownRate }),
  );
