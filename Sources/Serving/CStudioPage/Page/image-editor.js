// What editors over an image have in common: the place of the image in its view, the colors of classes, and the steps of keys.

import { element } from "./dom.js";
import { placementOf } from "./overlay.js";

const COLORS = 10;
/** The directions of the arrow keys. */
const directions = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

/** Returns the color of a class, by its position in a list of labels. */
export const classColor = (label, labels) =>
  `var(--s${Math.max(0, labels.indexOf(label)) % COLORS})`;

/** An editor over an image of a size in a view; its methods `begin`, `drag` and `end` follow the pointer. */
export class ImageEditor {
  constructor(view, size, kind, attributes = {}) {
    Object.assign(this, { view, size });
    this.element = element(kind, {
      pointerdown: (event) => this.begin(event),
      pointermove: (event) => this.drag(event),
      pointerup: () => this.end(),
      pointercancel: () => this.end(),
      ...attributes,
    });
  }

  /** Where the image is in the view. */
  get placement() {
    return placementOf(this.view, this.size);
  }

  /** Returns the point of the image under the pointer. */
  pointOf(event) {
    const bounds = this.view.getBoundingClientRect();
    const { scale, left, top } = this.placement;
    const { clientLeft, clientTop } = this.view;
    return [
      (event.clientX - bounds.left - clientLeft - left) / scale,
      (event.clientY - bounds.top - clientTop - top) / scale,
    ];
  }

  /** Returns how far an arrow key moves, in pixels of the image; undefined for other keys. */
  movement(event) {
    const step = event.ctrlKey ? 1 : Math.max(1, Math.round(Math.max(...this.size) / 100));
    return directions[event.key]?.map((sign) => sign * step);
  }
}
