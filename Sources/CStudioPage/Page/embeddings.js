// Vectors: who is near whom, among those that somebody has named in this browser.

import { strip } from "./chart.js";
import { button, element, fill, fresh } from "./dom.js";
import { keep, recall } from "./kept.js";
import { notice } from "./notices.js";
import { caption, numbers, silent, table, words } from "./table.js";
import { number } from "./words.js";

export class EmbeddingAnswer {
  constructor(key, lane) {
    this.lane = lane;
    this.place = `vectors.${lane.name}`;
    this.named = recall(this.place, []);
    this.drawing = element("div");
    this.nearest = element("div");
    const id = fresh("vector-name");
    this.name = element("input",
      { id, type: "text", autocomplete: "off", placeholder: "a name", maxlength: 80, required: true });
    this.element = element("div.embedding", {}, this.drawing,
      element("form.inline", { submit: (event) => this.keepCurrent(event) },
        element("label", { for: id }, "Name this one"), this.name,
        element("button", { type: "submit" }, "Keep")),
      this.nearest);
  }

  update(values) {
    this.values = values;
    fill(this.drawing, strip(values, `A vector of ${values.length} numbers`),
      element("details", {}, element("summary", {}, `${values.length} numbers`),
        element("pre", { tabindex: "0" }, values.map(number).join("  "))));
    this.compare();
  }

  keepCurrent(event) {
    event.preventDefault();
    this.named.push({ name: this.name.value.trim(), values: this.values });
    this.store();
    this.name.value = "";
    this.compare();
  }

  store() {
    if (keep(this.place, this.named)) return;
    notice("This browser has no room to keep the vector; it is forgotten when the page is closed.", "bad");
  }

  compare() {
    const options = this.lane.task ?? {};
    const isCosine = options.metric === "cosine";
    const found = this.named
      .filter((each) => each.values.length === this.values.length)
      .map((each) => ({ each, distance: (isCosine ? cosine : euclidean)(each.values, this.values) }))
      .sort((one, other) => one.distance - other.distance);
    const [first] = found;
    this.summary = first ? `nearest is ${first.each.name}, at ${number(first.distance)}` : `${this.values.length} numbers`;
    fill(this.nearest, found.length ? this.table(found, options) : element("p.soft", {},
      "Name a few pictures, and the nearest of them are listed here with their distances. Names are kept in this browser only."));
  }

  table(found, { threshold, metric = "euclidean" }) {
    const columns = [...words("Name"), ...numbers("Distance"), ...(threshold ? words("Judged") : []),
      silent("Remove")];
    const rows = found.slice(0, 8).map(({ each, distance }) => [
      each.name, distance.toFixed(4), ...(threshold ? [judged(distance <= threshold)] : []),
      button("Remove", () => this.remove(each),
        { kind: "button.plain.small", "aria-label": `Remove ${each.name}` }),
    ]);
    const name = `Nearest (${metric === "cosine" ? "cosine" : "Euclidean"} distance)`;
    return table(columns, rows, { kind: "table.nearest", caption: caption(name) });
  }

  remove(each) {
    this.named = this.named.filter((other) => other !== each);
    this.store();
    this.compare();
  }
}

const judged = (isSame) => element(isSame ? "span.good" : "span.soft", {}, isSame ? "the same" : "another");

const euclidean = (one, other) => Math.sqrt(one.reduce((sum, value, place) => sum + (value - other[place]) ** 2,
  0));

function cosine(one, other) {
  const dot = one.reduce((sum, value, place) => sum + value * other[place], 0);
  return 1 - dot / (Math.hypot(...one) * Math.hypot(...other) || 1);
}
