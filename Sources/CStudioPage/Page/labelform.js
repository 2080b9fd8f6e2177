// Saying what is right, below what the model says.

import { element, fill, fresh, tell } from "./dom.js";
import { keepLabel, labelOf, labelsKnown } from "./labels.js";
import { say } from "./notices.js";
import { thumbnail } from "./pictures.js";
import { chosen } from "./state.js";

export class LabelForm {
  constructor() {
    const id = fresh("right");
    this.known = element("datalist", { id: fresh("labels") });
    this.field = element("input",
      { id, type: "text", list: this.known.id, autocomplete: "off", maxlength: 200,
      focus: () => this.learn() });
    this.note = element("p.soft.fine", {}, "");
    this.element = element("form.inline.label-form", { submit: (event) => this.keep(event) },
      element("label", { for: id }, "Right answer"), this.field,
        element("button", { type: "submit" }, "Keep the label"), this.known, this.note);
  }

  /** Moves below the answer of a lane, or away. */
  suit(lane) {
    this.element.remove();
    this.model = lane?.name;
    fill(this.known);
    if (lane) lane.below.append(this.element);
    this.element.hidden = true;
  }

  wait(picture) {
    this.picture = picture;
  }

  /** The model has answered; only labels can be put right. */
  answered(picture, suggestion) {
    Object.assign(this, { picture, suggestion });
    this.element.hidden = suggestion === undefined;
    const before = labelOf(chosen.model, picture.path);
    this.field.value = before ?? suggestion ?? "";
    tell(this.note, before ? "You labelled this picture before." : "");
  }

  async learn() {
    if (this.known.children.length || !this.picture) return;
    const labels = await labelsKnown(this.model, this.picture.blob).catch(() => []);
    fill(this.known, labels.slice(0, 2000).map((label) => element("option", { value: label })));
  }

  async keep(event) {
    event.preventDefault();
    const label = this.field.value.trim();
    if (!label) return this.field.focus();
    const { picture, suggestion, model } = this;
    const thumb = await thumbnail(picture.blob);
    keepLabel({ model, path: picture.path, suggestion, label, thumb }, picture.blob);
    tell(this.note, label === suggestion ? "Kept: the model was right." : `Kept: ${label}, not ${suggestion}.`);
    say(this.note.textContent);
  }
}
