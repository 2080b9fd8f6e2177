// Imports a zipped bundle, or a model after a review; shows the diagnostics of its validation; and removes models of the library.

import * as api from "./api.js";
import { button, byId, closeButton, element, labeledField, setContent } from "./dom.js";
import { DraftForm, isBareModel } from "./draft.js";
import { formatBytes, pluralize } from "./format.js";
import { isBundleArchive } from "./images.js";
import { announce, notify, showError } from "./notifications.js";
import { initialModel, navigate, refresh } from "./state.js";

const dialog = () => byId("import");

export function initImport() {
  byId("open-import").addEventListener("click", () => showFilePicker());
}

function showFilePicker() {
  const field = element("input", {
    type: "file",
    accept: ".zip,application/zip,.tflite,.onnx",
    id: "bundle-file",
    change: () => field.files[0] && importFile(field.files[0]),
  });
  showDialog(
    "Import a model",
    element(
      "p",
      {},
      "Choose a zipped bundle, or a model in a .tflite or .onnx file, or drop it anywhere on the page. It is ",
      "validated first; an invalid bundle is not imported.",
    ),
    labeledField("Zipped bundle or model", field),
  );
}

/** Whether a file can be imported. */
export const isImportable = (file) => isBundleArchive(file) || isBareModel(file);

/** Imports a bundle, or drafts one for a model that has none. */
export const importFile = (file) => (isBareModel(file) ? reviewModel(file) : importBundle(file));

async function reviewModel(file) {
  showDialog(
    "Import a model",
    element("p", {}, "Reading ", element("b", {}, file.name), ` (${formatBytes(file.size)})…`),
    element("progress", { "aria-label": "Reading the model" }),
  );
  try {
    const form = new DraftForm(file, await api.draft(file), (archive) =>
      importBundle(new File([archive], `${bundleName(file)}.zip`), false, () => show()),
    );
    const show = () => showDialog("Review the model", form.element);
    show();
  } catch (error) {
    showRejected(file, error);
  }
}

/** Uploads a bundle and shows the result; `onEdit` shows the review of a model again. */
async function importBundle(file, isReplacing = false, onEdit = null) {
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
    showRejected(file, error, onEdit);
  }
}

// "digits.tiobundle (1).zip" is imported as "digits".
const bundleName = (file) =>
  file.name
    .replace(/\.(zip|tflite|onnx)$/i, "")
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

function showRejected(file, error, onEdit = null) {
  if (error.status === 409) return showNameConflict(file, error, onEdit);
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
    element(
      "div.row",
      {},
      onEdit ? button("Edit", onEdit, { kind: "button.button-primary" }) : null,
      button("Choose another file", showFilePicker),
    ),
  );
}

const showNameConflict = (file, error, onEdit) =>
  showDialog(
    "The model already exists",
    element("p", {}, error.message),
    element(
      "div.row",
      {},
      button("Replace", () => importBundle(file, true, onEdit), { kind: "button.button-primary" }),
      button("Keep the existing model", () => dialog().close()),
    ),
  );

/** Removes a model of the library, if the user confirms it. */
export const confirmRemoval = (model) =>
  showDialog(
    "Remove the model",
    element(
      "p",
      {},
      element("b", {}, model.title),
      " is deleted from the library on the machine of this server. This cannot be undone.",
    ),
    element(
      "div.row",
      {},
      button("Remove", () => removeModel(model), { kind: "button.button-primary" }),
      button("Keep the model", () => dialog().close()),
    ),
  );

async function removeModel(model) {
  dialog().close();
  try {
    await api.removeModel(model.name);
    await refresh();
    navigate(initialModel()?.name ?? "");
    notify(`${model.title} was removed.`);
  } catch (error) {
    showError(error);
  }
}

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
