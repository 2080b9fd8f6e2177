// The form below a detector's result in which the user draws the correct boxes.

import { BoxEditor, describeBox } from "./box-editor.js";
import { button, element, labeledField, setContent } from "./dom.js";
import { DrawingForm } from "./drawing-form.js";
import { countedTitles } from "./entries.js";
import { pluralize } from "./format.js";
import { classColor } from "./image-editor.js";
import { modelLabels } from "./labels.js";
import { announce } from "./notifications.js";

export class BoxForm extends DrawingForm {
  constructor() {
    super("boxes");
    this.list = element("ol.box-list");
  }

  applies(panel) {
    return panel.findsBoxes;
  }

  isDrawn(entry) {
    return !!entry.boxes;
  }

  describe({ boxes }) {
    return `You have drawn ${pluralize(boxes.length, "box", "boxes")} on this image.`;
  }

  labelsOf(model) {
    return modelLabels(model);
  }

  makeEditor({ view, size }, saved) {
    const { labels } = this;
    this.classField = this.classChoice(labels[0] ?? "object");
    return new BoxEditor(view, size, saved?.boxes ?? [], {
      labels,
      newLabel: () => this.classField.value.trim() || "object",
      onChange: (isDone) => isDone && this.showList(),
    });
  }

  showEditor() {
    const addButton = button("Add a box", () => this.editor.addInMiddle());
    const predictions = () =>
      this.editor.setBoxes(this.panel.boxes.map(({ label, box }) => ({ label, box })));
    setContent(
      this.element,
      element("h3", {}, "Correct boxes"),
      element(
        "p.muted.fine-print",
        {},
        "Drag on the image to draw a box, and drag a box or its corners to change it. The arrow keys move a box that has the ",
        "focus, with Ctrl by a pixel; with Shift they resize it, and Delete removes it.",
      ),
      element(
        "div.row.box-actions",
        {},
        labeledField("Class of new boxes", this.classField),
        addButton,
        this.panel.boxes.length ? button("Use the predictions", predictions) : null,
      ),
      this.list,
      this.endButtons(),
    );
    this.showList();
    addButton.focus();
  }

  /** Returns a field for a class: a list if the model has labels. */
  classChoice(value, attributes = {}) {
    const { labels } = this;
    const known = labels.includes(value) ? labels : [value, ...labels];
    if (!labels.length)
      return element("input", { type: "text", value, maxlength: 200, ...attributes });
    const select = element(
      "select",
      attributes,
      known.map((label) => element("option", { value: label }, label)),
    );
    select.value = value;
    return select;
  }

  showList() {
    const { boxes } = this.editor;
    setContent(
      this.list,
      boxes.map((entry, index) => this.listItem(entry, index)),
    );
    const focused = boxes.find((entry) => this.editor.nodes.get(entry) === document.activeElement);
    if (focused) announce(`${focused.label}, ${describeBox(focused.box)}`);
  }

  listItem(entry, index) {
    const field = this.classChoice(entry.label, {
      "aria-label": `Class of box ${index + 1}`,
      change: () => {
        entry.label = field.value.trim() || entry.label;
        this.editor.arrange();
        swatch.style.setProperty("--color", classColor(entry.label, this.labels));
      },
    });
    const swatch = element("span.swatch", {
      "--color": classColor(entry.label, this.labels),
      "aria-hidden": "true",
    });
    return element(
      "li",
      {},
      swatch,
      field,
      element("span.muted.box-position", {}, describeBox(entry.box)),
      button("Remove", () => this.editor.remove(entry), {
        kind: "button.button-plain.button-small",
        "aria-label": `Remove box ${index + 1}, ${entry.label}`,
      }),
    );
  }

  entry() {
    const { boxes, size } = this.editor;
    return {
      suggestion: countedTitles(this.panel.boxes) || "no boxes",
      label: countedTitles(boxes) || "no boxes",
      boxes,
      size,
    };
  }

  savedText({ boxes }) {
    return pluralize(boxes.length, "box", "boxes");
  }
}
