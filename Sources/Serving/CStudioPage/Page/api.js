// Requests to the server. Every failure becomes an APIError with a readable message.

/** A failed request. */
export class APIError extends Error {
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
  const response = await send(path, options);
  return response.status === 204 ? null : parseBody(response);
}

/** Sends a request and returns the response, unless it is an error. */
async function send(path, options) {
  const response = await fetch(path, options).catch((error) => {
    if (error.name === "AbortError") throw error;
    markOffline();
    throw new APIError("The server is not responding.", 0, "offline");
  });
  markOnline();
  if (response.ok) return response;
  const body = await parseBody(response);
  throw new APIError(
    serverMessage(body) ?? statusMessages[response.status] ?? "The server rejected the request.",
    response.status,
    body?.code ?? body?.error?.code,
    body,
  );
}

/** Returns the message of an error, which is a text, or an object on OpenAI's routes. */
function serverMessage(body) {
  const { message = body?.error, param } = body?.error ?? {};
  if (typeof message !== "string") return undefined;
  return param ? `${param}: ${asSentence(message)}` : asSentence(message);
}

/** Yields the events of a response that the server makes while it is sent. */
async function* eventsOf(response) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let pending = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) throw new APIError("The connection was closed before the end of the text.");
    const lines = (pending + value).split("\n");
    pending = lines.pop();
    for (const line of lines.filter((each) => each.startsWith("data: "))) {
      const text = line.slice("data: ".length).trim();
      if (text === "[DONE]") return;
      const event = JSON.parse(text);
      const message = serverMessage(event);
      if (message) throw new APIError(message, 0, event.error.code);
      yield event;
    }
  }
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
/** Returns the labels of the model's first output that has some. */
export const getLabels = (name) => request(`${modelRoot(name)}/labels`);
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

/**
 * Yields the parts of an answer to messages, or of the continuation of a prompt, with their tokens:
 * `{text, tokens: [{token, logprob, top_logprobs}], reason}`.
 */
export async function* generate(name, { messages, prompt, ...options }, signal) {
  const path = messages ? "/v1/chat/completions" : "/v1/completions";
  const tokens = messages ? { logprobs: true, top_logprobs: 5 } : { logprobs: 5 };
  const value = { model: name, messages, prompt, stream: true, ...tokens, ...options };
  const response = await send(path, jsonRequest("POST", value, signal));
  for await (const { choices } of eventsOf(response)) {
    const [choice] = choices;
    yield {
      text: choice.delta?.content ?? choice.text ?? "",
      tokens: choice.logprobs?.content ?? continuationTokens(choice.logprobs),
      reason: choice.finish_reason,
    };
  }
}

/** Returns the tokens of a continuation in the form of those of an answer. */
const continuationTokens = (probabilities) =>
  (probabilities?.tokens ?? []).map((token, index) => ({
    token,
    logprob: probabilities.token_logprobs[index],
    top_logprobs: Object.entries(probabilities.top_logprobs?.[index] ?? {}).map(
      ([name, logprob]) => ({ token: name, logprob }),
    ),
  }));

export const preprocess = (name, blob, signal) =>
  request(`${modelRoot(name)}/preprocess`, imageRequest(blob, signal));

export const evaluations = {
  create: (options) => request(`${apiRoot}/evaluations`, jsonRequest("POST", options)),
  addImage: (id, path, blob, signal) =>
    request(
      `${evaluationRoot(id)}/items?path=${encodeURIComponent(path)}`,
      imageRequest(blob, signal),
    ),
  addAnnotations: (id, { name, text }) =>
    request(`${evaluationRoot(id)}/annotations?name=${name}`, { method: "POST", body: text }),
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

const downloadRoot = (id) => `${apiRoot}/downloads/${encodeURIComponent(id)}`;

/** What the server downloads by a URL or the name of a model. */
export const downloads = {
  start: (source, replace) =>
    request(`${apiRoot}/downloads`, jsonRequest("POST", { source, replace })),
  status: (id) => request(downloadRoot(id)),
  cancel: (id) => request(downloadRoot(id), { method: "DELETE" }),
  importDraft: (id, description, name, replace) =>
    request(`${downloadRoot(id)}/import`, jsonRequest("POST", { description, name, replace })),
};

/** Returns the datasets of the studio; those that do not fit the model have the reason as `error`. */
export const getDatasets = (name) => request(`${modelRoot(name)}/datasets`);
export const removeModel = (name) => request(modelRoot(name), { method: "DELETE" });

const videoRoot = (id) => `${apiRoot}/videos/${encodeURIComponent(id)}`;

/** Videos on whose frames the server runs a model. */
export const videos = {
  create: (model) => request(`${apiRoot}/videos`, jsonRequest("POST", { model })),
  append: (id, offset, part) =>
    request(`${videoRoot(id)}/data?offset=${offset}`, { method: "POST", body: part }),
  start: (id, options) => request(`${videoRoot(id)}/start`, jsonRequest("POST", options)),
  status: (id, signal) => request(videoRoot(id), { signal }),
  frame: (id, index, signal) => request(`${videoRoot(id)}/frames/${index}`, { signal }),
  image: async (id, index, signal) =>
    (await send(`${videoRoot(id)}/frames/${index}/image`, { signal })).blob(),
  lines: async (id) => (await send(`${videoRoot(id)}/lines`)).text(),
  close: (id, keepalive = false) => request(videoRoot(id), { method: "DELETE", keepalive }),
};

const transcriptRoot = (id) => `${apiRoot}/transcripts/${encodeURIComponent(id)}`;

/** Transcripts of sound that is sent in pieces of one channel with 16 bits. */
export const transcripts = {
  create: (model, rate) =>
    request(`${apiRoot}/transcripts`, jsonRequest("POST", { model, sample_rate: rate })),
  append: (id, offset, segmentCount, piece) =>
    request(`${transcriptRoot(id)}/sound?offset=${offset}&segments=${segmentCount}`, {
      method: "POST",
      body: piece,
    }),
  finish: (id) => request(`${transcriptRoot(id)}/finish`, { method: "POST" }),
  close: (id, keepalive = false) => request(transcriptRoot(id), { method: "DELETE", keepalive }),
};

/** Drafts a bundle for a model without a description. */
export const draft = (file) =>
  request(`${apiRoot}/draft?name=${encodeURIComponent(file.name)}`, {
    method: "POST",
    body: file,
    headers: { "Content-Type": "application/octet-stream" },
  });

/** Teaches a model classes from examples with a label and an image in Base64. */
export const teach = (model, name, examples, unknownRate) =>
  request(
    `${modelRoot(model)}/teach`,
    jsonRequest("POST", { name, examples, unknown_rate: unknownRate }),
  );
