// What is shown over an image: the classes, and the opacity of masks.

import { element, labeledField, setContent } from "./dom.js";

export class OverlayControls {
  /** `onChange` is called when something is shown or hidden. */
  constructor(onChange) {
    this.onChange = onChange;
    this.hidden = new Set();
    this.opacityField = element("input", {
      type: "range",
      min: 0,
      max: 100,
      step: 5,
      input: () => {
        this.opacity = Number(this.opacityField.value) / 100;
        onChange();
      },
    });
    this.opacityLabel = labeledField("Opacity of masks", this.opacityField);
    this.classes = element("div.row", { role: "group", "aria-label": "Classes that are shown" });
    this.element = element(
      "div.overlay-controls",
      { hidden: true },
      this.classes,
      this.opacityLabel,
    );
  }

  isHidden(label) {
    return this.hidden.has(label);
  }

  /** Shows the controls for the elements of a result. The classes that are hidden stay hidden. */
  setElements(elements) {
    const masks = elements.filter(({ type }) => type === "mask");
    this.opacityLabel.hidden = !masks.length;
    if (masks.length) this.opacityField.value = 100 * (this.opacity ?? masks[0].opacity);
    const colors = new Map();
    for (const { legend, type, label, color } of elements) {
      if (type === "box" || type === "polygon") colors.set(label, color);
      for (const each of legend ?? []) colors.set(each.label, each.color);
    }
    colors.delete(undefined);
    const hasChoice = colors.size > 1 || [...colors.keys()].some((label) => this.isHidden(label));
    setContent(this.classes, hasChoice ? [...colors].map((entry) => this.toggle(entry)) : null);
    this.classes.hidden = !hasChoice;
    this.element.hidden = !hasChoice && !masks.length;
  }

  toggle([label, color]) {
    const box = element("input", {
      type: "checkbox",
      checked: !this.isHidden(label),
      change: () => {
        if (box.checked) this.hidden.delete(label);
        else this.hidden.add(label);
        this.onChange();
      },
    });
    return element(
      "label.checkbox-field",
      {},
      box,
      element("span.swatch", { "--color": color, "aria-hidden": "true" }),
      label,
    );
  }
}
