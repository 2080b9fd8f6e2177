// Threads, how many labels are shown, the default model; and the look of the page.

import * as api from "./api.js";
import { byId, element, fill, labelled } from "./dom.js";
import { keep, recall } from "./kept.js";
import { complain, notice } from "./notices.js";
import { changes, studio, take } from "./state.js";

export function beginSettings() {
  byId("open-settings").addEventListener("click", open);
  byId("theme").addEventListener("click", turn);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", paint);
  paint();
}

function open() {
  const threads = element("input", { type: "number", min: 1, max: 64, required: true, value: studio.threads });
  const top = element("input", { type: "number", min: 1, max: 1000, required: true, value: studio.top });
  const standard = element("select", {}, element("option", { value: "" }, "none"),
    studio.models.filter((model) => !model.broken).map((model) => element("option",
      { value: model.name, selected: model.name === studio.default }, model.title)));
  standard.value = studio.default ?? "";
  const form = element("form", { submit: (event) => { event.preventDefault(); save({ threads: Number(threads.value), top: Number(top.value), default: standard.value || null }); } },
    labelled("Threads for one run", threads,
      `This machine has ${studio.processors}. Models are opened anew when this changes.`),
    labelled("Labels shown", top, "The best ones of an answer."),
    labelled("Default model", standard, "Shown first, and taken by tensorio when nothing else is said."),
    element("div.row", {}, element("button.main", { type: "submit" }, "Save")));
  fill(byId("settings"), element("div.dialog-head", {}, element("h2", { id: "settings-title" }, "Settings"),
    closer(byId("settings"))), form,
    element("p.soft.fine", {}, `TensorIO ${studio.version}`));
  byId("settings").showModal();
}

export const closer = (dialog) => element("button.plain.icon",
  { type: "button", "aria-label": "Close", click: () => dialog.close() }, "×");

async function save(wanted) {
  const changed = Object.fromEntries(Object.entries(wanted).filter(([name,
    value]) => value !== studio[name] && value !== null));
  byId("settings").close();
  if (!Object.keys(changed).length) return;
  try {
    take(await api.change(changed));
    changes.dispatchEvent(new Event("settings"));
    notice("Settings are saved.");
  } catch (failure) {
    complain(failure);
  }
}

const isDark = () => (recall("theme",
  null) ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";

function turn() {
  const wanted = isDark() ? "light" : "dark";
  const own = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  keep("theme", wanted === own ? null : wanted);
  paint();
}

function paint() {
  document.documentElement.dataset.theme = isDark() ? "dark" : "light";
  const next = isDark() ? "light" : "dark";
  byId("theme").setAttribute("aria-label", `Change to ${next} colours`);
  byId("theme").title = `Change to ${next} colours`;
  byId("theme").textContent = isDark() ? "☀" : "☾";
}
