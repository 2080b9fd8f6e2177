// The form below a detector's result in which the user draws the correct boxes.

import { BoxEditor, classColor, describeBox } from "./box-editor.js";
import { button, element, labeledField, setContent, setText } from "./dom.js";
import { pluralize } from "./format.js";
import { thumbnail } from "./images.js";
import { modelLabels, saveLabel, savedEntry } from "./labels.js";
import { announce } from "./notifications.js";
import { countedTitles } from "./entries.js";

export class BoxForm {
  constructor() {
    this.note = element("p.muted.fine-print", { role: "status" });
    this.drawButton = button("Draw the correct boxes", () => this.open());
    this.list = element("ol.box-list");
    this.content = element("div");
    this.element = element("section.box-form", { "aria-label": "Correct boxes" });
    this.element.hidden = true;
  }

  /** Moves the form below the result of a panel, or removes it. */
  attach(panel) {
    this.close();
    this.element.remove();
    this.panel = panel?.findsBoxes ? panel : null;
    this.element.hidden = true;
    if (this.panel) panel.labelSlot.append(this.element);
  }

  /** Sets the image to label; the form is hidden until the model has a result for it. */
  setImage(image) {
    if (image !== this.image) this.close();
    this.image = image;
    this.element.hidden = true;
  }

  /** Shows the form, which keeps boxes that are being drawn. */
  setPrediction(image) {
    if (!this.panel) return;
    this.image = image;
    this.element.hidden = false;
    if (!this.editor) this.close();
  }

  /** Shows the button that opens the editor. */
  close() {
    this.editor = null;
    this.panel?.inputView.setEditor(null);
    setContent(this.element, element("div.row", {}, this.drawButton, this.note));
    const boxes = this.panel && this.image && savedEntry(this.panel.name, this.image.path)?.boxes;
    const count = boxes
      ? `You have drawn ${pluralize(boxes.length, "box", "boxes")} on this image.`
      : "";
    setText(this.note, count);
    this.drawButton.textContent = boxes ? "Edit your boxes" : "Draw the correct boxes";
  }

  async open() {
    const { panel, image } = this;
    const labels = await modelLabels(panel.name).catch(() => []);
    if (panel !== this.panel || image !== this.image) return;
    const { size } = panel.inputView;
    this.labels = labels;
    this.classField = this.classChoice(labels[0] ?? "object");
    this.editor = new BoxEditor(
      panel.inputView.view,
      size,
      savedEntry(panel.name, image.path)?.boxes ?? [],
      {
        labels,
        newLabel: () => this.classField.value.trim() || "object",
        onChange: (isDone) => isDone && this.showList(),
      },
    );
    panel.inputView.setEditor(this.editor);
    this.editor.arrange();
    this.showEditor();
    this.addButton.focus();
  }

  showEditor() {
    this.addButton = button("Add a box", () => this.editor.addInMiddle());
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
        this.addButton,
        this.panel.boxes.length ? button("Use the predictions", predictions) : null,
      ),
      this.list,
      element(
        "div.row",
        {},
        button("Save the boxes", () => this.save(), { kind: "button.button-primary" }),
        button("Cancel", () => {
          this.close();
          this.drawButton.focus();
        }),
      ),
    );
    this.showList();
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

  async save() {
    const { panel, image, editor } = this;
    const { boxes, size } = editor;
    saveLabel(
      {
        model: panel.name,
        path: image.path,
        suggestion: countedTitles(panel.boxes) || "no boxes",
        label: countedTitles(boxes) || "no boxes",
        boxes,
        size,
        thumb: await thumbnail(image.blob),
      },
      image.blob,
    );
    this.close();
    setText(this.note, `Saved: ${pluralize(boxes.length, "box", "boxes")}.`);
    this.drawButton.focus();
  }
}
