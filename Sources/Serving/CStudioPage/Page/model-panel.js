// One model and one input: runs the model and shows its outputs and latency.

import * as api from "./api.js";
import { Sparkline } from "./charts.js";
import { element, setContent, setText } from "./dom.js";
import { entryTitle } from "./entries.js";
import { formatMilliseconds, pluralize, stageTitles } from "./format.js";
import { InputView } from "./input-view.js";
import { OutputList } from "./outputs.js";
import { modelNamed } from "./state.js";
import { textLinesOf } from "./text-layer.js";
import { timelineOf } from "./timeline.js";

/** The number of labels requested for smoothing, so that a label can return to the top. */
const SMOOTHING_LABELS = 50;

export class ModelPanel {
  constructor(name) {
    this.name = name;
    this.inputView = new InputView();
    this.latency = new LatencyTable();
    this.outputs = new OutputList(this);
    this.errorMessage = element("p.error-message", { role: "alert", hidden: true });
    this.labelSlot = element("div");
    this.inputSlot = element("div.input-preview", {}, this.inputView.element);
    this.title = element("h2.model-panel-title", {}, modelNamed(name)?.title ?? name);
    this.result = element(
      "section.result",
      { "aria-label": `Result of ${this.title.textContent}` },
      element("h2.kicker", {}, "Result"),
      this.errorMessage,
      this.outputs.element,
      this.labelSlot,
      this.latency.element,
    );
    this.element = element(
      "article.model-panel.panel",
      { "data-model": name },
      this.title,
      this.inputSlot,
      this.result,
    );
    this.boxes = [];
    this.showPlaceholder();
  }

  /** Loads the model's metadata. */
  async load() {
    this.metadata = await api.getModel(this.name);
    const description = await api.getDescription(this.name).catch(() => null);
    this.task = description?.task;
    this.cameraFacing = description?.options?.device_position === "back" ? "environment" : "user";
    this.defaultMinScore = description?.task?.threshold;
    this.element.classList.toggle("values", !this.acceptsImage);
    if (!this.acceptsImage) await this.loadTextInputs();
  }

  // Only the loaded model tells text from numbers; an error is reported when it is run.
  async loadTextInputs() {
    const names = await api.getTextInputs(this.name).catch(() => []);
    // A question needs the text that answers it.
    const isPair = this.metadata.outputs.some(({ role }) => role === "start_scores");
    for (const input of this.metadata.inputs) {
      input.isText = names.includes(input.name);
      input.textCount = isPair ? 2 : 1;
    }
  }

  /** Uses the fields of a form, and shows them beside the result unless two models share them. */
  useForm(form, isShared) {
    if (!isShared) setContent(this.inputSlot, form.element);
    this.player = form.player;
    this.player?.addEventListener("time", () => this.followSound());
  }

  /** Marks the entries and words that the sound plays. */
  followSound() {
    const { time } = this.player;
    for (const node of this.result.querySelectorAll("[data-start]")) {
      const { start, end = Number(start) + 0.5 } = node.dataset;
      node.classList.toggle("is-playing", time >= Number(start) && time < Number(end));
    }
  }

  /** Returns values for this model, of which another one names the inputs. */
  named(values) {
    const all = Object.values(values);
    return Object.fromEntries(
      this.metadata.inputs.map(({ name }, index) => [name, values[name] ?? all[index]]),
    );
  }

  /** Whether the model's only input is an image. */
  get acceptsImage() {
    const inputs = this.metadata?.inputs ?? [];
    return inputs.length === 1 && inputs[0].type === "image";
  }

  /** Whether the model writes texts, token by token. */
  get writesText() {
    return !!this.metadata?.task_settings?.includes("template");
  }

  /** Whether the model transcribes recordings, also while they are made. */
  get transcribes() {
    return !!this.metadata?.task_settings?.includes("silence_threshold");
  }

  /** Whether the task has a minimum score, which the page lets people change. */
  get hasMinimumScore() {
    return !!this.metadata?.task_settings?.includes("threshold");
  }

  /** Whether the model finds boxes. */
  get findsBoxes() {
    return this.acceptsImage && !!this.metadata?.task_settings?.includes("suppression");
  }

  /** Whether the model finds the class of each pixel. */
  get classifiesPixels() {
    const outputs = this.metadata?.outputs ?? [];
    return this.acceptsImage && !this.findsBoxes && outputs.some(({ role }) => role === "mask");
  }

  /** The number of labels of the output with scores, of which the page shows some; 0 if there is none. */
  get labelCount() {
    const output = this.metadata?.outputs?.find(
      ({ label_count: count, role }) => count && (!role || role === "scores"),
    );
    return output?.label_count ?? 0;
  }

  showPlaceholder() {
    this.showView(element("p.muted", {}, "The result appears here."));
  }

  /** Shows an element in place of the outputs, until the next result. */
  showView(view) {
    this.cancel();
    this.errorMessage.hidden = true;
    this.outputs.element.hidden = false;
    this.player?.setTimeline();
    setContent(this.outputs.element, view);
    this.outputs.kinds = null;
  }

  /** Runs the model. An input cancels the pending run; a live frame is skipped during one. */
  async run(input, { isLive = false, size, minScore = null, top, isSmooth = false } = {}) {
    if (isLive && this.pendingRequest) return false;
    this.cancel();
    const controller = new AbortController();
    this.pendingRequest = controller;
    this.result.setAttribute("aria-busy", "true");
    try {
      const labels = this.labelCount ? Math.max(top, isSmooth ? SMOOTHING_LABELS : 0) : null;
      const options = { top: labels, min_score: minScore, display: 1 };
      const values = input instanceof Blob ? input : this.named(input);
      const send = () => api.predict(this.name, values, options, controller.signal);
      const record = await (isLive ? send() : api.retryWhileOverloaded(send, 5));
      if (controller.signal.aborted) return false;
      this.show(record, { size, top, isSmooth, isLive, texts: textsOf(values) });
      return true;
    } catch (error) {
      if (error.name !== "AbortError" && !controller.signal.aborted) this.showError(error);
      return false;
    } finally {
      if (this.pendingRequest === controller) this.pendingRequest = null;
      if (!this.pendingRequest) this.result.removeAttribute("aria-busy");
    }
  }

  show(record, context) {
    const entries = Object.values(record.outputs ?? {}).flat();
    this.boxes = entries.filter((entry) => entry?.box && entryTitle(entry));
    this.errorMessage.hidden = true;
    this.outputs.element.hidden = false;
    const { inputView, player } = this;
    inputView.setEntries([]);
    this.outputs.show(record.outputs, { ...context, inputView, player }, record.display?.lines);
    // The text of camera frames changes before it can be selected.
    const lines = context.isLive ? [] : textLinesOf(record.outputs);
    inputView.setOverlay(record.display?.overlay ?? [], context.size, lines);
    player?.setTimeline(timelineOf(record.outputs));
    if (record.timing_ms) this.latency.add(record.timing_ms);
  }

  /** Shows the result of a frame of a video. */
  showFrame(record, options) {
    if (record.error) this.showError({ message: api.asSentence(record.error.message) });
    else this.show(record, { ...options, size: this.inputView.size, isLive: true, texts: [] });
  }

  showError(error) {
    this.errorMessage.hidden = false;
    this.outputs.element.hidden = true;
    this.inputView.clearResult();
    this.player?.setTimeline();
    setContent(
      this.errorMessage,
      error.message,
      error.detail ? element("small.muted", {}, ` (${error.detail})`) : null,
    );
  }

  /** Cancels the pending request. */
  cancel() {
    this.pendingRequest?.abort();
    this.pendingRequest = null;
  }
}

/** Returns the texts among the values of inputs. */
const textsOf = (values) =>
  values instanceof Blob
    ? []
    : Object.values(values)
        .flat()
        .filter((value) => typeof value === "string" && !value.startsWith("base64:"));

/** The duration of each stage: of the last run and on average. */
class LatencyTable {
  constructor() {
    this.cells = {};
    this.sparkline = new Sparkline("Total times of recent runs");
    this.note = element("p.muted.fine-print", {}, "Milliseconds; no runs yet");
    this.element = element(
      "section.latency",
      { "aria-label": "Latency" },
      element(
        "table.latency-table",
        {},
        element("caption.visually-hidden", {}, "Times in milliseconds"),
        element(
          "thead",
          {},
          element(
            "tr",
            {},
            element("td"),
            stageTitles.map(([, title]) => element("th.number", { scope: "col" }, title)),
          ),
        ),
        element("tbody", {}, this.row("last", "Last"), this.row("mean", "Mean")),
      ),
      element("div.latency-trend", {}, this.sparkline.element, this.note),
    );
    this.reset();
  }

  row(kind, title) {
    return element(
      "tr",
      {},
      element("th", { scope: "row" }, title),
      stageTitles.map(([stage]) => {
        const cell = element(stage === "total" ? "td.number.emphasis" : "td.number", {}, "–");
        this.cells[`${kind} ${stage}`] = cell;
        return cell;
      }),
    );
  }

  /** Restarts the averages. */
  reset() {
    this.sums = {};
    this.runs = 0;
  }

  add(times) {
    this.runs += 1;
    for (const [stage] of stageTitles) {
      if (typeof times?.[stage] !== "number") continue;
      this.sums[stage] = (this.sums[stage] ?? 0) + times[stage];
      setText(this.cells[`last ${stage}`], formatMilliseconds(times[stage]));
      setText(this.cells[`mean ${stage}`], formatMilliseconds(this.sums[stage] / this.runs));
    }
    if (typeof times?.total === "number") this.sparkline.add(times.total);
    setText(this.note, `Milliseconds; mean of ${pluralize(this.runs, "run")}`);
  }
}
