// The settings dialog, and the color theme.

import * as api from "./api.js";
import { byId, closeButton, element, labeledField, setContent } from "./dom.js";
import { notify, showError } from "./notifications.js";
import { setState, studio } from "./state.js";
import { loadLocal, saveLocal } from "./storage.js";

// The server's limits.
const MAX_THREADS = 1024;
const MAX_TOP = 10_000;

export function initSettings() {
  byId("open-settings").addEventListener("click", openSettings);
  byId("theme-toggle").addEventListener("click", toggleTheme);
  darkScheme.addEventListener("change", applyTheme);
  applyTheme();
}

// MARK: Settings

function openSettings() {
  const dialog = byId("settings");
  const threads = element("input", {
    type: "number",
    min: 1,
    max: MAX_THREADS,
    required: true,
    value: studio.threads,
  });
  const top = element("input", {
    type: "number",
    min: 1,
    max: MAX_TOP,
    required: true,
    value: studio.top,
  });
  const defaultModelSelect = element(
    "select",
    {},
    element("option", { value: "" }, "none"),
    studio.models
      .filter((model) => !model.error)
      .map((model) => element("option", { value: model.name }, model.title)),
  );
  defaultModelSelect.value = studio.default_model ?? "";
  const submit = (event) => {
    event.preventDefault();
    dialog.close();
    saveSettings({
      threads: Number(threads.value),
      top: Number(top.value),
      default_model: defaultModelSelect.value || null,
    });
  };
  setContent(
    dialog,
    element(
      "div.dialog-header",
      {},
      element("h2", { id: "settings-title" }, "Settings"),
      closeButton(dialog),
    ),
    element(
      "form",
      { submit },
      labeledField(
        "Threads per run",
        threads,
        `This machine has ${studio.processors} processors. A change reloads the models.`,
      ),
      labeledField("Labels shown", top, "The labels with the highest scores."),
      labeledField(
        "Default model",
        defaultModelSelect,
        "Shown first, and used by the tensorio command when no model is named.",
      ),
      element("div.row", {}, element("button.button-primary", { type: "submit" }, "Save")),
    ),
    element("p.muted.fine-print", {}, `TensorIO ${studio.version}`),
  );
  dialog.showModal();
}

/** Sends the settings that differ from the current ones; null clears the default model. */
async function saveSettings(settings) {
  const changes = Object.fromEntries(
    Object.entries(settings).filter(([name, value]) => value !== studio[name]),
  );
  if (!Object.keys(changes).length) return;
  try {
    setState(await api.updateSettings(changes));
    notify("Settings saved.");
  } catch (error) {
    showError(error);
  }
}

// MARK: Theme

const darkScheme = matchMedia("(prefers-color-scheme: dark)");
const systemTheme = () => (darkScheme.matches ? "dark" : "light");
const currentTheme = () => loadLocal("theme", null) ?? systemTheme();
const otherTheme = () => (currentTheme() === "dark" ? "light" : "dark");

function toggleTheme() {
  const theme = otherTheme();
  saveLocal("theme", theme === systemTheme() ? null : theme);
  applyTheme();
}

function applyTheme() {
  document.documentElement.dataset.theme = currentTheme();
  const toggle = byId("theme-toggle");
  const title = `Switch to ${otherTheme()} colors`;
  toggle.setAttribute("aria-label", title);
  toggle.title = title;
  toggle.textContent = currentTheme() === "dark" ? "☀" : "☾";
}
