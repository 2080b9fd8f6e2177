// Labels given by the user: stored in this browser, listed, edited and exported.

import * as api from "./api.js";
import {
  button,
  byId,
  download,
  element,
  hiddenTitleColumn,
  setContent,
  setText,
  table,
  textColumns,
  uniqueID,
} from "./dom.js";
import { enlargeable } from "./enlarge.js";
import { csvText, formatNumber, pluralize } from "./format.js";
import { thumbnail } from "./images.js";
import { exportDataset, isExportable } from "./label-export.js";
import { announce, notify } from "./notifications.js";
import { modelNamed, onChange, selection } from "./state.js";
import { loadLocal, saveLocal } from "./storage.js";

const MAX_SUGGESTIONS = 2000;

let entries = loadLocal("labels", []);

/** The labeled images by entry id, which are lost when the page is reloaded. */
const imageBlobs = new Map();
const modelLabelCache = new Map();

// MARK: Entries

/** Saves the label of an image, replacing an earlier one. */
export function saveLabel(entry, blob) {
  const id = `${entry.model}/${entry.path}`;
  entries = [
    { ...entry, id, time: new Date().toISOString() },
    ...entries.filter((other) => other.id !== id),
  ];
  if (blob) imageBlobs.set(id, blob);
  store();
}

/** Returns a model's labeled inputs. Images that are still in memory have a `blob`. */
export const labeledInputs = (model) =>
  entries.filter((entry) => entry.model === model).map(withBlob);

const withBlob = (entry) => ({ ...entry, blob: imageBlobs.get(entry.id) });

/** Returns the entry of an image, or of an input; undefined if there is none. */
export const savedEntry = (model, path) => entries.find(({ id }) => id === `${model}/${path}`);

/** Returns the labels of a model. */
export async function modelLabels(model) {
  if (!modelLabelCache.has(model)) {
    modelLabelCache.set(model, [...new Set(await api.getLabels(model))].filter(Boolean));
  }
  return modelLabelCache.get(model);
}

function store() {
  if (!saveLocal("labels", entries)) {
    notify("The browser's storage is full; export the labels and remove some.", "error");
  }
  updateCount();
  if (selection.view === "labels") show();
}

// MARK: Labels tab

export function initLabels() {
  onChange("view", () => selection.view === "labels" && show());
  onChange("model", updateCount);
  updateCount();
}

function updateCount() {
  const count = entries.filter((entry) => entry.model === selection.model).length;
  byId("labels-count").hidden = !count;
  byId("labels-count").textContent = count;
}

function show() {
  const modelEntries = entries.filter((entry) => entry.model === selection.model);
  setContent(
    byId("view-labels"),
    element(
      "div.panel",
      {},
      element("h2", {}, "Your labels"),
      element(
        "p.muted",
        {},
        "Labels, boxes, masks and numbers that you gave to inputs in the Try tab. They are stored in this ",
        "browser only; export them to use them elsewhere, as a dataset with the images of this visit.",
      ),
      modelEntries.length ? [entryActions(modelEntries), entryTable(modelEntries)] : emptyMessage(),
    ),
  );
}

const emptyMessage = () =>
  element(
    "p.placeholder",
    {},
    "No labels for ",
    element("b", {}, modelNamed(selection.model)?.title ?? "this model"),
    " yet. Try an input, and enter the correct label below the result.",
  );

/** Whether the label of an entry is a class, rather than boxes or a number. */
export const isClassified = (entry) => !isDrawn(entry) && !entry.isNumber;

/** Whether the user has drawn the boxes or the mask of an image. */
const isDrawn = ({ boxes, mask }) => !!(boxes || mask);

/** What entries are, as in "2 images". */
export const countInputs = (all) =>
  pluralize(all.length, all.length && all.every(({ values }) => values) ? "input" : "image");

/** What the entries are, and how many of them the model has classified correctly. */
function summaryOf(all) {
  const count = countInputs(all);
  if (!all.every(isClassified)) return count;
  const correct = all.filter((entry) => entry.label === entry.suggestion).length;
  return `${count}; the model classified ${correct} correctly`;
}

const entryActions = (all) =>
  element(
    "div.row",
    {},
    element("p.flex-grow", {}, summaryOf(all)),
    button("Export a dataset", () => exportAll(all), {
      disabled: !all.map(withBlob).some(isExportable),
    }),
    button("Export CSV", () => download(`${selection.model}-labels.csv`, "text/csv", csv(all))),
    button("Export JSON", () =>
      download(`${selection.model}-labels.json`, "application/json", json(all)),
    ),
    button("Remove all", () => removeAll(all)),
  );

async function exportAll(all) {
  const available = all.map(withBlob).filter(isExportable);
  const labels = await modelLabels(all[0].model).catch(() => []);
  await exportDataset(all[0].model, available, labels);
  const missing = all.length - available.length;
  if (missing) notify(`${pluralize(missing, "image")} of earlier visits left out.`, "error");
}

const entryTable = (all) =>
  table(
    [...textColumns("Input", "Prediction", "Correct label"), hiddenTitleColumn("Remove")],
    all.map(entryRow),
    { kind: "table.annotations" },
  );

const entryRow = (entry) => [
  element(
    "span.with-thumbnail",
    {},
    entry.thumb ? entryImage(entry) : null,
    element("span.path", {}, entry.path),
  ),
  entry.suggestion === undefined ? "–" : [entry.suggestion, " ", agreementBadge(entry)],
  isDrawn(entry) ? entry.label : labelField(entry),
  button("Remove", () => remove(entry), {
    kind: "button.button-plain.button-small",
    "aria-label": `Remove the label of ${entry.path}`,
  }),
];

const labelField = (entry) =>
  element("input", {
    type: entry.isNumber ? "number" : "text",
    step: "any",
    id: uniqueID("label"),
    value: entry.label,
    "aria-label": `Correct label of ${entry.path}`,
    change: (event) => relabel(entry, event.target),
  });

/** The thumbnail of an entry, which can be enlarged to the image while that is in memory. */
function entryImage({ id, path, label, thumb }) {
  const blob = imageBlobs.get(id);
  return enlargeable(element("img", { src: thumb, alt: "" }), path, {
    caption: `${path}: ${label}`,
    fullURL: () => blob && URL.createObjectURL(blob),
  });
}

/** Whether a class is correct, or how far a number is off. */
function agreementBadge(entry) {
  const { label, suggestion, isNumber } = entry;
  if (isDrawn(entry)) return null;
  if (!isNumber) return correctnessBadge(label === suggestion);
  const difference = Number(suggestion) - Number(label);
  return element("span.muted.fine-print", {}, `off by ${formatNumber(Math.abs(difference))}`);
}

const correctnessBadge = (isCorrect) =>
  element(
    isCorrect ? "span.success.fine-print" : "span.error.fine-print",
    {},
    isCorrect ? "correct" : "incorrect",
  );

function relabel(entry, field) {
  const label = field.value.trim();
  if (label) {
    entry.label = label;
    store();
  } else {
    field.value = entry.label;
  }
}

function remove(entry) {
  entries = entries.filter((other) => other !== entry);
  imageBlobs.delete(entry.id);
  store();
}

function removeAll(all) {
  if (!confirm(`Permanently remove ${pluralize(all.length, "label")}?`)) return;
  entries = entries.filter((entry) => !all.includes(entry));
  store();
}

const exportedEntry = ({ path, model, suggestion, label, boxes, mask, time }) => ({
  image: path,
  model,
  prediction: suggestion ?? null,
  label,
  ...(boxes ? { boxes } : {}),
  ...(mask ? { mask } : {}),
  time,
});
const json = (all) => `${JSON.stringify({ labels: all.map(exportedEntry) }, null, 2)}\n`;

const csv = (all) =>
  csvText(["image", "model", "prediction", "label", "time"], all.map(exportedEntry));

// MARK: Label form

/** The form below a model's result in which the user enters the correct label. */
export class LabelForm {
  constructor() {
    const id = uniqueID("correct-label");
    this.suggestions = element("datalist", { id: uniqueID("labels") });
    this.field = element("input", {
      id,
      type: "text",
      step: "any",
      list: this.suggestions.id,
      autocomplete: "off",
      maxlength: 200,
      focus: () => this.loadSuggestions(),
    });
    this.note = element("p.muted.fine-print", {}, "");
    this.fieldLabel = element("label", { for: id }, "Correct label");
    this.element = element(
      "form.inline.label-form",
      { submit: (event) => this.save(event) },
      this.fieldLabel,
      this.field,
      element("button", { type: "submit" }, "Save label"),
      this.suggestions,
      this.note,
    );
  }

  /** Moves the form below the result of a panel, or removes it. */
  attach(panel) {
    this.element.remove();
    this.model = panel?.name;
    const [input, output] = [panel?.metadata?.inputs[0], panel?.metadata?.outputs[0]];
    this.columns = { input: input?.name, output: output?.name };
    setContent(this.suggestions);
    if (panel) panel.labelSlot.append(this.element);
    this.element.hidden = true;
  }

  /** Sets the image to label; the form is hidden until the model has a prediction for it. */
  setImage(image) {
    Object.assign(this, { image, prediction: undefined });
    this.element.hidden = true;
  }

  /** Shows the form, if the model predicted a label or a number, for an image or for `{path, values}`. */
  setPrediction(image, prediction) {
    Object.assign(this, { image, prediction });
    this.isNumber = typeof prediction === "number";
    this.element.hidden = prediction === undefined || !this.model;
    const saved = savedEntry(selection.model, image.path)?.label;
    this.fieldLabel.textContent = this.isNumber ? "Correct number" : "Correct label";
    this.field.type = this.isNumber ? "number" : "text";
    this.field.value = saved ?? (this.isNumber ? "" : (prediction ?? ""));
    setText(this.note, saved ? "You have labeled this input before." : "");
  }

  async loadSuggestions() {
    if (this.suggestions.children.length || !this.image || this.isNumber) return;
    const labels = await modelLabels(this.model).catch(() => []);
    setContent(
      this.suggestions,
      labels.slice(0, MAX_SUGGESTIONS).map((label) => element("option", { value: label })),
    );
  }

  async save(event) {
    event.preventDefault();
    const label = this.field.value.trim();
    if (!label) return this.field.focus();
    const { image, prediction, model, isNumber } = this;
    const thumb = image.blob ? await thumbnail(image.blob) : "";
    const suggestion = isNumber ? formatNumber(prediction) : prediction;
    const { path, values, blob } = image;
    // The names of the columns of a dataset.
    const columns = isNumber ? { image: this.columns?.input, column: this.columns?.output } : {};
    saveLabel({ model, path, values, isNumber, ...columns, suggestion, label, thumb }, blob);
    setText(
      this.note,
      label === suggestion
        ? "Saved: the prediction was correct."
        : `Saved: ${label}, predicted as ${suggestion}.`,
    );
    announce(this.note.textContent);
  }
}
