// How long each stage takes: the last time and on average.

import { Sparkline } from "./chart.js";
import { element, tell } from "./dom.js";
import { count, milliseconds } from "./words.js";

const stages = [["picture", "Decode"], ["input", "Input"], ["run", "Run"], ["output", "Output"],
  ["total", "Total"]];

export class Timing {
  constructor() {
    this.cells = {};
    this.line = new Sparkline("The total times of the last runs");
    this.note = element("p.soft.fine", {}, "Milliseconds; no run yet");
    this.element = element("section.timing", { "aria-label": "Times" },
      element("table.times", {},
        element("caption.unseen", {}, "Times in milliseconds"),
        element("thead", {}, element("tr", {}, element("td"),
          stages.map(([, name]) => element("th.number", { scope: "col" }, name)))),
        element("tbody", {}, this.row("last", "Last"), this.row("mean", "Average"))),
      element("div.trace", {}, this.line.element, this.note));
    this.forget();
  }

  row(kind, name) {
    return element("tr", {}, element("th", { scope: "row" }, name), stages.map(([stage]) => {
      const cell = element(stage === "total" ? "td.number.strong" : "td.number", {}, "–");
      this.cells[`${kind} ${stage}`] = cell;
      return cell;
    }));
  }

  /** Begins to count anew. */
  forget() {
    this.sums = {};
    this.runs = 0;
  }

  add(times) {
    this.runs += 1;
    for (const [stage] of stages) {
      if (typeof times?.[stage] !== "number") continue;
      this.sums[stage] = (this.sums[stage] ?? 0) + times[stage];
      tell(this.cells[`last ${stage}`], milliseconds(times[stage]));
      tell(this.cells[`mean ${stage}`], milliseconds(this.sums[stage] / this.runs));
    }
    if (typeof times?.total === "number") this.line.add(times.total);
    tell(this.note, `Milliseconds; average of ${count(this.runs, "run")}`);
  }
}
