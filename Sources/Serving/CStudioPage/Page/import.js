// Imports a zipped bundle and shows the diagnostics of its validation.

import * as api from "./api.js";
import { button, byId, closeButton, element, labeledField, setContent } from "./dom.js";
import { formatBytes, pluralize } from "./format.js";
import { announce } from "./notifications.js";
import { navigate, refresh } from "./state.js";

const dialog = () => byId("import");

export function initImport() {
  byId("open-import").addEventListener("click", () => showFilePicker());
}

function showFilePicker() {
  const field = element("input", {
    type: "file",
    accept: ".zip,application/zip",
    id: "bundle-file",
    change: () => field.files[0] && importFile(field.files[0]),
  });
  showDialog(
    "Import a model",
    element(
      "p",
      {},
      "Choose a zipped bundle, or drop one anywhere on the page. It is validated first; ",
      "an invalid bundle is not imported.",
    ),
    labeledField("Zipped bundle", field),
  );
}

/** Uploads a bundle and shows the result. */
export async function importFile(file, isReplacing = false) {
  showDialog(
    "Import a model",
    element("p", {}, "Validating ", element("b", {}, file.name), ` (${formatBytes(file.size)})…`),
    element("progress", { "aria-label": "Validating the bundle" }),
  );
  try {
    const { model, diagnostics } = await api.importBundle(file, bundleName(file), isReplacing);
    await refresh();
    showImported(model, diagnostics ?? []);
  } catch (error) {
    showRejected(file, error);
  }
}

// "digits.tiobundle (1).zip" is imported as "digits".
const bundleName = (file) =>
  file.name
    .replace(/\.zip$/i, "")
    .replace(/\.(tiobundle|tfbundle)$/i, "")
    .replace(/ \(\d+\)$/, "");

function showImported(model, diagnostics) {
  announce(`${model.title} was imported.`);
  showDialog(
    "Imported",
    element("p.success", {}, element("b", {}, model.title), " was imported and is ready."),
    diagnostics.length ? diagnosticsReport(diagnostics) : null,
    button(
      "Try it",
      () => {
        dialog().close();
        navigate(model.name, "try");
      },
      { kind: "button.button-primary" },
    ),
  );
}

function showRejected(file, error) {
  if (error.status === 409) return showNameConflict(file, error);
  const diagnostics = error.body?.diagnostics ?? [];
  announce("The bundle was not imported.");
  return showDialog(
    "The bundle was not imported",
    element(
      "p.error-message",
      {},
      error.message,
      error.detail ? element("small.muted", {}, ` (${error.detail})`) : null,
    ),
    diagnostics.length ? diagnosticsReport(diagnostics) : null,
    button("Choose another file", showFilePicker),
  );
}

const showNameConflict = (file, error) =>
  showDialog(
    "The model already exists",
    element("p", {}, error.message),
    element(
      "div.row",
      {},
      button("Replace", () => importFile(file, true), { kind: "button.button-primary" }),
      button("Keep the existing model", () => dialog().close()),
    ),
  );

function diagnosticsReport(diagnostics) {
  const errors = diagnostics.filter((diagnostic) => diagnostic.severity === "error").length;
  const warnings = diagnostics.length - errors;
  const summary = [
    errors ? pluralize(errors, "error") : null,
    warnings ? pluralize(warnings, "warning") : null,
  ]
    .filter(Boolean)
    .join(", ");
  return element(
    "section",
    { "aria-label": "Validation report" },
    element("h3", {}, `Validation: ${summary}`),
    element("ol.diagnostics", {}, diagnostics.map(diagnosticItem)),
  );
}

const diagnosticItem = ({ severity, path, message, suggestion, line }) =>
  element(
    "li",
    {},
    element(severity === "error" ? "span.badge.error" : "span.badge", {}, severity),
    " ",
    element("code", {}, path || "model.json"),
    line ? element("span.muted", {}, ` line ${line}`) : null,
    element("p", {}, message),
    suggestion ? element("p.muted", {}, `Suggestion: ${suggestion}`) : null,
  );

function showDialog(title, ...content) {
  setContent(
    dialog(),
    element(
      "div.dialog-header",
      {},
      element("h2", { id: "import-title" }, title),
      closeButton(dialog()),
    ),
    content,
  );
  if (!dialog().open) dialog().showModal();
}
