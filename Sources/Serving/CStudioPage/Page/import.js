// Imports a zipped bundle, or a model after a review, from a file or a URL; shows the diagnostics of its validation; and removes models of the library.

import * as api from "./api.js";
import { button, byId, closeButton, element, labeledField, setContent, setText } from "./dom.js";
import { downloadModel } from "./download.js";
import { DraftForm, bundleArchive, isBareModel } from "./draft.js";
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
    sourceForm(),
  );
}

/** The form for what the server downloads. */
function sourceForm() {
  const field = element("input", {
    type: "text",
    required: true,
    maxlength: 4096,
    autocomplete: "off",
    spellcheck: "false",
    placeholder: "https://… or OWNER/NAME",
  });
  const submit = (event) => {
    event.preventDefault();
    importDownload(field.value.trim());
  };
  return element(
    "form.download-form",
    { submit },
    labeledField(
      "Or its URL, or its name on the model hub",
      field,
      "The server downloads it. Later downloads must have the same contents as the first.",
    ),
    element("button", { type: "submit" }, "Download"),
  );
}

/** Downloads a bundle or a model, and imports or reviews it. */
async function importDownload(source, isReplacing = false) {
  const progress = element("progress", { "aria-label": "Downloading the model" });
  const note = element("p.progress-text", { role: "status" }, "Connecting…");
  const controller = new AbortController();
  const cancel = () => controller.abort();
  showDialog(
    "Download a model",
    element("p", {}, "Downloading ", element("b", {}, source)),
    progress,
    note,
    button("Cancel", cancel),
  );
  dialog().addEventListener("close", cancel);
  try {
    const download = await downloadModel(
      source,
      isReplacing,
      controller.signal,
      (text, fraction) => {
        setText(note, text);
        if (fraction === null) progress.removeAttribute("value");
        else progress.value = fraction;
      },
    );
    if (download.state === "drafted") reviewDownload(download);
    else {
      await refresh();
      showImported(download.model, download.diagnostics ?? []);
    }
  } catch (error) {
    if (controller.signal.aborted) {
      announce("The download was canceled.");
      return void (dialog().open && showFilePicker());
    }
    showRejected(error, {
      title: "The model was not downloaded",
      replaceTitle: error.code === "digest-mismatch" ? "Accept the new file" : null,
      onReplace: () => importDownload(source, true),
    });
  } finally {
    dialog().removeEventListener("close", cancel);
  }
}

function reviewDownload({ id, source, draft }) {
  const name = bundleName({ name: source.split(/[?#]/)[0].split("/").filter(Boolean).pop() });
  const form = new DraftForm(draft, (text) => importText(text, false));
  const show = () => showDialog("Review the model", form.element);
  const importText = (text, isReplacing) =>
    showOutcome(name, () => api.downloads.importDraft(id, text, name, isReplacing), {
      onReplace: () => importText(text, true),
      onEdit: show,
    });
  show();
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
    const draft = await api.draft(file);
    const form = new DraftForm(draft, async (text) => {
      const archive = await bundleArchive(file, draft, text);
      importBundle(new File([archive], `${bundleName(file)}.zip`), false, () => show());
    });
    const show = () => showDialog("Review the model", form.element);
    show();
  } catch (error) {
    showRejected(error);
  }
}

/** Uploads a bundle and shows the result; `onEdit` shows the review of a model again. */
const importBundle = (file, isReplacing = false, onEdit = null) =>
  showOutcome(
    `${file.name} (${formatBytes(file.size)})`,
    () => api.importBundle(file, bundleName(file), isReplacing),
    { onReplace: () => importBundle(file, true, onEdit), onEdit },
  );

/** Shows the model that `send()` imports, or its error. */
async function showOutcome(name, send, options) {
  showDialog(
    "Import a model",
    element("p", {}, "Validating ", element("b", {}, name), "…"),
    element("progress", { "aria-label": "Validating the bundle" }),
  );
  try {
    const { model, diagnostics } = await send();
    await refresh();
    showImported(model, diagnostics ?? []);
  } catch (error) {
    showRejected(error, options);
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

/**
 * Shows the error of an import; `onReplace()` replaces an existing model, or is what a button with `replaceTitle` does, and
 * `onEdit()` shows the review again.
 */
function showRejected(error, options = {}) {
  const { title = "The bundle was not imported", onEdit, onReplace, replaceTitle } = options;
  if (error.code === "model-exists") return showNameConflict(error, onReplace);
  const diagnostics = error.body?.diagnostics ?? [];
  announce(`${title}.`);
  return showDialog(
    title,
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
      replaceTitle ? button(replaceTitle, onReplace) : null,
      button("Choose another model", showFilePicker),
    ),
  );
}

const showNameConflict = (error, onReplace) =>
  showDialog(
    "The model already exists",
    element("p", {}, error.message),
    element(
      "div.row",
      {},
      button("Replace", onReplace, { kind: "button.button-primary" }),
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
