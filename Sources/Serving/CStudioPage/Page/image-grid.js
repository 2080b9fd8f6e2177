// The Images tab: runs a model, or two, on many images without labels, to find those that a person should see.

import * as api from "./api.js";
import { button, byId, download, element, labeledField, setContent, setText } from "./dom.js";
import { enlargeable } from "./enlarge.js";
import { csvText, formatNumber, formatPercent, pluralize } from "./format.js";
import { isImage, toReadableImage } from "./images.js";
import { updateComparison } from "./input-source.js";
import { missingRuntimeNotice } from "./missing-runtime.js";
import { announce, notify } from "./notifications.js";
import { predictionOf } from "./outputs.js";
import { OverlaidImage } from "./overlay.js";
import { modelNamed, navigate, onChange, selection } from "./state.js";
import { addFiles } from "./try.js";

const MAX_CONCURRENT_RUNS = 4;
/** Items that are added to the page at once; more follow when the end of the grid is visible. */
const PAGE_SIZE = 200;

/** The runs by model; their images exist in memory only. */
const runs = new Map();

export function initImages() {
  onChange("view", show);
  onChange("state", () => {
    for (const [name, run] of runs) {
      if (modelNamed(name)) run.updateComparison();
      else runs.delete(name);
    }
    if (selection.view === "images") show();
  });
}

/** Runs the selected model on files, and shows the tab. */
export function runOnImages(files) {
  navigate(selection.model, "images");
  runs.get(selection.model)?.start(files);
}

function show() {
  if (selection.view !== "images") return;
  const model = modelNamed(selection.model);
  const view = byId("view-images");
  if (!model || model.error) return void setContent(view);
  if (model.missing_runtime) return void setContent(view, missingRuntimeNotice(model));
  if (!runs.has(model.name)) runs.set(model.name, new ImageRun(model));
  setContent(view, runs.get(model.name).element);
}

const orders = {
  files: ["Order of the files", () => 0],
  unsure: ["Least certain first", (one, other) => certainty(one) - certainty(other)],
  sure: ["Most certain first", (one, other) => certainty(other) - certainty(one)],
  different: ["Largest disagreement first", (one, other) => other.disagreement - one.disagreement],
};

const certainty = ({ predictions: [first] }) => first?.score ?? 0;

/** An image and what the models have predicted for it. */
class Item {
  constructor(file) {
    this.file = file;
    this.name = file.webkitRelativePath || file.name;
    this.predictions = [];
  }

  /** What a filter selects the item by. */
  get classes() {
    return this.error ? ["error"] : this.predictions[0].classes;
  }

  /** 0 if both models agree, up to 2 if they are certain of different things. */
  get disagreement() {
    const [first, second] = this.predictions;
    if (!first || !second) return 0;
    const scores = [first.score ?? 0, second.score ?? 0];
    return this.isDisputed ? 1 + (scores[0] + scores[1]) / 2 : Math.abs(scores[0] - scores[1]);
  }

  /** Whether two models predict different things. */
  get isDisputed() {
    const [first, second] = this.predictions;
    return !!second && first.text !== second.text;
  }

  /** Runs the models; an error takes the place of a prediction. */
  async run(models, signal) {
    const blob = await toReadableImage(this.file);
    for (const [index, model] of models.entries()) {
      const send = () => api.predict(model, blob, { display: 1 }, signal);
      const record = await api.retryWhileOverloaded(send);
      this.predictions[index] = predictionOf(record.outputs);
      if (index === 0) this.overlay = record.display?.overlay ?? [];
    }
  }
}

class ImageRun {
  constructor(model) {
    this.model = model;
    this.items = [];
    this.note = element("p.progress-text", { role: "status" });
    this.bar = element("progress", { max: 1, value: 0, "aria-label": "Progress", hidden: true });
    this.cancelButton = button("Cancel", () => this.controller?.abort(), { hidden: true });
    this.result = element("div.panel", { hidden: true });
    this.grid = element("div.image-grid");
    this.end = element("div");
    new IntersectionObserver(([entry]) => entry.isIntersecting && this.addPage()).observe(this.end);
    this.element = element("div", {}, this.sourcePanel(), this.result);
  }

  sourcePanel() {
    const chooser = (title, attributes, kind) => {
      const field = element("input.visually-hidden", {
        type: "file",
        multiple: true,
        tabindex: -1,
        "aria-label": title,
        ...attributes,
        change: () => {
          this.start([...field.files]);
          field.value = "";
        },
      });
      return [field, button(title, () => field.click(), { kind })];
    };
    this.secondModel = element("select");
    this.comparison = labeledField("Compare with", this.secondModel);
    this.updateComparison();
    return element(
      "div.panel",
      {},
      element("h2", {}, "Run the model on many images"),
      element(
        "p.muted",
        {},
        "Images need no labels. Look first at those of which the model is least certain, or about which two models disagree.",
      ),
      element(
        "div.row.image-run-sources",
        {},
        chooser("Choose a folder", { webkitdirectory: true }, "button.button-primary"),
        chooser("Choose images", { accept: "image/*" }, "button"),
        this.comparison,
      ),
      element("div.row", {}, this.note, this.cancelButton),
      this.bar,
    );
  }

  /** Lists the models that can be compared, which imports and removals change. */
  updateComparison() {
    updateComparison(this.secondModel, this.model.name);
    this.comparison.hidden = this.secondModel.options.length === 1;
  }

  /** Runs the model on all images among the files. */
  async start(files) {
    const images = files.filter((file) => isImage(file) && !file.name.startsWith("."));
    if (!images.length) return notify("None of the files is an image.", "error");
    this.controller?.abort();
    const controller = new AbortController();
    this.controller = controller;
    for (const item of this.items) if (item.url) URL.revokeObjectURL(item.url);
    this.items = images.map((file) => new Item(file));
    this.models = [this.model.name, this.secondModel.value].filter(Boolean);
    this.leftOut = files.length - images.length;
    this.result.hidden = true;
    [this.bar.hidden, this.cancelButton.hidden] = [false, false];
    await this.runAll(controller);
    if (this.controller !== controller) return undefined;
    [this.bar.hidden, this.cancelButton.hidden] = [true, true];
    this.items = this.items.filter(({ predictions, error }) => predictions.length || error);
    this.showResult(controller.signal.aborted);
    return undefined;
  }

  async runAll({ signal }) {
    const begin = performance.now();
    let next = 0,
      done = 0;
    const runItems = async () => {
      while (next < this.items.length && !signal.aborted) {
        const item = this.items[next++];
        try {
          await item.run(this.models, signal);
        } catch (error) {
          if (signal.aborted) return;
          if (error.code === "offline") this.controller.abort();
          item.error = error.message;
        }
        done += 1;
        this.bar.value = done / this.items.length;
        const rate = Math.round((done * 1000) / (performance.now() - begin));
        setText(
          this.note,
          `${done} of ${pluralize(this.items.length, "image")}, ${rate} per second`,
        );
      }
    };
    await Promise.all(Array.from({ length: MAX_CONCURRENT_RUNS }, runItems));
  }

  showResult(isCanceled) {
    const failures = this.items.filter(({ error }) => error).length;
    const facts = [
      `${isCanceled ? "Canceled after" : "Completed:"} ${pluralize(this.items.length, "image")}`,
    ];
    if (failures) facts.push(`${failures} could not be read or run`);
    if (this.leftOut) facts.push(`${pluralize(this.leftOut, "file")} left out that are not images`);
    setText(this.note, facts.join("; "));
    announce(this.note.textContent);
    this.result.hidden = false;
    setContent(this.result, this.toolbar(), this.count, this.grid, this.end);
    this.arrange();
  }

  toolbar() {
    const isComparison = this.models.length === 2;
    const change = () => this.arrange();
    const option = (value, title) => element("option", { value }, title);
    this.order = element(
      "select",
      { change },
      Object.entries(orders)
        .filter(([name]) => isComparison || name !== "different")
        .map(([name, [title]]) => option(name, title)),
    );
    this.order.value = isComparison ? "different" : "unsure";
    const counts = new Map();
    for (const name of this.items.flatMap(({ classes }) => classes)) {
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
    const names = [...counts].sort(([, one], [, other]) => other - one);
    this.filter = element(
      "select",
      { change },
      option("", `all (${this.items.length})`),
      names.map(([name, count]) => option(name, `${name} (${count})`)),
    );
    this.onlyDifferent = element("input", { type: "checkbox", change });
    this.count = element("p.muted", { role: "status" });
    return element(
      "div.row",
      {},
      labeledField("Order", this.order),
      names.length > 1 ? labeledField("Prediction", this.filter) : null,
      isComparison
        ? element("label.checkbox-field", {}, this.onlyDifferent, "Only where the models differ")
        : null,
      element("span.flex-grow"),
      button("CSV", () => this.exportAs("csv"), { kind: "button.button-small" }),
      button("JSON", () => this.exportAs("json"), { kind: "button.button-small" }),
    );
  }

  /** Shows the items that the filter selects, in the selected order. */
  arrange() {
    const [, compare] = orders[this.order.value];
    this.visible = this.items
      .filter(({ classes }) => !this.filter.value || classes.includes(this.filter.value))
      .filter(({ isDisputed }) => !this.onlyDifferent.checked || isDisputed)
      .sort(compare);
    const different = this.items.filter(({ isDisputed }) => isDisputed).length;
    const note = this.models.length === 2 ? `; the models differ in ${different}` : "";
    setText(this.count, `${pluralize(this.visible.length, "image")} shown${note}.`);
    setContent(this.grid);
    this.addPage();
  }

  addPage() {
    const count = this.grid.childElementCount;
    const added = this.visible?.slice(count, count + PAGE_SIZE) ?? [];
    this.grid.append(...added.map((item) => this.cell(item)));
  }

  cell(item) {
    item.url ??= URL.createObjectURL(item.file);
    const picture = new OverlaidImage(item.url, () => item.overlay ?? []);
    const lines = item.error
      ? [element("span.error", {}, item.error)]
      : item.predictions.map((each) => predictionLine(each));
    const title = `Try ${item.name}`;
    return element(
      item.isDisputed ? "div.image-cell.different" : "div.image-cell",
      {},
      enlargeable(picture.element, item.name, { caption: `${item.name}: ${cellText(item)}` }),
      element(
        "button.image-result",
        {
          type: "button",
          title,
          "aria-label": `${title}: ${cellText(item)}`,
          click: () => this.open(item),
        },
        lines,
        element("span.path", {}, item.name.split("/").pop()),
      ),
    );
  }

  async open({ file }) {
    navigate(this.model.name, "try");
    await addFiles([file]);
  }

  exportAs(format) {
    const second = this.models.length === 2 ? ["prediction_2", "score_2"] : [];
    const columns = ["image", "prediction", "score", ...second, "error"];
    const rows = this.visible.map(({ name, predictions, error }) => {
      const [first, other] = predictions;
      const values = { prediction_2: other?.text, score_2: other?.score };
      const row = { image: name, prediction: first?.text, score: first?.score, ...values, error };
      return Object.fromEntries(columns.map((column) => [column, row[column] ?? null]));
    });
    const [type, text] =
      format === "json"
        ? ["application/json", `${JSON.stringify(rows, null, 2)}\n`]
        : ["text/csv", csvText(columns, rows)];
    download(`${this.model.name}-images.${format}`, type, text);
  }
}

const predictionLine = ({ text, score }) =>
  element(
    "span.image-prediction",
    {},
    element("span.name", {}, text),
    element("span.score", {}, formatScore(score)),
  );

/** Formats a score, which is a fraction unless the model has no activation. */
function formatScore(score) {
  if (typeof score !== "number") return "";
  return score >= 0 && score <= 1 ? formatPercent(score) : formatNumber(score);
}

const cellText = ({ predictions, error }) =>
  error ?? predictions.map(({ text }) => text).join(" and ");
