// Small drawings of numbers.

import { element } from "./dom.js";

/** A line through the last values, with the newest at the right. */
export class Sparkline {
  constructor(name, capacity = 60) {
    this.values = [];
    this.capacity = capacity;
    this.line = element("polyline.curve", { points: "" });
    this.dot = element("path.dot");
    this.element = element("svg.spark",
      { viewBox: "0 0 240 40", preserveAspectRatio: "none", role: "img", "aria-label": name },
      this.line, this.dot);
  }

  add(value) {
    this.values.push(value);
    if (this.values.length > this.capacity) this.values.shift();
    const highest = Math.max(...this.values) || 1;
    const points = this.values.map((each, place) =>
      [240 - (this.values.length - 1 - place) * (236 / (this.capacity - 1)) - 4, 37 - (each / highest) * 33]);
    this.line.setAttribute("points",
      points.map((point) => point.map((part) => part.toFixed(1)).join(",")).join(" "));
    const [x, y] = points[points.length - 1];
    this.dot.setAttribute("d", `M${x.toFixed(1)} ${y.toFixed(1)}h0.01`);
  }
}

/** A bar for each value, up or down from the middle. */
export function strip(values, name) {
  const highest = Math.max(...values.map(Math.abs)) || 1;
  const width = 240 / values.length;
  return element("svg.strip", { viewBox: "0 0 240 48", preserveAspectRatio: "none", role: "img",
    "aria-label": name },
    values.map((value, place) => {
      const height = Math.max((Math.abs(value) / highest) * 22, 0.5);
      return element(value < 0 ? "rect.below" : "rect.above", {
        x: place * width, y: value < 0 ? 24 : 24 - height,
          width: Math.max(width - Math.min(width * 0.2, 1), 0.4), height,
      });
    }));
}
