// One evaluation: uploads images, follows its progress and shows its report.

import * as api from "./api.js";
import { button, element, setContent, setText } from "./dom.js";
import { formatDuration, pluralize } from "./format.js";
import { toReadableImage } from "./images.js";
import { announce, showError } from "./notifications.js";
import { evaluationReport } from "./report.js";
import { loadLocal, saveLocal } from "./storage.js";

const MAX_CONCURRENT_UPLOADS = 3;
const POLL_INTERVAL = 300;

/** The identifiers of the latest evaluations, which the server keeps when the page is reloaded. */
const STORAGE_KEY = "evaluations";
const storeID = (model, id) =>
  saveLocal(STORAGE_KEY, { ...loadLocal(STORAGE_KEY, {}), [model]: id });

/** Returns the identifier of a model's latest evaluation. */
export const storedID = (model) => loadLocal(STORAGE_KEY, {})[model];

/** One evaluation of a dataset of the server or of uploaded items, from the upload to the report. */
export class EvaluationRun {
  constructor(
    model,
    { id, title = "", dataset = null, items = [], annotations = null, gates = [] },
  ) {
    Object.assign(this, { model, items, annotations, id, dataset, gates, isFinished: false });
    /** What is evaluated: images, or the rows of a table. */
    this.unit = annotations && !items.length ? "input" : "image";
    this.abortController = new AbortController();
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

  /** Evaluates the model, and compares it with the evaluation `baseline` if there is one. */
  async run(baseline = null) {
    const { dataset, gates } = this;
    try {
      const { id } = await api.evaluations.create({ model: this.model, dataset, gates, baseline });
      this.id = id;
      storeID(this.model, id);
      if (!dataset) await this.upload();
      if (!dataset && !this.isFinished) await api.evaluations.start(id);
      await this.poll();
    } catch (error) {
      if (error.name !== "AbortError") this.showError(error);
    }
  }

  /** Continues to show an evaluation of the server; `onMissing` is called if it does not exist any more. */
  async resume(onMissing) {
    try {
      const { state, dataset } = await api.evaluations.status(this.id);
      this.setDataTitle(dataset ?? "uploaded images");
      if (state !== "uploading") return await this.poll();
      this.hideProgress("The upload was interrupted; choose the images again");
    } catch (error) {
      if (error.status !== 404) return this.showError(error);
      storeID(this.model, undefined);
      onMissing();
    }
    return undefined;
  }

  async upload() {
    if (this.annotations) await api.evaluations.addAnnotations(this.id, this.annotations);
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
    const count = pluralize(status.completed, this.unit);
    const text = {
      completed: `Completed: ${count} evaluated`,
      cancelled: `Canceled after ${count}`,
      failed: "The evaluation failed",
    }[status.state];
    this.hideProgress(text);
    announce(text);
    this.report = status.report;
    /** Whether all items have been evaluated. */
    this.isComplete = status.state === "completed" && !!status.report;
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
