// The Evaluate tab: evaluates a model on many images with ground truth.

import * as api from "./api.js";
import { button, byId, element, setContent, setText, uniqueID } from "./dom.js";
import { formatDuration, pluralize } from "./format.js";
import { isImage, toReadableImage } from "./images.js";
import { labeledImages } from "./labels.js";
import { missingRuntimeNotice } from "./missing-runtime.js";
import { announce, showError } from "./notifications.js";
import { evaluationReport } from "./report.js";
import { modelNamed, onChange, selection, studio } from "./state.js";
import { loadLocal, saveLocal } from "./storage.js";

const MAX_CONCURRENT_UPLOADS = 3;
const POLL_INTERVAL = 300;

/** The latest evaluation of each model, by the model's name. */
const evaluationRuns = new Map();
/** The identifiers of these evaluations, which the server keeps when the page is reloaded. */
const STORAGE_KEY = "evaluations";
const storedID = (model) => loadLocal(STORAGE_KEY, {})[model];
const storeID = (model, id) =>
  saveLocal(STORAGE_KEY, { ...loadLocal(STORAGE_KEY, {}), [model]: id });

export function initEvaluate() {
  onChange("view", () => selection.view === "evaluate" && show());
  onChange("state", () => selection.view === "evaluate" && show());
}

function show() {
  const model = modelNamed(selection.model);
  const view = byId("view-evaluate");
  if (!model || model.error) return setContent(view);
  if (model.missing_runtime) return setContent(view, missingRuntimeNotice(model));
  const result =
    (evaluationRuns.get(model.name) ?? resumedRun(model.name))?.element ??
    element("p.placeholder", {}, "Metrics, charts and the worst errors appear here.");
  return setContent(view, sourcePicker(), result);
}

/** Returns the run of an evaluation that was started before the page was loaded. */
function resumedRun(model) {
  const id = storedID(model);
  if (!id) return undefined;
  const run = new EvaluationRun(model, { id });
  run.resume();
  return run;
}

function sourcePicker() {
  const entries = labeledImages(selection.model);
  return element(
    "div.panel",
    {},
    element("h2", {}, "Evaluate the model on many images"),
    element(
      "div.evaluation-sources",
      {},
      folderSource(),
      studio.datasets.length ? datasetSource() : null,
      labeledSource(entries),
    ),
  );
}

function folderSource() {
  const note = element("p.muted.fine-print", {});
  const evaluateFolder = () => {
    const items = itemsInFolders([...field.files]);
    if (items.length) evaluateImages(items, folderTitle(field.files[0]));
    else setText(note, "The folder has no subfolders with images.");
  };
  const field = element("input.visually-hidden", {
    type: "file",
    id: uniqueID("folder"),
    webkitdirectory: true,
    multiple: true,
    tabindex: -1,
    "aria-label": "Folder of images",
    change: evaluateFolder,
  });
  return element(
    "section.evaluation-source",
    {},
    element("h3", {}, "A folder"),
    element(
      "p.muted",
      {},
      "With one subfolder per label, named after the label: ",
      element("code", {}, "cat/1.jpg"),
      ", ",
      element("code", {}, "dog/7.jpg"),
      ".",
    ),
    field,
    button("Choose a folder", () => field.click(), { kind: "button.button-primary" }),
    note,
  );
}

const folderTitle = (file) => `the folder ${(file.webkitRelativePath || file.name).split("/")[0]}`;

// The label of "held-out/cat/1.jpg" is "cat".
function itemsInFolders(files) {
  return files
    .filter((file) => isImage(file) && !file.name.startsWith("."))
    .map((file) => {
      const parts = (file.webkitRelativePath || file.name).split("/");
      return { path: parts.slice(-2).join("/"), file, depth: parts.length };
    })
    .filter(({ depth }) => depth > 1);
}

/** The name of the dataset that was selected last, which stays selected when the tab is rebuilt. */
let selectedDataset = null;

function datasetSource() {
  const select = element(
    "select",
    {
      id: uniqueID("dataset"),
      change: () => {
        selectedDataset = select.value;
      },
    },
    studio.datasets.map(({ name, image_count: count }) =>
      element(
        "option",
        { value: name, selected: name === selectedDataset },
        count === null ? name : `${name} (${count})`,
      ),
    ),
  );
  return element(
    "section.evaluation-source",
    {},
    element("h3", {}, "A dataset of this studio"),
    element("p.muted", {}, "Datasets that the studio was started with."),
    element(
      "div.row",
      {},
      element("label.visually-hidden", { for: select.id }, "Dataset"),
      select,
      button("Evaluate", () => evaluateDataset(select.value), { kind: "button.button-primary" }),
    ),
  );
}

function labeledSource(entries) {
  const available = entries.filter((entry) => entry.blob);
  const missing = entries.length - available.length;
  const text = entries.length
    ? `${pluralize(available.length, "image")} that you labeled.`
    : "Label images in the Try tab, below the model's result.";
  return element(
    "section.evaluation-source",
    {},
    element("h3", {}, "Your labeled images"),
    element(
      "p.muted",
      {},
      text,
      missing ? ` ${missing} more are unavailable because the page was reloaded.` : "",
    ),
    button("Evaluate", () => evaluateImages(available.map(uploadItem), "your labeled images"), {
      disabled: !available.length,
    }),
  );
}

const uploadItem = ({ label, path, blob }) => ({
  path: `${label}/${path.split("/").pop()}`,
  file: blob,
});

/** Returns the items with unique paths: "cat/1.png" is followed by "cat/1 (2).png". */
export function withUniquePaths(items) {
  const used = new Set();
  return items.map(({ path, file }) => {
    const [, stem, ending] = /^(.*?)(\.[^./]*)?$/.exec(path);
    let unique = path;
    for (let number = 2; used.has(unique.toLowerCase()); number += 1) {
      unique = `${stem} (${number})${ending ?? ""}`;
    }
    used.add(unique.toLowerCase());
    return { path: unique, file };
  });
}

const evaluateImages = (items, title) =>
  new EvaluationRun(selection.model, { title, items: withUniquePaths(items) }).run();
const evaluateDataset = (dataset) =>
  new EvaluationRun(selection.model, { title: dataset, dataset }).run();

/** One evaluation of a dataset of the server or of uploaded items, from the upload to the report. */
class EvaluationRun {
  constructor(model, { id, title = "", dataset = null, items = [] }) {
    Object.assign(this, { model, items, id, dataset, isFinished: false });
    this.abortController = new AbortController();
    evaluationRuns.get(model)?.cancel();
    evaluationRuns.set(model, this);
    this.bar = element("progress", {
      max: 1,
      value: 0,
      "aria-label": "Progress of the evaluation",
    });
    this.note = element("p.progress-text", { role: "status" }, "Starting…");
    this.dataTitle = element("p.muted.evaluation-data");
    this.setDataTitle(title);
    this.rejectedNote = element("p.error.rejected-files");
    this.cancelButton = button("Cancel", () => this.cancel());
    this.result = element("div");
    this.element = element(
      "div",
      {},
      element(
        "div.panel.evaluation-progress",
        {},
        element("div.row", {}, this.note, this.cancelButton),
        this.dataTitle,
        this.rejectedNote,
        this.bar,
      ),
      this.result,
    );
  }

  /** Shows the images that are evaluated. */
  setDataTitle(title) {
    this.title = title;
    setText(this.dataTitle, title ? `Data: ${title}` : "");
  }

  async run() {
    const { dataset } = this;
    if (dataset) selectedDataset = dataset;
    show();
    try {
      const { id } = await api.evaluations.create(this.model, dataset);
      this.id = id;
      storeID(this.model, id);
      if (!dataset) await this.upload();
      if (!dataset && !this.isFinished) await api.evaluations.start(id);
      await this.poll();
    } catch (error) {
      if (error.name !== "AbortError") this.showError(error);
    }
  }

  /** Continues to show an evaluation of the server, if it still exists. */
  async resume() {
    try {
      const { state, dataset } = await api.evaluations.status(this.id);
      this.setDataTitle(dataset ?? "uploaded images");
      if (state !== "uploading") return await this.poll();
      this.hideProgress("The upload was interrupted; choose the images again");
    } catch (error) {
      if (error.status !== 404) return this.showError(error);
      if (evaluationRuns.get(this.model) !== this) return undefined;
      storeID(this.model, undefined);
      evaluationRuns.delete(this.model);
      show();
    }
    return undefined;
  }

  async upload() {
    let next = 0,
      uploaded = 0;
    const total = this.items.length;
    const rejected = [];
    const uploadItems = async () => {
      while (next < total && !this.isFinished) {
        const { path, file } = this.items[next++];
        const blob = await toReadableImage(file);
        try {
          await api.retryWhileOverloaded(() =>
            api.evaluations.addImage(this.id, path, blob, this.abortController.signal),
          );
        } catch (error) {
          if (error.status !== 415) throw error;
          rejected.push(path);
          const count = pluralize(rejected.length, "file");
          setText(this.rejectedNote, `Left out, not an image: ${count}, ${rejected[0]} first`);
        }
        uploaded += 1;
        this.showProgress(
          uploaded / total / 2,
          `Uploaded ${uploaded} of ${pluralize(total, "image")}`,
        );
      }
    };
    await Promise.all(Array.from({ length: MAX_CONCURRENT_UPLOADS }, uploadItems));
  }

  async poll() {
    for (;;) {
      const status = await api.retryWhileOverloaded(() => api.evaluations.status(this.id));
      if (["completed", "cancelled", "failed"].includes(status.state)) return this.finish(status);
      const { completed, total, items_per_second: rate, remaining_seconds: remaining } = status;
      const fraction = total ? completed / total : 0;
      const estimate =
        typeof remaining === "number" ? `, about ${formatDuration(remaining)} left` : "";
      this.showProgress(
        this.items.length ? 0.5 + fraction / 2 : fraction,
        `Evaluated ${completed} of ${total}, ${Math.round(rate ?? 0)} per second${estimate}`,
      );
      await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL));
    }
  }

  showProgress(fraction, text) {
    this.bar.value = fraction;
    setText(this.note, text);
  }

  async cancel() {
    if (this.isFinished) return;
    this.isFinished = true;
    this.abortController.abort();
    setText(this.note, "Canceling…");
    if (!this.id) return;
    try {
      await api.evaluations.cancel(this.id);
      await this.poll();
    } catch (error) {
      showError(error);
    }
  }

  finish(status) {
    const count = pluralize(status.completed, "image");
    const text = {
      completed: `Completed: ${count} evaluated`,
      cancelled: `Canceled after ${count}`,
      failed: "The evaluation failed",
    }[status.state];
    this.hideProgress(text);
    announce(text);
    setContent(
      this.result,
      status.error ? element("p.error-message", {}, status.error) : null,
      status.report
        ? evaluationReport(
            { report: status.report, charts: status.charts, title: this.title },
            // Labels are not drawn over images.
            hasLabels(status.report) ? async () => [] : (sample) => this.predictedOverlay(sample),
            (format) => api.evaluations.reportURL(this.id, format),
            (name) => api.evaluations.imageURL(this.id, name),
          )
        : null,
    );
  }

  /** Runs the model again on a sample, and returns the shapes and masks of its result. */
  async predictedOverlay({ name }) {
    const response = await fetch(api.evaluations.imageURL(this.id, name));
    if (!response.ok) return [];
    const blob = await response.blob();
    const record = await api.retryWhileOverloaded(() =>
      api.predict(this.model, blob, { display: 1 }),
    );
    return record.display?.overlay ?? [];
  }

  showError(error) {
    this.hideProgress("The evaluation failed");
    setContent(
      this.result,
      element(
        "p.error-message",
        {},
        error.message,
        error.detail ? element("small.muted", {}, ` (${error.detail})`) : null,
      ),
    );
  }

  hideProgress(text) {
    this.isFinished = true;
    this.cancelButton.remove();
    this.bar.remove();
    setText(this.note, text);
  }
}

/** Whether the predictions are labels of whole images, which have nothing to draw. */
const hasLabels = ({ metrics }) => ["top1", "accuracy"].some((name) => name in metrics);
