// A slider for a number of which the model or the settings have a default.

import { button, element, labeledField, setText } from "./dom.js";

export class SliderField {
  /** `format(number)` returns the text of a value, and `onChange` is called when it changes. */
  constructor(title, step, format, onChange) {
    Object.assign(this, { format, onChange, value: null, initial: undefined });
    this.slider = element("input", {
      type: "range",
      step,
      input: () => this.set(Number(this.slider.value)),
    });
    this.output = element("output");
    this.resetButton = button("Default", () => this.set(null), {
      kind: "button.button-plain.button-small",
      "aria-label": `Use the default: ${title}`,
    });
    this.element = labeledField(
      title,
      element("div.slider", {}, this.slider, this.output, this.resetButton),
    );
    this.element.classList.add("slider-field");
    this.element.querySelector("label").htmlFor =
      this.slider.id = `slider-${title.replace(" ", "-")}`;
  }

  /** Sets the range and the value that is used unless another one is chosen; undefined if only the model knows it. */
  configure(isShown, { min, max, initial }) {
    this.element.hidden = !isShown;
    Object.assign(this.slider, { min, max });
    this.initial = initial;
    this.render();
  }

  set(value) {
    this.value = value;
    this.render();
    clearTimeout(this.timer);
    this.timer = setTimeout(this.onChange, 100);
  }

  render() {
    const { value, initial } = this;
    this.slider.value = value ?? initial ?? (Number(this.slider.min) + Number(this.slider.max)) / 2;
    const shown = value ?? initial;
    setText(this.output, shown === undefined ? "model’s default" : this.format(shown));
    this.resetButton.hidden = value === null;
  }
}
