// Importing a packed bundle, with all that the validator says of it.

import * as api from "./api.js";
import { button, byId, element, fill, labelled } from "./dom.js";
import { say } from "./notices.js";
import { choose, refresh } from "./state.js";
import { bytes, count } from "./words.js";

const dialog = () => byId("import");

export function beginImport() {
  byId("open-import").addEventListener("click", () => ask());
}

/** Asks for a bundle. */
function ask() {
  const file = element("input",
    { type: "file", accept: ".zip,application/zip", id: "bundle-file",
    change: () => file.files[0] && importFile(file.files[0]) });
  frame("Import a model", element("p", {},
    "Choose a bundle that is packed as a .zip, or drop one anywhere on the page. It is checked before anything is kept: a broken bundle changes nothing."),
    labelled("Packed bundle", file));
}

/** Sends a bundle to the server, and shows what it says. */
export async function importFile(file, isReplacing = false) {
  frame("Import a model", element("p", {}, "Checking ", element("b", {}, file.name), ` (${bytes(file.size)})…`),
    element("progress", { "aria-label": "The bundle is being checked" }));
  try {
    const { model, problems } = await api.importBundle(file, nameOf(file), isReplacing);
    await refresh();
    imported(model, problems ?? []);
  } catch (failure) {
    refused(file, failure);
  }
}

const nameOf = (file) => file.name.replace(/\.zip$/i, "").replace(/\.(tiobundle|tfbundle)$/i,
  "").replace(/ \(\d+\)$/, "");

function imported(model, problems) {
  say(`${model.title} is imported.`);
  frame("Imported", element("p.good", {}, element("b", {}, model.title), " is imported and ready."),
    problems.length ? report(problems) : null,
    button("Try it", () => { dialog().close(); choose(model.name, "try"); }, { kind: "button.main" }));
}

function refused(file, failure) {
  if (failure.status === 409) return exists(file, failure);
  const problems = failure.answer?.problems ?? [];
  say("Nothing was imported.");
  return frame("Nothing was imported",
    element("p.problem", {}, failure.message,
    failure.fine ? element("small.soft", {}, ` (${failure.fine})`) : null),
    problems.length ? report(problems) : null, button("Choose another file", ask));
}

const exists = (file, failure) => frame("There is one already", element("p", {}, failure.message),
  element("div.row", {}, button("Replace it", () => importFile(file, true), { kind: "button.main" }),
    button("Keep the old one", () => dialog().close())));

function report(problems) {
  const errors = problems.filter((problem) => problem.severity === "error").length;
  const warnings = problems.length - errors;
  const summary = [errors ? count(errors, "error") : null,
    warnings ? count(warnings, "warning") : null].filter(Boolean).join(", ");
  return element("section.report", { "aria-label": "The validator's report" },
    element("h3", {}, `The validator found ${summary}`),
    element("ol.problems", {}, problems.map(problemItem)));
}

const problemItem = ({ severity, path, message, suggestion, line }) => element("li", {},
  element(severity === "error" ? "span.badge.bad" : "span.badge", {}, severity), " ",
  element("code", {}, path || "model.json"), line ? element("span.soft", {}, ` line ${line}`) : null,
  element("p", {}, message), suggestion ? element("p.soft", {}, `Suggestion: ${suggestion}`) : null);

function frame(title, ...content) {
  fill(dialog(), element("div.dialog-head", {}, element("h2", { id: "import-title" }, title),
    element("button.plain.icon", { type: "button", "aria-label": "Close", click: () => dialog().close() },
      "×")), content);
  if (!dialog().open) dialog().showModal();
}
