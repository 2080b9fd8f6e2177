// The form below the result of a model that classifies pixels, in which the user paints the correct mask.

import * as api from "./api.js";
import { button, element, labeledField, setContent } from "./dom.js";
import { DrawingForm } from "./drawing-form.js";
import { formatPercent } from "./format.js";
import { classColor } from "./image-editor.js";
import { countsOf, pixelsOf, predictedPixels, runsOf, UNPAINTED } from "./mask.js";
import { MaskEditor } from "./mask-editor.js";
import { announce } from "./notifications.js";

/** The names of classes that are everything else. */
const BACKGROUNDS = ["background", "__background__", "unlabeled"];

export class MaskForm extends DrawingForm {
  constructor() {
    super("mask");
    this.list = element("ul.box-list");
  }

  applies(panel) {
    return panel.classifiesPixels;
  }

  isDrawn(entry) {
    return !!entry.mask;
  }

  describe({ label }) {
    return `You have painted ${label} on this image.`;
  }

  /** Returns the labels by class: those of a single class are an object and everything else. */
  async labelsOf(model) {
    const labels = await api.getLabels(model);
    return labels.length < 2 ? [BACKGROUNDS[0], labels[0] ?? "object"] : labels.slice(0, UNPAINTED);
  }

  makeEditor({ view, size }, saved) {
    const { labels } = this;
    const pixels = saved ? pixelsOf(saved.mask) : new Uint8Array(size[0] * size[1]).fill(UNPAINTED);
    const editor = new MaskEditor(view, size, pixels, {
      labels,
      onChange: () => this.showState(),
      onMove: ([x, y]) => announce(`${x}, ${y}: ${this.nameAt(x, y)}`),
    });
    const background = labels.findIndex((label) => BACKGROUNDS.includes(label));
    editor.classIndex = labels.findIndex((_, index) => index !== background);
    this.makeFields(editor, saved?.mask.rest ?? (background < 0 ? UNPAINTED : background));
    return editor;
  }

  nameAt(x, y) {
    const { pixels, size } = this.editor;
    const value = pixels[Math.min(y, size[1] - 1) * size[0] + Math.min(x, size[0] - 1)];
    return this.labels[value] ?? "not painted";
  }

  makeFields(editor, rest) {
    const options = this.labels.map((label, index) => element("option", { value: index }, label));
    this.classField = element(
      "select",
      {
        change: () => {
          editor.classIndex = Number(this.classField.value);
          this.setErasing(false);
        },
      },
      options,
    );
    this.classField.value = editor.classIndex;
    this.sizeField = element("input", {
      type: "range",
      min: 1,
      max: editor.maxDiameter,
      value: editor.diameter,
      input: () => editor.setDiameter(Number(this.sizeField.value)),
    });
    this.eraser = button("Eraser", () => this.setErasing(!editor.isErasing), {
      "aria-pressed": "false",
    });
    this.undoButton = button("Undo", () => editor.undo(), { title: "Undo (Ctrl Z)" });
    this.restField = element(
      "select",
      {},
      element("option", { value: UNPAINTED }, "are ignored"),
      this.labels.map((label, index) => element("option", { value: index }, `are ${label}`)),
    );
    this.restField.value = rest;
  }

  setErasing(isErasing) {
    this.editor.isErasing = isErasing;
    this.eraser.setAttribute("aria-pressed", String(isErasing));
  }

  /** The mask that the model has found; undefined if there is none. */
  get prediction() {
    return this.panel.inputView.elements.find(({ type, image }) => type === "mask" && image);
  }

  showEditor() {
    const { editor, labels, prediction } = this;
    const usePrediction = () => editor.setPixels(predictedPixels(prediction, labels, editor.size));
    setContent(
      this.element,
      element("h3", {}, "Correct mask"),
      element(
        "p.muted.fine-print",
        {},
        "Drag on the image to paint the pixels of a class. The arrow keys move the brush, with Ctrl by a pixel; with Shift they ",
        "paint. Space paints a point, Delete erases one, + and − change the size, and Ctrl Z undoes.",
      ),
      element(
        "div.row.box-actions",
        {},
        labeledField("Class", this.classField),
        labeledField("Size of the brush", this.sizeField),
        this.eraser,
        this.undoButton,
        prediction ? button("Use the prediction", usePrediction) : null,
      ),
      this.list,
      labeledField("Other pixels", this.restField),
      this.endButtons(),
    );
    this.showState();
    editor.element.focus({ preventScroll: true });
  }

  /** Returns the painted classes with their shares of the image, the largest first. */
  shares() {
    const { pixels } = this.editor;
    return [...countsOf(pixels)]
      .filter(([value]) => value !== UNPAINTED)
      .sort(([, one], [, other]) => other - one)
      .map(([value, count]) => ({ label: this.labels[value], fraction: count / pixels.length }));
  }

  showState() {
    const { editor } = this;
    if (!editor) return;
    this.undoButton.disabled = !editor.steps.length;
    this.sizeField.value = editor.diameter;
    setContent(
      this.list,
      this.shares().map(({ label, fraction }) => {
        const color = classColor(label, this.labels);
        return element(
          "li",
          {},
          element("span.swatch", { "--color": color, "aria-hidden": "true" }),
          element("span", {}, label),
          element("span.muted", {}, formatPercent(fraction)),
        );
      }),
    );
  }

  entry() {
    const { pixels, size } = this.editor;
    const [width, height] = size;
    const names = this.shares().map(({ label }) => label);
    const predicted = this.prediction?.legend?.map(({ label }) => label) ?? [];
    return {
      suggestion: predicted.join(", ") || "nothing",
      label: names.join(", ") || "nothing",
      mask: { width, height, runs: runsOf(pixels), rest: Number(this.restField.value) },
    };
  }

  savedText({ label }) {
    return label;
  }
}
