// The shared state of the page: the server's models and settings, and the user's selection.

import * as api from "./api.js";

/** The server's state. */
export const studio = {
  version: "",
  models: [],
  datasets: [],
  default_model: null,
  threads: 1,
  processors: 1,
  top: 5,
};

/** The selected model and tab. */
export const selection = { model: null, view: "try" };

/** The tabs of a model, in order. */
export const views = ["try", "about", "evaluate", "labels"];

/** Dispatches "state" when the server's state changes, and "model" and "view" for the selection. */
const stateEvents = new EventTarget();
const emit = (name) => stateEvents.dispatchEvent(new Event(name));

/** Calls `handler` on every event of a kind. */
export const onChange = (name, handler) => stateEvents.addEventListener(name, handler);

/** Replaces the server's state. */
export function setState(state) {
  Object.assign(studio, state);
  emit("state");
}

/** Reloads the server's state. */
export const refresh = async () => setState(await api.getState());

/** Returns the model with the given name. */
export const modelNamed = (name) => studio.models.find((model) => model.name === name);

/** Selects a model and a tab, and adds them to the browser's history. */
export function navigate(name, view = selection.view) {
  const hash = `#/${encodeURIComponent(name)}/${view}`;
  if (location.hash !== hash) history.pushState(null, "", hash);
  applyLocation();
}

/** Updates the selection from the location. */
export function applyLocation() {
  const [, name, view] = location.hash.split("/");
  const model =
    modelNamed(decoded(name)) ??
    modelNamed(studio.default_model) ??
    studio.models.find((each) => !each.error) ??
    studio.models[0];
  const previous = { ...selection };
  selection.model = model?.name ?? null;
  selection.view = views.includes(view) ? view : "try";
  if (selection.model !== previous.model) emit("model");
  if (selection.view !== previous.view || selection.model !== previous.model) emit("view");
}

function decoded(text) {
  try {
    return decodeURIComponent(text ?? "");
  } catch {
    return "";
  }
}
