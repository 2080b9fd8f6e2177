// What the forms have in common in which the user draws on the image below the model's result.

import { button, element, setContent, setText } from "./dom.js";
import { thumbnail } from "./images.js";
import { saveLabel, savedEntry } from "./labels.js";

export class DrawingForm {
  /**
   * Creates a form for what is drawn, such as "boxes". Subclasses know which panels it is for, make the editor, describe what is
   * saved, and return the entry of a drawing.
   */
  constructor(what) {
    this.what = what;
    this.note = element("p.muted.fine-print", { role: "status" });
    this.drawButton = button("", () => this.open());
    this.element = element("section.box-form", { "aria-label": `Correct ${what}` });
    this.element.hidden = true;
  }

  /** Moves the form below the result of a panel, or removes it. */
  attach(panel) {
    this.close();
    this.element.remove();
    this.panel = panel && this.applies(panel) ? panel : null;
    this.element.hidden = true;
    if (this.panel) panel.labelSlot.append(this.element);
  }

  /** Sets the image to label; the form is hidden until the model has a result for it. */
  setImage(image) {
    if (image !== this.image) this.close();
    this.image = image;
    this.element.hidden = true;
  }

  /** Shows the form, which keeps what is being drawn. */
  setPrediction(image) {
    if (!this.panel) return;
    this.image = image;
    this.element.hidden = false;
    if (!this.editor) this.close();
  }

  /** The entry of the image that has been saved with a drawing; undefined if there is none. */
  get saved() {
    const entry = this.panel && this.image && savedEntry(this.panel.name, this.image.path);
    return entry && this.isDrawn(entry) ? entry : undefined;
  }

  /** Shows the button that opens the editor. */
  close() {
    if (this.editor) this.panel?.inputView.setEditor(null);
    this.editor = null;
    setContent(this.element, element("div.row", {}, this.drawButton, this.note));
    const { saved } = this;
    setText(this.note, saved ? this.describe(saved) : "");
    this.drawButton.textContent = saved
      ? `Edit your ${this.what}`
      : `Draw the correct ${this.what}`;
  }

  async open() {
    const { panel, image } = this;
    const labels = await this.labelsOf(panel.name).catch(() => []);
    if (panel !== this.panel || image !== this.image) return;
    this.labels = labels;
    this.editor = await this.makeEditor(panel.inputView, this.saved);
    panel.inputView.setEditor(this.editor);
    this.editor.arrange();
    this.showEditor();
  }

  /** Returns the buttons that end the drawing. */
  endButtons() {
    const cancel = () => {
      this.close();
      this.drawButton.focus();
    };
    return element(
      "div.row",
      {},
      button(`Save the ${this.what}`, () => this.save(), { kind: "button.button-primary" }),
      button("Cancel", cancel),
    );
  }

  async save() {
    const { panel, image } = this;
    const entry = this.entry();
    const thumb = await thumbnail(image.blob);
    saveLabel({ model: panel.name, path: image.path, thumb, ...entry }, image.blob);
    if (panel !== this.panel || image !== this.image) return;
    this.close();
    setText(this.note, `Saved: ${this.savedText(entry)}.`);
    this.drawButton.focus();
  }
}
