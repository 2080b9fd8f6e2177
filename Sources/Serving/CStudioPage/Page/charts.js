// Small charts.

import { element } from "./dom.js";

/** More values than this are combined, so that every bar is visible. */
const MAX_BARS = 240;

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
    const highest = maxMagnitude(this.values) || 1;
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

/** Returns the largest magnitude of numbers, which may exceed the maximum number of arguments of a call. */
export const maxMagnitude = (values) =>
  values.reduce((largest, value) => Math.max(largest, Math.abs(value)), 0);

/** Returns the extreme of each of `MAX_BARS` groups of values, or all values if there are fewer. */
function combined(values) {
  if (values.length <= MAX_BARS) return values;
  const start = (index) => Math.floor((index * values.length) / MAX_BARS);
  return Array.from({ length: MAX_BARS }, (_, index) =>
    values
      .slice(start(index), start(index + 1))
      .reduce((extreme, value) => (Math.abs(value) > Math.abs(extreme) ? value : extreme)),
  );
}

/** Returns a bar chart with a bar above or below the middle for each value, or group of values. */
export function barStrip(values, name) {
  const highest = maxMagnitude(values) || 1;
  const bars = combined(values);
  const width = 240 / bars.length;
  return element(
    "svg.bar-strip",
    { viewBox: "0 0 240 48", preserveAspectRatio: "none", role: "img", "aria-label": name },
    bars.map((value, index) => {
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
