// The list of models, and the head of the one that is chosen.

import { button, byId, element, fill, tell } from "./dom.js";
import * as api from "./api.js";
import { inline } from "./markdown.js";
import { complain, notice } from "./notices.js";
import { choose, chosen, modelNamed, studio, take, when } from "./state.js";
import { task } from "./words.js";

export function beginModels() {
  when("state", () => { list(); head(); });
  when("model", () => { list(); head(); close(); });
  byId("models-filter").addEventListener("input", list);
  byId("models-toggle").addEventListener("click", () => open(!byId("models").classList.contains("open")));
  addEventListener("keydown", (event) => event.key === "Escape" && close());
}

function open(isOpen) {
  byId("models").classList.toggle("open", isOpen);
  byId("models-toggle").setAttribute("aria-expanded", String(isOpen));
  if (isOpen) focusChosen();
}

/** Goes to the model that is chosen, or else the first. */
export function focusChosen() {
  const list = byId("models-list");
  (list.querySelector("[aria-current]") ?? list.querySelector("button"))?.focus();
}

const close = () => open(false);

function list() {
  const wanted = byId("models-filter").value.trim().toLowerCase();
  byId("models-filter").hidden = studio.models.length < 9;
  const shown = studio.models.filter((model) => `${model.title} ${model.name} ${model.task}`.toLowerCase().includes(wanted));
  const focused = byId("models-list").contains(document.activeElement) ? document.activeElement.dataset.name : null;
  fill(byId("models-list"), shown.map(item),
    shown.length ? null : element("li.soft.none", {}, "No model has this name."));
  if (focused) byId("models-list").querySelector(`[data-name="${CSS.escape(focused)}"]`)?.focus();
}

function item(model) {
  const isChosen = model.name === chosen.model;
  return element("li", {}, element("button.model", {
    type: "button", "data-name": model.name, "aria-current": isChosen ? "true" : null,
      click: () => choose(model.name, model.broken ? "about" : chosen.view),
  },
    element("span.name", {}, model.title || model.name),
    element(model.broken ? "span.sub.bad" : "span.sub", {},
      model.broken ? `Cannot be opened: ${model.broken}` : [task(model.task) || model.name,
        model.name === studio.default ? "default" : null].filter(Boolean).join(" · "))));
}

function head() {
  const model = modelNamed(chosen.model);
  byId("model").hidden = !model;
  byId("welcome").hidden = !!model;
  if (!model) return empty();
  tell(byId("model-task"), model.broken ? "Broken" : task(model.task) || "Model");
  tell(byId("model-name"), model.title || model.name);
  document.title = `${model.title || model.name} – TensorIO studio`;
  fill(byId("model-default"), model.broken ? null : model.name === studio.default
    ? element("span.badge", { title: "Taken when nothing else is said" }, "Default model")
    : button("Make it the default", () => makeDefault(model), { kind: "button.plain.small" }));
  return undefined;
}

/** What the model's own description says, once it is known. */
export const details = (text) => fill(byId("model-details"), inline(text ?? ""));

function empty() {
  fill(byId("welcome"), element("h1", {}, "No models yet"),
    element("p", {}, "Drop a zipped bundle on this page to import it, or start the studio with a folder of bundles:"),
    element("pre", { tabindex: "0" }, "tensorio studio bundles/"));
}

async function makeDefault(model) {
  try {
    take(await api.change({ default: model.name }));
    notice(`${model.title} is the default model now.`);
  } catch (failure) {
    complain(failure);
  }
}
