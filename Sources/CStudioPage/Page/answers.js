// What a model says, in the form that suits it: one renderer for each kind of answer.

import { strip } from "./chart.js";
import { button, download, element, fill, tell } from "./dom.js";
import { EmbeddingAnswer } from "./embeddings.js";
import { number, percent } from "./words.js";

/** What kind of answer a value is. */
export function kindOf(value, key, about) {
  if (typeof value === "number") return "number";
  if (typeof value === "string") return "text";
  if (typeof value?.png === "string") return "picture";
  if (!Array.isArray(value)) return "other";
  if (key === "detections" || value[0]?.box) return "boxes";
  if (typeof value[0]?.score === "number") return "labels";
  if (!value.length || !value.every((each) => typeof each === "number")) return "other";
  const isEmbedding = key === "embedding" || about?.outputs?.some((output) => output.name === key && output.role === "embedding");
  return isEmbedding ? "embedding" : "numbers";
}

const makers = {
  labels: (key) => new LabelsAnswer(key), boxes: (key) => new BoxesAnswer(key),
    picture: (key) => new PictureAnswer(key),
  embedding: (key, lane) => new EmbeddingAnswer(key, lane), number: (key) => new NumberAnswer(key),
  numbers: (key) => new NumbersAnswer(key), text: (key) => new TextAnswer(key),
    other: (key) => new OtherAnswer(key),
};

/** All outputs of a model; renderers stay while the answers keep their kinds, so that nothing jumps. */
export class Answers {
  constructor(lane) {
    this.lane = lane;
    this.renderers = new Map();
    this.element = element("div.answers", {});
  }

  show(outputs, context) {
    const entries = Object.entries(outputs ?? {});
    const kinds = entries.map(([key, value]) => `${key}:${kindOf(value, key, this.lane.about)}`).join("|");
    if (kinds !== this.kinds) this.rebuild(entries, kinds);
    for (const [key, value] of entries) this.renderers.get(key).update(value, context);
  }

  rebuild(entries, kinds) {
    this.kinds = kinds;
    this.renderers = new Map(entries.map(([key, value]) => [key,
      makers[kindOf(value, key, this.lane.about)](key, this.lane)]));
    const parts = [...this.renderers].map(([key, renderer]) => element("div.output", {},
      entries.length > 1 || renderer.isNamed ? element("h4", {}, key) : null, renderer.element));
    fill(this.element, parts.length ? parts : element("p.soft", {}, "The model ran, and has nothing to say."));
  }

  /** What the answer comes to, in a few words. */
  get summary() {
    return [...this.renderers.values()].map((renderer) => renderer.summary).filter(Boolean).join("; ");
  }

  /** The best label, where the answer has one. */
  get suggestion() {
    return [...this.renderers.values()].map((renderer) => renderer.best).find((best) => best !== undefined);
  }

  /** Forgets earlier frames. */
  forget() {
    for (const renderer of this.renderers.values()) renderer.forget?.();
  }
}

class LabelsAnswer {
  constructor(key) {
    this.element = element("ol.bars", { "aria-label": `Labels of ${key}` });
    this.rows = [];
    this.scores = new Map();
  }

  forget() {
    this.scores.clear();
  }

  update(entries, { top, isSmooth }) {
    const shown = (isSmooth ? this.smoothed(entries) : entries).slice(0, top);
    while (this.rows.length > Math.max(shown.length,
      Math.min(top, this.rows.length))) this.rows.pop().element.remove();
    while (this.rows.length < shown.length) this.grow();
    this.rows.forEach((row, place) => this.set(row, shown[place], entries));
    this.best = shown[0]?.label;
    this.summary = shown[0] ? `${shown[0].label}, ${percent(shown[0].score)}` : "no label";
  }

  // A running mean in which an old frame counts for seven tenths.
  smoothed(entries) {
    const fresh = new Map(entries.map((entry) => [entry.index ?? entry.label, entry]));
    for (const key of this.scores.keys()) if (!fresh.has(key)) fresh.set(key,
      { ...this.scores.get(key), score: 0 });
    for (const [key, entry] of fresh) {
      const before = this.scores.get(key)?.score ?? entry.score;
      this.scores.set(key, { ...entry, score: 0.7 * before + 0.3 * entry.score });
    }
    return [...this.scores.values()].sort((one, other) => other.score - one.score);
  }

  grow() {
    const row = { label: element("span.name"), score: element("span.score"),
      bar: element("span.bar", { "aria-hidden": "true" }) };
    row.element = element("li", {}, row.label, row.score, element("span.track", {}, row.bar));
    this.rows.push(row);
    this.element.append(row.element);
  }

  set(row, entry, entries) {
    row.element.classList.toggle("none", !entry);
    const isShare = entries.every((each) => each.score >= 0 && each.score <= 1);
    const highest = isShare ? 1 : Math.max(...entries.map((each) => Math.abs(each.score))) || 1;
    tell(row.label, entry?.label || (entry ? `class ${entry.index}` : ""));
    row.label.title = entry?.label ?? "";
    tell(row.score, entry ? (isShare ? percent(entry.score) : number(entry.score)) : "");
    row.bar.style.setProperty("--share", entry ? Math.max(0, entry.score / highest).toFixed(4) : 0);
  }
}

class BoxesAnswer {
  constructor() {
    this.list = element("ul.found");
    this.note = element("p.soft");
    this.element = element("div", {}, this.note, this.list);
  }

  update(detections, { stage, size }) {
    stage?.mark(detections, size);
    tell(this.note, detections.length ? `${detections.length} found` : "Nothing found above the least score.");
    fill(this.list, detections.slice(0, 50).map((each) => element("li", {},
      element("span.swatch", { "--color": each.color, "aria-hidden": "true" }),
      element("span.name", {}, each.name ?? each.label),
      element("span.score", {}, percent(each.score)),
      element("span.where.soft", {},
        `at ${Math.round(each.box.xmin)}, ${Math.round(each.box.ymin)}; ${Math.round(each.box.xmax - each.box.xmin)} × ${Math.round(each.box.ymax - each.box.ymin)}`))));
    const counts = new Map();
    for (const { label } of detections) counts.set(label, (counts.get(label) ?? 0) + 1);
    this.summary = detections.length ? `found ${[...counts].map(([label, many]) => `${many} ${label}`).join(", ")}` : "found nothing";
  }
}

class PictureAnswer {
  constructor(key) {
    this.key = key;
    this.picture = element("img.made", { alt: `The picture ${key} that the model made` });
    this.size = element("span.soft");
    this.element = element("figure.made", {}, this.picture,
      element("figcaption", {}, this.size,
        button("Download", () => this.save(), { kind: "button.plain.small" })));
  }

  update({ png, width, height }) {
    this.png = png;
    this.picture.src = `data:image/png;base64,${png}`;
    this.picture.classList.toggle("tiny", width <= 160);
    tell(this.size, `${width} × ${height}`);
    this.summary = `made a picture of ${width} by ${height}`;
  }

  save() {
    download(`${this.key}.png`, "image/png", Uint8Array.from(atob(this.png), (letter) => letter.charCodeAt(0)));
  }
}

class NumberAnswer {
  isNamed = true;
  element = element("p.figure");

  update(value) {
    tell(this.element, number(value));
    this.element.title = String(value);
    this.summary = number(value);
  }
}

class NumbersAnswer {
  isNamed = true;
  element = element("div");

  update(values) {
    const table = element("ol.numbers", { start: 0 }, values.slice(0, 64).map((value, place) =>
      element("li", {}, element("span.soft", {}, String(place)),
        element("span", { title: String(value) }, number(value)))));
    fill(this.element, strip(values, `${values.length} numbers`), table,
      values.length > 64 ? element("details", {}, element("summary", {}, `All ${values.length} numbers`),
        element("pre", { tabindex: "0" }, values.join(", "))) : null);
    this.summary = `${values.length} numbers`;
  }
}

class TextAnswer {
  isNamed = true;
  element = element("p.text");

  update(value) {
    tell(this.element, value);
    this.summary = value.slice(0, 120);
  }
}

class OtherAnswer {
  isNamed = true;
  element = element("pre", { tabindex: "0" });

  update(value) {
    tell(this.element, JSON.stringify(value, null, 1));
    this.summary = "an answer in several parts";
  }
}
