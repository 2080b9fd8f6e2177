// Small charts.

import { element } from "./dom.js";

/** A line chart of recent values, with the newest at the right. */
export class Sparkline {
  constructor(name, capacity = 60) {
    this.values = [];
    this.capacity = capacity;
    this.line = element("polyline.sparkline-line", { points: "" });
    this.point = element("path.sparkline-point");
    this.element = element(
      "svg.sparkline",
      { viewBox: "0 0 240 40", preserveAspectRatio: "none", role: "img", "aria-label": name },
      this.line,
      this.point,
    );
  }

  add(value) {
    this.values.push(value);
    if (this.values.length > this.capacity) this.values.shift();
    const highest = Math.max(...this.values) || 1;
    const step = 236 / (this.capacity - 1);
    const points = this.values.map((each, index) => [
      240 - (this.values.length - 1 - index) * step - 4,
      37 - (each / highest) * 33,
    ]);
    this.line.setAttribute(
      "points",
      points.map((point) => point.map((coordinate) => coordinate.toFixed(1)).join(",")).join(" "),
    );
    const [x, y] = points[points.length - 1];
    this.point.setAttribute("d", `M${x.toFixed(1)} ${y.toFixed(1)}h0.01`);
  }
}

/** Returns a bar chart with a bar above or below the middle for each value. */
export function barStrip(values, name) {
  const highest = Math.max(...values.map(Math.abs)) || 1;
  const width = 240 / values.length;
  return element(
    "svg.bar-strip",
    { viewBox: "0 0 240 48", preserveAspectRatio: "none", role: "img", "aria-label": name },
    values.map((value, index) => {
      const height = Math.max((Math.abs(value) / highest) * 22, 0.5);
      return element(value < 0 ? "rect.bar-negative" : "rect.bar-positive", {
        x: index * width,
        y: value < 0 ? 24 : 24 - height,
        width: Math.max(width - Math.min(width * 0.2, 1), 0.4),
        height,
      });
    }),
  );
}
