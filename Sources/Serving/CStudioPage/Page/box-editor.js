// An editor over an image, in which boxes are drawn with the pointer, and moved and resized with it or with the keyboard.

import { element } from "./dom.js";
import { classColor, ImageEditor } from "./image-editor.js";

/** Smaller boxes, in pixels of the page, are clicks. */
const MIN_DRAWN_SIDE = 4;
const corners = [
  ["xmin", "ymin"],
  ["xmax", "ymin"],
  ["xmin", "ymax"],
  ["xmax", "ymax"],
];
const opposite = { xmin: "xmax", xmax: "xmin", ymin: "ymax", ymax: "ymin" };

/** Returns a description of a box in pixels. */
export function describeBox({ xmin, ymin, xmax, ymax }) {
  const numbers = [xmin, ymin, xmax - xmin, ymax - ymin].map(Math.round);
  return `at ${numbers[0]}, ${numbers[1]}; ${numbers[2]} × ${numbers[3]}`;
}

/** Boxes with labels in pixels of an image, `{label, box: {xmin, ymin, xmax, ymax}}`. */
export class BoxEditor extends ImageEditor {
  /**
   * Creates an editor over an image of a size in a view. `newLabel()` returns the class of a new box, and `onChange(isDone)`
   * is called when boxes change, with false during a movement.
   */
  constructor(view, size, boxes, { labels, newLabel, onChange }) {
    super(view, size, "div.box-editor");
    Object.assign(this, { labels, newLabel, onChange });
    this.boxes = boxes.map(({ label, box }) => ({ label, box: { ...box } }));
    this.nodes = new Map();
  }

  /** Adds a box in the middle of the image, and focuses it. */
  addInMiddle() {
    const [width, height] = this.size;
    const box = { xmin: width / 4, ymin: height / 4, xmax: width * 0.75, ymax: height * 0.75 };
    this.focus(this.add(box));
    this.onChange(true);
  }

  /** Replaces all boxes. */
  setBoxes(boxes) {
    this.boxes = boxes.map(({ label, box }) => ({ label, box: this.clamped(box) }));
    this.arrange();
    this.onChange(true);
  }

  remove(entry) {
    this.boxes = this.boxes.filter((other) => other !== entry);
    this.arrange();
    this.onChange(true);
  }

  focus(entry) {
    this.nodes.get(entry)?.focus({ preventScroll: true });
  }

  add(box) {
    const entry = { label: this.newLabel(), box: this.clamped(box) };
    this.boxes.push(entry);
    this.arrange();
    return entry;
  }

  clamped({ xmin, ymin, xmax, ymax }) {
    const [width, height] = this.size;
    const clamp = (value, max) => Math.round(Math.min(Math.max(value, 0), max) * 10) / 10;
    return {
      xmin: clamp(Math.min(xmin, xmax), width),
      ymin: clamp(Math.min(ymin, ymax), height),
      xmax: clamp(Math.max(xmin, xmax), width),
      ymax: clamp(Math.max(ymin, ymax), height),
    };
  }

  // MARK: Elements

  /** Puts the boxes where the image is in the view. */
  arrange() {
    const { scale, left, top } = this.placement;
    for (const [entry, node] of this.nodes) {
      if (this.boxes.includes(entry)) continue;
      node.remove();
      this.nodes.delete(entry);
    }
    for (const entry of this.boxes) {
      const node = this.nodes.get(entry) ?? this.makeNode(entry);
      const { xmin, ymin, xmax, ymax } = entry.box;
      Object.assign(node.style, {
        left: `${left + xmin * scale}px`,
        top: `${top + ymin * scale}px`,
        width: `${(xmax - xmin) * scale}px`,
        height: `${(ymax - ymin) * scale}px`,
      });
      node.style.setProperty("--color", classColor(entry.label, this.labels));
      node.firstChild.textContent = entry.label;
      node.setAttribute("aria-label", `${entry.label}, ${describeBox(entry.box)}`);
    }
  }

  makeNode(entry) {
    const node = element(
      "div.drawn-box",
      {
        role: "button",
        tabindex: 0,
        "aria-roledescription": "box",
        keydown: (event) => this.press(event, entry),
      },
      element("span.drawn-label"),
      corners.map(([x, y]) =>
        element(`span.drawn-corner.${x}.${y}`, { "data-corner": `${x} ${y}` }),
      ),
    );
    this.nodes.set(entry, node);
    this.element.append(node);
    return node;
  }

  // MARK: Pointer

  begin(event) {
    if (event.button !== 0 || this.dragged) return;
    event.preventDefault();
    const [x, y] = this.pointOf(event);
    const node = event.target.closest(".drawn-box");
    let entry = this.boxes.find((each) => this.nodes.get(each) === node);
    const corner = event.target.dataset.corner?.split(" ");
    if (!entry) {
      entry = this.add({ xmin: x, ymin: y, xmax: x, ymax: y });
      this.dragged = { entry, anchor: [x, y], isNew: true };
    } else if (corner) {
      this.dragged = { entry, anchor: corner.map((edge) => entry.box[opposite[edge]]) };
    } else {
      this.dragged = { entry, start: [x, y], box: entry.box };
    }
    this.element.setPointerCapture(event.pointerId);
    this.focus(entry);
  }

  drag(event) {
    if (!this.dragged) return;
    const { entry, anchor, start, box } = this.dragged;
    const [x, y] = this.pointOf(event);
    if (anchor) {
      entry.box = this.clamped({ xmin: anchor[0], ymin: anchor[1], xmax: x, ymax: y });
    } else {
      entry.box = this.moved(box, x - start[0], y - start[1]);
    }
    this.arrange();
    this.onChange(false);
  }

  end() {
    if (!this.dragged) return;
    const { entry, isNew } = this.dragged;
    this.dragged = null;
    const { scale } = this.placement;
    const { xmin, ymin, xmax, ymax } = entry.box;
    const isClick = Math.min(xmax - xmin, ymax - ymin) * scale < MIN_DRAWN_SIDE;
    if (isClick && isNew) this.boxes = this.boxes.filter((other) => other !== entry);
    this.arrange();
    this.onChange(true);
  }

  /** Returns a box that is moved, but not out of the image. */
  moved({ xmin, ymin, xmax, ymax }, right, down) {
    const [width, height] = this.size;
    const x = Math.min(Math.max(right, -xmin), width - xmax);
    const y = Math.min(Math.max(down, -ymin), height - ymax);
    return this.clamped({ xmin: xmin + x, ymin: ymin + y, xmax: xmax + x, ymax: ymax + y });
  }

  // MARK: Keyboard

  press(event, entry) {
    const movement = this.movement(event);
    if (event.key === "Delete" || event.key === "Backspace") {
      const index = this.boxes.indexOf(entry);
      this.remove(entry);
      this.focus(this.boxes[Math.min(index, this.boxes.length - 1)]);
    } else if (movement) {
      const [x, y] = movement;
      entry.box = event.shiftKey ? this.resized(entry.box, x, y) : this.moved(entry.box, x, y);
      this.arrange();
      this.onChange(true);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** Returns a box whose right or lower edge is moved, and which keeps a pixel. */
  resized({ xmin, ymin, xmax, ymax }, right, down) {
    return this.clamped({
      xmin,
      ymin,
      xmax: Math.max(xmin + 1, xmax + right),
      ymax: Math.max(ymin + 1, ymax + down),
    });
  }
}
