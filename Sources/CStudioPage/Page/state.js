// What the whole page knows: the server's models and settings, and what is chosen.

import * as api from "./api.js";

/** What the server says of itself. */
export const studio = { version: "", models: [], data: [], default: null, threads: 1, processors: 1, top: 5 };

/** What is chosen. */
export const chosen = { model: null, view: "try" };

/** Says "state" when the server's words changed, "model" and "view" when somebody chose. */
export const changes = new EventTarget();
const announce = (what) => changes.dispatchEvent(new Event(what));

/** Calls back at every change of a kind. */
export const when = (what, call) => changes.addEventListener(what, call);

/** Takes over what the server says. */
export function take(state) {
  Object.assign(studio, state);
  announce("state");
}

/** Asks the server what there is. */
export const refresh = async () => take(await api.state());

/** What is known of a model by its name. */
export const modelNamed = (name) => studio.models.find((model) => model.name === name);

/** Chooses a model, and what to do with it; the address remembers both. */
export function choose(name, view = chosen.view) {
  const address = `#/${encodeURIComponent(name)}/${view}`;
  if (location.hash !== address) history.pushState(null, "", address);
  follow();
}

/** Does what the address says. */
export function follow() {
  const [, name, view] = location.hash.split("/");
  const wanted = modelNamed(decoded(name)) ?? modelNamed(studio.default)
    ?? studio.models.find((model) => !model.broken) ?? studio.models[0];
  const hadModel = chosen.model, hadView = chosen.view;
  chosen.model = wanted?.name ?? null;
  chosen.view = ["try", "about", "evaluate", "labels"].includes(view) ? view : "try";
  if (chosen.model !== hadModel) announce("model");
  if (chosen.view !== hadView || chosen.model !== hadModel) announce("view");
}

function decoded(text) {
  try {
    return decodeURIComponent(text ?? "");
  } catch {
    return "";
  }
}
