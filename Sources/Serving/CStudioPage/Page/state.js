// The shared state of the page: the server's models and settings, and the user's selection.

import * as api from "./api.js";
import { compareNames } from "./format.js";

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

/** The selected model and tab; `problem` is the reason why an address selects none. */
export const selection = { model: null, view: "try", problem: null };

/** The tabs of a model, in order. */
export const views = ["try", "about", "images", "evaluate", "labels", "teach"];

/** The tabs that are offered for a model. An invalid bundle has only its error. */
export const viewsOf = (model) =>
  model?.error ? ["about"] : views.filter((view) => view !== "images" || takesImage(model));

/** Whether a model takes one image; those of chains that are not open yet are not known to take anything else. */
export const takesImage = (model) => {
  const inputs = model?.inputs;
  return !inputs || (inputs.length === 1 && inputs[0] === "image");
};

/** The models that can be run on the inputs of another one. */
export const comparableModels = (name) => {
  const types = (model) => (takesImage(model) ? "image" : model.inputs.join());
  const model = modelNamed(name);
  return studio.models.filter(
    (each) => isRunnable(each) && each.name !== name && types(each) === types(model),
  );
};

/** Dispatches "state" when the server's state changes, and "model" and "view" for the selection. */
const stateEvents = new EventTarget();
const emit = (name) => stateEvents.dispatchEvent(new Event(name));

/** Calls `handler` on every event of a kind. */
export const onChange = (name, handler) => stateEvents.addEventListener(name, handler);

/** Replaces the server's state. */
export function setState(state) {
  Object.assign(studio, state);
  studio.models = studio.models
    .map((model) => ({ ...model, title: model.title || model.name }))
    .sort((one, other) => compareNames(one.title, other.title));
  studio.datasets.sort((one, other) => compareNames(one.name, other.name));
  emit("state");
}

/** Reloads the server's state. */
export const refresh = async () => setState(await api.getState());

/** Returns the model with the given name. */
export const modelNamed = (name) => studio.models.find((model) => model.name === name);

/** Selects a model and a tab, and adds them to the browser's history. */
export function navigate(name, view = selection.view) {
  const hash = name ? `#/${encodeURIComponent(name)}/${view}` : "#";
  if (location.hash !== hash) history.pushState(null, "", hash);
  applyLocation();
}

/** Updates the selection from the location. Without an address, the default model is selected. */
export function applyLocation() {
  const previous = { ...selection };
  const [start, name, view] = location.hash.split("/");
  if (start === "#" && name) {
    const model = modelNamed(decoded(name));
    selection.problem = addressProblem(model, decoded(name), view);
    selection.model = selection.problem ? null : model.name;
    const offered = viewsOf(model);
    selection.view = offered.includes(view) ? view : offered[0];
  } else if (start === "#" || !location.hash || !selection.model) {
    Object.assign(selection, { model: initialModel()?.name ?? null, view: "try", problem: null });
  }
  const isChanged = (key) => selection[key] !== previous[key];
  if (isChanged("model") || isChanged("problem")) emit("model");
  if (isChanged("model") || isChanged("problem") || isChanged("view")) emit("view");
}

/** Whether a model's bundle is valid and its runtime is installed. */
export const isRunnable = (model) => !model.error && !model.missing_runtime;

/** The model that is selected without an address: one that can be run, if there is any. */
export const initialModel = () =>
  modelNamed(studio.default_model) ??
  studio.models.find(isRunnable) ??
  studio.models.find((each) => !each.error) ??
  studio.models[0];

function addressProblem(model, name, view) {
  if (!model) return `This studio has no model named “${name}”.`;
  if (view && !views.includes(view)) {
    return `A model has no tab “${view}”. The tabs are ${views.join(", ")}.`;
  }
  return null;
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
