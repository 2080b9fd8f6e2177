// An embedding, and its distances from named embeddings in this browser.

import { barStrip } from "./charts.js";
import {
  button,
  caption,
  element,
  hiddenTitleColumn,
  numberColumns,
  setContent,
  table,
  textColumns,
  uniqueID,
} from "./dom.js";
import { formatNumber } from "./format.js";
import { notify } from "./notifications.js";
import { loadLocal, saveLocal } from "./storage.js";

const MAX_NEIGHBORS = 8;

export class EmbeddingView {
  constructor(panel) {
    this.panel = panel;
    this.storageKey = `vectors.${panel.name}`;
    this.references = loadLocal(this.storageKey, []);
    this.chart = element("div");
    this.nearest = element("div");
    const id = uniqueID("embedding-name");
    this.nameField = element("input", {
      id,
      type: "text",
      autocomplete: "off",
      placeholder: "a name",
      maxlength: 80,
      required: true,
    });
    this.element = element(
      "div.embedding",
      {},
      this.chart,
      element(
        "form.inline",
        { submit: (event) => this.saveCurrent(event) },
        element("label", { for: id }, "Name this embedding"),
        this.nameField,
        element("button", { type: "submit" }, "Save"),
      ),
      this.nearest,
    );
  }

  update(values) {
    this.values = values;
    setContent(
      this.chart,
      barStrip(values, `An embedding of ${values.length} numbers`),
      element(
        "details",
        {},
        element("summary", {}, `${values.length} numbers`),
        element("pre", { tabindex: "0" }, values.map(formatNumber).join("  ")),
      ),
    );
    this.renderNearest();
  }

  saveCurrent(event) {
    event.preventDefault();
    this.references.push({ name: this.nameField.value.trim(), values: this.values });
    this.store();
    this.nameField.value = "";
    this.renderNearest();
  }

  store() {
    if (saveLocal(this.storageKey, this.references)) return;
    notify(
      "The browser's storage is full; the embedding is lost when the page is closed.",
      "error",
    );
  }

  renderNearest() {
    const task = this.panel.task ?? {};
    const distance = task.metric === "cosine" ? cosineDistance : euclideanDistance;
    const neighbors = this.references
      .filter((reference) => reference.values.length === this.values.length)
      .map((reference) => ({ reference, distance: distance(reference.values, this.values) }))
      .sort((one, other) => one.distance - other.distance);
    const [first] = neighbors;
    this.summary = first
      ? `nearest is ${first.reference.name}, at ${formatNumber(first.distance)}`
      : `${this.values.length} numbers`;
    setContent(
      this.nearest,
      neighbors.length
        ? this.neighborTable(neighbors, task)
        : element(
            "p.muted",
            {},
            "Name a few embeddings to list the nearest ones with their distances. ",
            "Names are stored in this browser only.",
          ),
    );
  }

  neighborTable(neighbors, { threshold, metric = "euclidean" }) {
    const columns = [
      ...textColumns("Name"),
      ...numberColumns("Distance"),
      ...(threshold ? textColumns("Match") : []),
      hiddenTitleColumn("Remove"),
    ];
    const rows = neighbors.slice(0, MAX_NEIGHBORS).map(({ reference, distance }) => [
      reference.name,
      distance.toFixed(4),
      ...(threshold ? [matchBadge(distance <= threshold)] : []),
      button("Remove", () => this.remove(reference), {
        kind: "button.button-plain.button-small",
        "aria-label": `Remove ${reference.name}`,
      }),
    ]);
    const title = `Nearest (${metric === "cosine" ? "cosine" : "Euclidean"} distance)`;
    return table(columns, rows, { kind: "table.nearest-neighbors", caption: caption(title) });
  }

  remove(reference) {
    this.references = this.references.filter((other) => other !== reference);
    this.store();
    this.renderNearest();
  }
}

const matchBadge = (isMatch) =>
  element(isMatch ? "span.success" : "span.muted", {}, isMatch ? "match" : "no match");

const norm = (values) => Math.sqrt(values.reduce((sum, value) => sum + value ** 2, 0));

const euclideanDistance = (one, other) =>
  Math.sqrt(one.reduce((sum, value, index) => sum + (value - other[index]) ** 2, 0));

function cosineDistance(one, other) {
  const dot = one.reduce((sum, value, index) => sum + value * other[index], 0);
  return 1 - dot / (norm(one) * norm(other) || 1);
}
