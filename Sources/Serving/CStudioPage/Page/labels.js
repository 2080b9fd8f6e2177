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
import { csvText, pluralize } from "./format.js";
import { thumbnail } from "./images.js";
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
function saveLabel(entry, blob) {
  const id = `${entry.model}/${entry.path}`;
  entries = [
    { ...entry, id, time: new Date().toISOString() },
    ...entries.filter((other) => other.id !== id),
  ];
  imageBlobs.set(id, blob);
  store();
}

/** Returns a model's labeled images. Those whose image is still in memory have a `blob`. */
export const labeledImages = (model) =>
  entries
    .filter((entry) => entry.model === model)
    .map((entry) => ({ ...entry, blob: imageBlobs.get(entry.id) }));

const savedLabel = (model, path) => entries.find((entry) => entry.id === `${model}/${path}`)?.label;

// A model's labels are those of its result for any image.
async function modelLabels(model, blob) {
  if (!modelLabelCache.has(model)) {
    const record = await api.predict(model, blob, { top: 100_000 });
    const scores =
      Object.values(record.outputs ?? {}).find(
        (value) => Array.isArray(value) && typeof value[0]?.score === "number",
      ) ?? [];
    const byIndex = [...scores].sort((one, other) => (one.index ?? 0) - (other.index ?? 0));
    modelLabelCache.set(model, [...new Set(byIndex.map((entry) => entry.label))].filter(Boolean));
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
        "Labels that you gave to images in the Try tab. They are stored in this ",
        "browser only; export them to use them elsewhere.",
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
    " yet. Try an image, and enter the correct label below the result.",
  );

const correctCount = (all) => all.filter((entry) => entry.label === entry.suggestion).length;

const entryActions = (all) =>
  element(
    "div.row",
    {},
    element(
      "p.flex-grow",
      {},
      `${pluralize(all.length, "image")}; the model classified ${correctCount(all)} correctly`,
    ),
    button("Export CSV", () => download(`${selection.model}-labels.csv`, "text/csv", csv(all))),
    button("Export JSON", () =>
      download(`${selection.model}-labels.json`, "application/json", json(all)),
    ),
    button("Remove all", () => removeAll(all)),
  );

const entryTable = (all) =>
  table(
    [...textColumns("Image", "Prediction", "Correct label"), hiddenTitleColumn("Remove")],
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
  entry.suggestion === undefined
    ? "–"
    : [entry.suggestion, " ", correctnessBadge(entry.label === entry.suggestion)],
  element("input", {
    type: "text",
    id: uniqueID("label"),
    value: entry.label,
    "aria-label": `Correct label of ${entry.path}`,
    change: (event) => relabel(entry, event.target),
  }),
  button("Remove", () => remove(entry), {
    kind: "button.button-plain.button-small",
    "aria-label": `Remove the label of ${entry.path}`,
  }),
];

/** The thumbnail of an entry, which can be enlarged to the image while that is in memory. */
function entryImage({ id, path, label, thumb }) {
  const blob = imageBlobs.get(id);
  return enlargeable(element("img", { src: thumb, alt: "" }), path, {
    caption: `${path}: ${label}`,
    fullURL: () => blob && URL.createObjectURL(blob),
  });
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

const exportedEntry = ({ path, model, suggestion, label, time }) => ({
  image: path,
  model,
  prediction: suggestion ?? null,
  label,
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
      list: this.suggestions.id,
      autocomplete: "off",
      maxlength: 200,
      focus: () => this.loadSuggestions(),
    });
    this.note = element("p.muted.fine-print", {}, "");
    this.element = element(
      "form.inline.label-form",
      { submit: (event) => this.save(event) },
      element("label", { for: id }, "Correct label"),
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
    setContent(this.suggestions);
    if (panel) panel.labelSlot.append(this.element);
    this.element.hidden = true;
  }

  /** Sets the image to label; the form is hidden until the model has a prediction for it. */
  setImage(image) {
    Object.assign(this, { image, prediction: undefined });
    this.element.hidden = true;
  }

  /** Shows the form, if the model predicted a label. */
  setPrediction(image, prediction) {
    Object.assign(this, { image, prediction });
    this.element.hidden = prediction === undefined;
    const saved = savedLabel(selection.model, image.path);
    this.field.value = saved ?? prediction ?? "";
    setText(this.note, saved ? "You have labeled this image before." : "");
  }

  async loadSuggestions() {
    if (this.suggestions.children.length || !this.image) return;
    const labels = await modelLabels(this.model, this.image.blob).catch(() => []);
    setContent(
      this.suggestions,
      labels.slice(0, MAX_SUGGESTIONS).map((label) => element("option", { value: label })),
    );
  }

  async save(event) {
    event.preventDefault();
    const label = this.field.value.trim();
    if (!label) return this.field.focus();
    const { image, prediction, model } = this;
    const thumb = await thumbnail(image.blob);
    saveLabel({ model, path: image.path, suggestion: prediction, label, thumb }, image.blob);
    setText(
      this.note,
      label === prediction
        ? "Saved: the prediction was correct."
        : `Saved: ${label}, predicted as ${prediction}.`,
    );
    announce(this.note.textContent);
  }
}
