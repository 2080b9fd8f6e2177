// An editor over an image, in which classes are painted with a brush, with the pointer or the keyboard.

import { element } from "./dom.js";
import { classColor, ImageEditor } from "./image-editor.js";
import { UNPAINTED } from "./mask.js";

const MAX_UNDO_BYTES = 1 << 26;
const MAX_UNDO_STEPS = 50;

export class MaskEditor extends ImageEditor {
  /**
   * Creates an editor of pixels, over an image of a size in a view. `onChange()` is called when pixels have changed, and
   * `onMove(point)` when the keyboard moves the brush.
   */
  constructor(view, size, pixels, { labels, onChange, onMove }) {
    super(view, size, "div.box-editor.mask-editor", {
      tabindex: 0,
      role: "application",
      "aria-label": "Brush over the image",
      "aria-roledescription": "brush",
      keydown: (event) => this.press(event),
    });
    Object.assign(this, { pixels, labels, onChange, onMove });
    const [width, height] = size;
    this.canvas = element("canvas.mask-canvas", { width, height, "aria-hidden": "true" });
    this.brush = element("span.brush", { "aria-hidden": "true" });
    this.element.append(this.canvas, this.brush);
    this.point = [width / 2, height / 2];
    [this.classIndex, this.isErasing] = [0, false];
    this.steps = [];
    this.diameter = Math.max(3, Math.round(Math.max(...size) / 16));
  }

  /** The largest brush, in pixels of the image. */
  get maxDiameter() {
    return Math.max(8, Math.round(Math.max(...this.size) / 3));
  }

  setDiameter(diameter) {
    this.diameter = Math.min(Math.max(1, diameter), this.maxDiameter);
    this.placeBrush();
  }

  setPixels(pixels) {
    this.beginStep();
    this.pixels = pixels;
    this.draw();
    this.onChange();
  }

  undo() {
    const pixels = this.steps.pop();
    if (!pixels) return;
    this.pixels = pixels;
    this.draw();
    this.onChange();
  }

  beginStep() {
    this.steps.push(this.pixels.slice());
    const max = Math.max(1, Math.min(MAX_UNDO_STEPS, MAX_UNDO_BYTES / this.pixels.length));
    while (this.steps.length > max) this.steps.shift();
  }

  // MARK: Painting

  /** Paints or erases the pixels that are near the line between two points. */
  paint([x1, y1], [x2, y2], isErasing = this.isErasing) {
    const [width, height] = this.size;
    const radius = this.diameter / 2;
    const value = isErasing ? UNPAINTED : this.classIndex;
    const bounds = (one, other, max) => [
      Math.max(0, Math.floor(Math.min(one, other) - radius)),
      Math.min(max, Math.ceil(Math.max(one, other) + radius)),
    ];
    const [[left, right], [top, bottom]] = [bounds(x1, x2, width), bounds(y1, y2, height)];
    const [dx, dy] = [x2 - x1, y2 - y1];
    const length = dx * dx + dy * dy;
    for (let y = top; y < bottom; y += 1) {
      for (let x = left; x < right; x += 1) {
        const [px, py] = [x + 0.5 - x1, y + 0.5 - y1];
        const along = length ? Math.min(1, Math.max(0, (px * dx + py * dy) / length)) : 0;
        const [ox, oy] = [px - along * dx, py - along * dy];
        if (ox * ox + oy * oy <= radius * radius) this.pixels[y * width + x] = value;
      }
    }
    if (right > left && bottom > top) this.draw(left, top, right - left, bottom - top);
  }

  /** Draws the pixels of a rectangle. */
  draw(left = 0, top = 0, width = this.size[0], height = this.size[1]) {
    const image = new ImageData(width, height);
    const words = new Uint32Array(image.data.buffer);
    const colors = this.colors();
    for (let y = 0; y < height; y += 1) {
      for (let x = 0; x < width; x += 1) {
        const value = this.pixels[(top + y) * this.size[0] + left + x];
        if (value !== UNPAINTED) words[y * width + x] = colors[value] ?? 0;
      }
    }
    this.canvas.getContext("2d").putImageData(image, left, top);
  }

  /** The colors of the classes as words of pixels, in the theme of the page. */
  colors() {
    return this.labels.map((label) => {
      this.brush.style.color = classColor(label, this.labels);
      const [red, green, blue] = getComputedStyle(this.brush).color.match(/\d+/g).map(Number);
      return ((0xff << 24) | (blue << 16) | (green << 8) | red) >>> 0;
    });
  }

  /** Puts the mask and the brush where the image is in the view. */
  arrange() {
    const { scale, left, top } = this.placement;
    const [width, height] = this.size;
    Object.assign(this.canvas.style, {
      left: `${left}px`,
      top: `${top}px`,
      width: `${width * scale}px`,
      height: `${height * scale}px`,
    });
    this.placeBrush();
    this.draw();
  }

  placeBrush() {
    const { scale, left, top } = this.placement;
    const side = this.diameter * scale;
    Object.assign(this.brush.style, {
      left: `${left + this.point[0] * scale - side / 2}px`,
      top: `${top + this.point[1] * scale - side / 2}px`,
      width: `${side}px`,
      height: `${side}px`,
    });
  }

  moveTo([x, y]) {
    const [width, height] = this.size;
    this.point = [Math.min(Math.max(x, 0), width), Math.min(Math.max(y, 0), height)];
    this.placeBrush();
  }

  // MARK: Pointer

  begin(event) {
    if (event.button !== 0) return;
    event.preventDefault();
    this.element.focus({ preventScroll: true });
    this.element.setPointerCapture(event.pointerId);
    this.isPainting = true;
    this.beginStep();
    const point = this.pointOf(event);
    this.moveTo(point);
    this.last = point;
    this.paint(point, point);
  }

  drag(event) {
    const point = this.pointOf(event);
    this.moveTo(point);
    if (!this.isPainting) return;
    this.paint(this.last, point);
    this.last = point;
  }

  end() {
    if (!this.isPainting) return;
    this.isPainting = false;
    this.onChange();
  }

  // MARK: Keyboard

  press(event) {
    const movement = this.movement(event);
    const key = event.key.toLowerCase();
    if (movement) {
      const start = this.point;
      this.moveTo([start[0] + movement[0], start[1] + movement[1]]);
      if (event.shiftKey) this.stroke(start, this.isErasing);
      this.onMove(this.point.map(Math.round));
    } else if (key === "z" && (event.ctrlKey || event.metaKey)) this.undo();
    else if (event.ctrlKey || event.metaKey || event.altKey) return;
    else if (key === " " || key === "enter") this.stroke(this.point, this.isErasing);
    else if (key === "delete" || key === "backspace") this.stroke(this.point, true);
    else if (key === "+" || key === "-") {
      this.setDiameter(Math.round(this.diameter * (key === "+" ? 1.25 : 0.8)));
      this.onChange();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** Paints from a point to that of the brush, as one step. */
  stroke(start, isErasing) {
    this.beginStep();
    this.paint(start, this.point, isErasing);
    this.onChange();
  }
}
