// A model's outputs, with a view for each kind of value.

import { barStrip, maxMagnitude } from "./charts.js";
import { button, download, element, setContent, setText } from "./dom.js";
import { EmbeddingView } from "./embedding-view.js";
import { countedTitles, EntriesView, entryTitle, merged } from "./entries.js";
import { formatNumber, formatPercent, pluralize } from "./format.js";
import { TranscriptView } from "./transcript.js";

const MAX_LISTED_NUMBERS = 64;
/** Longer texts make the page slow; they can be downloaded. */
const MAX_TEXT_NUMBERS = 10_000;
const MAX_TEXT_LENGTH = 100_000;

/** Returns the kind of an output, which determines its view. */
function outputKind(value, key, metadata) {
  if (typeof value === "number") return "number";
  if (typeof value === "string") return "text";
  if (!Array.isArray(value)) return objectKind(value ?? {});
  if (value.every((each) => typeof each === "number")) {
    // The vector of an output has the name of its role.
    const isVector = metadata?.outputs?.some(
      ({ name, role }) => role === "embedding" && (name === key || role === key),
    );
    return isVector ? "vector" : "numbers";
  }
  if (!value.every((each) => each !== null && typeof each === "object" && !Array.isArray(each))) {
    return "json";
  }
  return value.every(isScoredLabel) ? "labels" : "entries";
}

/** Returns the kind of a record: an image, or one with lists of entries, which are what people read. */
function objectKind(value) {
  if (typeof value.text === "string" && Array.isArray(value.segments)) return "transcript";
  if (Object.values(value).some((member) => Array.isArray(member) && isEntry(member[0]))) {
    return "record";
  }
  return typeof value.png === "string" ? "image" : "json";
}

const isEntry = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/** Whether an entry has nothing but a label of a list and its score. */
const isScoredLabel = (entry) =>
  Object.keys(entry).every((name) => ["label", "score", "index"].includes(name)) &&
  typeof entry.index === "number";

const views = {
  labels: (key) => new LabelScoresView(key),
  entries: (key) => new EntriesView(key),
  record: (key, panel) => new RecordView(key, panel),
  transcript: () => new TranscriptView(),
  image: (key) => new OutputImageView(key),
  vector: (_key, panel) => new EmbeddingView(panel),
  number: () => new NumberView(),
  numbers: (key) => new NumbersView(key),
  text: () => new TextView(),
  result: (key) => new ResultView(key),
  json: (key) => new JSONView(key),
};

/** All outputs of a model. Views are reused while the kinds of the outputs do not change. */
export class OutputList {
  constructor(panel) {
    this.panel = panel;
    this.views = new Map();
    this.element = element("div.outputs", {});
  }

  /** Shows outputs; `lines` is the text of the task's result, which is the first output. */
  show(outputs, context, lines = []) {
    const entries = Object.entries(outputs ?? {}).map(([key, value]) => ({
      key,
      value,
      kind: outputKind(value, key, this.panel.metadata),
    }));
    if (lines.length && entries[0]?.kind === "json") {
      entries[0].kind = "result";
      entries[0].value = { lines, value: entries[0].value };
    }
    const kinds = entries.map(({ key, kind }) => `${key}:${kind}`).join("|");
    if (kinds !== this.kinds) this.rebuild(entries, kinds);
    for (const { key, value } of entries) this.views.get(key).update(value, context);
  }

  rebuild(entries, kinds) {
    this.kinds = kinds;
    this.views = new Map(entries.map(({ key, kind }) => [key, views[kind](key, this.panel)]));
    const parts = [...this.views].map(([key, view]) =>
      element(
        "div.output",
        {},
        entries.length > 1 || view.showsName ? element("h3.output-name", {}, key) : null,
        view.element,
      ),
    );
    setContent(
      this.element,
      parts.length ? parts : element("p.muted", {}, "The model has no outputs."),
    );
  }

  /** A short text that describes the outputs. */
  get summary() {
    return [...this.views.values()]
      .map((view) => view.summary)
      .filter(Boolean)
      .join("; ");
  }

  /** The label with the highest score, if there are labels. */
  get topLabel() {
    return [...this.views.values()]
      .map((view) => view.topLabel)
      .find((label) => label !== undefined);
  }

  /** The number that the model predicts, if that is its only result. */
  get number() {
    const [view, ...others] = this.views.values();
    return others.length ? undefined : view?.number;
  }

  /** Discards the history that smoothing uses. */
  resetHistory() {
    for (const view of this.views.values()) view.resetHistory?.();
  }
}

class LabelScoresView {
  constructor(key) {
    this.element = element("ol.score-bars", { "aria-label": `Labels of ${key}` });
    this.rows = [];
    this.history = new Map();
  }

  resetHistory() {
    this.history.clear();
  }

  update(entries, { top, isSmooth }) {
    const visible = (isSmooth ? this.smoothed(entries) : entries).slice(0, top);
    const maxRows = Math.max(visible.length, Math.min(top, this.rows.length));
    while (this.rows.length > maxRows) this.rows.pop().element.remove();
    while (this.rows.length < visible.length) this.addRow();
    for (const [index, row] of this.rows.entries()) this.setRow(row, visible[index], entries);
    this.topLabel = visible[0]?.label;
    this.summary = visible[0]
      ? `${visible[0].label}, ${formatPercent(visible[0].score)}`
      : "no labels";
  }

  // An exponential moving average, in which the history has a weight of 0.7.
  smoothed(entries) {
    const current = new Map(entries.map((entry) => [entry.index ?? entry.label, entry]));
    for (const [key, entry] of this.history) {
      if (!current.has(key)) current.set(key, { ...entry, score: 0 });
    }
    for (const [key, entry] of current) {
      const previous = this.history.get(key)?.score ?? entry.score;
      this.history.set(key, { ...entry, score: 0.7 * previous + 0.3 * entry.score });
    }
    return [...this.history.values()].sort((one, other) => other.score - one.score);
  }

  addRow() {
    const row = {
      label: element("span.name"),
      score: element("span.score"),
      bar: element("span.score-bar", { "aria-hidden": "true" }),
    };
    row.element = element("li", {}, row.label, row.score, element("span.score-track", {}, row.bar));
    this.rows.push(row);
    this.element.append(row.element);
  }

  setRow(row, entry, entries) {
    row.element.classList.toggle("is-empty", !entry);
    const isFraction = entries.every((each) => each.score >= 0 && each.score <= 1);
    const highest = isFraction ? 1 : maxMagnitude(entries.map((each) => each.score)) || 1;
    const format = isFraction ? formatPercent : formatNumber;
    setText(row.label, entry?.label || (entry ? `class ${entry.index}` : ""));
    row.label.title = entry?.label ?? "";
    setText(row.score, entry ? format(entry.score) : "");
    row.bar.style.setProperty("--share", entry ? Math.max(0, entry.score / highest).toFixed(4) : 0);
  }
}

/**
 * Returns what a model has predicted in a line: its text, the classes that it names, and the score of
 * the best label or of the least certain entry, if there are scores.
 */
export function predictionOf(outputs) {
  const [[key, value]] = Object.entries(outputs ?? {});
  const kind = outputKind(value, key);
  if (kind === "record") {
    return predictionOf({ [key]: Object.values(value).find((each) => Array.isArray(each)) });
  }
  if (kind === "labels" || kind === "entries") {
    const entries = kind === "labels" ? value.slice(0, 1) : merged(value);
    const titles = entries.map((entry) => entryTitle(entry) || `class ${entry.index}`);
    const scores = entries.map(({ score }) => score).filter((score) => typeof score === "number");
    const text = kind === "labels" ? titles[0] : countedTitles(entries);
    return {
      text: text || `no ${key}`,
      classes: titles.length ? [...new Set(titles)] : [`no ${key}`],
      score: scores.length ? Math.min(...scores) : undefined,
    };
  }
  const text =
    { number: formatNumber, text: String, transcript: ({ text }) => text }[kind]?.(value) ?? kind;
  return { text, classes: [] };
}

/** A result with several lists, such as the labels of a sound and of its windows; each has a view of its own. */
class RecordView {
  constructor(_key, panel) {
    this.outputs = new OutputList(panel);
    this.element = this.outputs.element;
  }

  update(value, context) {
    const lists = Object.entries(value).filter(
      ([, member]) => Array.isArray(member) && isEntry(member[0]),
    );
    this.outputs.show(Object.fromEntries(lists), context);
    this.summary = this.outputs.summary;
    this.topLabel = this.outputs.topLabel;
  }
}

class OutputImageView {
  constructor(key) {
    this.key = key;
    this.image = element("img.output-image-content", { alt: `Output image ${key}` });
    this.size = element("span.muted");
    this.element = element(
      "figure.output-image",
      {},
      this.image,
      element(
        "figcaption",
        {},
        this.size,
        button("Download", () => this.save(), { kind: "button.button-plain.button-small" }),
      ),
    );
  }

  update({ png, width, height }) {
    this.png = png;
    this.image.src = `data:image/png;base64,${png}`;
    this.image.classList.toggle("pixelated", width <= 160);
    setText(this.size, `${width} × ${height}`);
    this.summary = `an image of ${width} by ${height} pixels`;
  }

  save() {
    const bytes = Uint8Array.from(atob(this.png), (character) => character.charCodeAt(0));
    download(`${this.key}.png`, "image/png", bytes);
  }
}

class NumberView {
  showsName = true;
  element = element("p.scalar-output");

  update(value) {
    setText(this.element, formatNumber(value));
    this.element.title = String(value);
    this.number = value;
    this.summary = formatNumber(value);
  }
}

class NumbersView {
  showsName = true;
  element = element("div");

  constructor(key) {
    this.key = key;
  }

  update(values) {
    const list = element(
      "ol.numbers",
      { start: 0 },
      values
        .slice(0, MAX_LISTED_NUMBERS)
        .map((value, index) =>
          element(
            "li",
            {},
            element("span.muted", {}, String(index)),
            element("span", { title: String(value) }, formatNumber(value)),
          ),
        ),
    );
    this.summary = pluralize(values.length, "number");
    setContent(
      this.element,
      barStrip(values, this.summary),
      list,
      values.length > MAX_LISTED_NUMBERS ? this.allNumbers(values) : null,
    );
  }

  allNumbers(values) {
    const text = element("pre", { tabindex: "0" });
    const title =
      values.length > MAX_TEXT_NUMBERS
        ? `The first ${MAX_TEXT_NUMBERS.toLocaleString("en")} of ${this.summary}`
        : `All ${this.summary}`;
    const details = element(
      "details",
      {
        toggle: () => details.open && setText(text, values.slice(0, MAX_TEXT_NUMBERS).join(", ")),
      },
      element("summary", {}, title),
      downloadButton(this.key, () => values),
      text,
    );
    return details;
  }
}

class TextView {
  showsName = true;
  element = element("p.text");

  update(value) {
    setText(this.element, value);
    this.summary = value.slice(0, 120);
  }
}

/** The text of a task's result. */
class ResultView {
  constructor(key) {
    this.text = element("pre.result-lines", { tabindex: "0" });
    const save = downloadButton(key, () => this.value);
    this.element = element("div", {}, this.text, save);
  }

  update({ lines, value }) {
    this.value = value;
    setText(this.text, lines.map((line) => line.replace(/^ {2}/, "")).join("\n"));
    this.summary = lines.join("; ").trim().slice(0, 120);
  }
}

class JSONView {
  showsName = true;

  constructor(key) {
    this.text = element("pre", { tabindex: "0" });
    this.note = element(
      "p.muted",
      {},
      `The first ${MAX_TEXT_LENGTH.toLocaleString("en")} characters. `,
      downloadButton(key, () => this.value),
    );
    this.element = element("div", {}, this.text, this.note);
  }

  update(value) {
    this.value = value;
    const text = JSON.stringify(value, null, 1);
    setText(this.text, text.slice(0, MAX_TEXT_LENGTH));
    this.note.hidden = text.length <= MAX_TEXT_LENGTH;
    this.summary = "a structured result";
  }
}

const downloadButton = (key, value) =>
  button(
    "Download",
    () => download(`${key}.json`, "application/json", `${JSON.stringify(value())}\n`),
    { kind: "button.button-plain.button-small", "aria-label": `Download ${key}` },
  );
