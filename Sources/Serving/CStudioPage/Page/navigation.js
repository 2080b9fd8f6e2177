// The list of models, the header of the selected model, and its tabs.

import * as api from "./api.js";
import { button, byId, element, markupNodes, reveal, setContent, setText } from "./dom.js";
import { modelKind } from "./format.js";
import { confirmRemoval } from "./import.js";
import { notify, showError } from "./notifications.js";
import {
  initialModel,
  modelNamed,
  navigate,
  onChange,
  selection,
  setState,
  studio,
  viewsOf,
} from "./state.js";

// MARK: Models

export function initModels() {
  onChange("state", () => {
    renderList();
    revealSelectedModel();
    renderHeader();
  });
  onChange("model", () => {
    renderList();
    revealSelectedModel();
    renderHeader();
    closeList();
  });
  byId("models-filter").addEventListener("input", renderList);
  byId("models-toggle").addEventListener("click", () =>
    setListOpen(!byId("models").classList.contains("open")),
  );
  addEventListener("keydown", (event) => event.key === "Escape" && closeList());
}

function setListOpen(isOpen) {
  byId("models").classList.toggle("open", isOpen);
  byId("models-toggle").setAttribute("aria-expanded", String(isOpen));
  if (isOpen) focusSelectedModel();
}

function revealSelectedModel() {
  const list = byId("models");
  const item = list.querySelector("[aria-current]");
  if (item) reveal(list, item);
}

const closeList = () => setListOpen(false);

/** Focuses the selected model, or else the first. */
export function focusSelectedModel() {
  const list = byId("models-list");
  (list.querySelector("[aria-current]") ?? list.querySelector("button"))?.focus();
}

function renderList() {
  const filter = byId("models-filter").value.trim().toLowerCase();
  byId("models-filter").hidden = studio.models.length < 9;
  const models = studio.models.filter((model) =>
    `${model.title} ${model.name} ${model.task}`.toLowerCase().includes(filter),
  );
  const list = byId("models-list");
  const focused = list.contains(document.activeElement)
    ? document.activeElement.dataset.name
    : null;
  setContent(
    list,
    models.map(listItem),
    models.length ? null : element("li.muted.is-empty", {}, "No matching models."),
  );
  if (focused) list.querySelector(`[data-name="${CSS.escape(focused)}"]`)?.focus();
}

function listItem(model) {
  const isSelected = model.name === selection.model;
  const subtitle = [
    modelKind(model) || model.name,
    model.missing_runtime ? `needs ${model.missing_runtime.name}` : null,
    model.name === studio.default_model ? "default" : null,
  ]
    .filter(Boolean)
    .join(" · ");
  return element(
    "li",
    {},
    element(
      "button.model",
      {
        type: "button",
        "data-name": model.name,
        "aria-current": isSelected ? "true" : null,
        click: () => navigate(model.name, offeredView(model)),
      },
      element("span.name", {}, model.title),
      element(
        model.error ? "span.subtitle.error" : "span.subtitle",
        {},
        model.error ? `Cannot be loaded: ${model.error}` : subtitle,
      ),
    ),
  );
}

// The tab of the previous model stays open, if the model has it.
function offeredView(model) {
  const offered = viewsOf(model);
  return offered.includes(selection.view) ? selection.view : offered[0];
}

function renderHeader() {
  const model = modelNamed(selection.model);
  byId("model-view").hidden = !model;
  byId("empty-state").hidden = !!model;
  if (!model) return renderEmpty();
  const { title } = model;
  setText(byId("model-task"), model.error ? "Invalid bundle" : modelKind(model) || "Model");
  setText(byId("model-name"), title);
  document.title = `${title} – TensorIO studio`;
  setContent(
    byId("model-default"),
    model.removable
      ? button("Remove", () => confirmRemoval(model), { kind: "button.button-plain.button-small" })
      : null,
    model.error ? null : defaultModelControl(model),
  );
  return undefined;
}

const defaultModelControl = (model) =>
  model.name === studio.default_model
    ? element(
        "span.badge",
        { title: "Used by the tensorio command when no model is named" },
        "Default model",
      )
    : button("Make default", () => makeDefault(model), {
        kind: "button.button-plain.button-small",
      });

/** Shows the details of the selected model's description. */
export const setDetails = (markup) => setContent(byId("model-details"), markupNodes(markup));

function renderEmpty() {
  document.title = "TensorIO studio";
  if (selection.problem) return renderUnknownAddress();
  return setContent(
    byId("empty-state"),
    element("h1", {}, "No models yet"),
    element(
      "p",
      {},
      "Drop a zipped bundle on this page to import it, or start the studio with a folder of bundles:",
    ),
    element("pre", { tabindex: "0" }, "tensorio studio bundles/"),
  );
}

function renderUnknownAddress() {
  const model = initialModel();
  return setContent(
    byId("empty-state"),
    element("h1", {}, "Unknown address"),
    element("p", {}, selection.problem),
    model ? button(`Open ${model.title}`, () => navigate(model.name, "try")) : null,
  );
}

async function makeDefault(model) {
  try {
    setState(await api.updateSettings({ default_model: model.name }));
    notify(`${model.title} is now the default model.`);
  } catch (error) {
    showError(error);
  }
}

// MARK: Tabs

export function initTabs() {
  const tabs = [...document.querySelectorAll("[role=tab]")];
  for (const tab of tabs) {
    tab.addEventListener("click", () => navigate(selection.model, tab.dataset.view));
    tab.addEventListener("keydown", (event) => moveFocus(event, tabs));
  }
  onChange("view", () => tabs.forEach(updateTab));
  onChange("state", () => tabs.forEach(updateTab));
}

function updateTab(tab) {
  const isSelected = tab.dataset.view === selection.view;
  tab.setAttribute("aria-selected", String(isSelected));
  tab.tabIndex = isSelected ? 0 : -1;
  tab.hidden = !viewsOf(modelNamed(selection.model)).includes(tab.dataset.view);
  byId(`view-${tab.dataset.view}`).hidden = !isSelected;
}

function moveFocus(event, tabs) {
  const visible = tabs.filter((tab) => !tab.hidden);
  const index = visible.indexOf(event.target);
  const count = visible.length;
  const target = {
    ArrowRight: (index + 1) % count,
    ArrowLeft: (index - 1 + count) % count,
    Home: 0,
    End: count - 1,
  }[event.key];
  if (target === undefined) return;
  event.preventDefault();
  visible[target].focus();
  visible[target].click();
}
