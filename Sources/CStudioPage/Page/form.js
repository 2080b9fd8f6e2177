// Values typed by hand: a field for each number, a text for more, a file for a picture.

import { element, fill, fresh, labelled } from "./dom.js";
import { readablePicture } from "./pictures.js";
import { shape } from "./words.js";

const MOST_FIELDS = 64;

/** A form for the inputs of a model. */
export class ValuesForm {
  /** `changed` is called soon after somebody has changed something. */
  constructor(inputs, changed) {
    this.inputs = inputs.map((input) => makeInput(input));
    this.element = element("form.values",
      { novalidate: true, "aria-label": "Values for the model", submit: (event) => {
      event.preventDefault();
      changed();
    } },
      this.inputs.map((input) => input.element),
      element("div.row", {}, element("button.main", { type: "submit" }, "Run")));
    let soon;
    this.element.addEventListener("input", () => {
      clearTimeout(soon);
      soon = setTimeout(changed, 300);
    });
  }

  /** The values by the inputs' names; throws a sentence where something is missing. */
  async read() {
    const values = {};
    for (const input of this.inputs) values[input.name] = await input.read();
    return values;
  }

  /** Fills in values by the inputs' names. */
  write(values) {
    for (const input of this.inputs) {
      const value = this.inputs.length === 1 && (Array.isArray(values) || typeof values !== "object") ? values : values?.[input.name];
      if (value !== undefined) input.write(value);
    }
  }
}

function makeInput(input) {
  const size = (input.shape ?? []).reduce((product, length) => product * Math.max(1, length), 1);
  if (input.type === "image") return new PictureInput(input);
  return size <= MOST_FIELDS && input.type !== "string" ? new NumberInputs(input, size) : new TextInput(input,
    size);
}

class NumberInputs {
  constructor({ name, shape: sizes = [] }, size) {
    this.name = name;
    this.isOne = size === 1;
    this.fields = Array.from({ length: size }, (_, place) => element("input", {
      type: "number", step: "any", value: "0", id: fresh("number"), inputmode: "decimal",
        "data-place": place }));
    this.element = element("fieldset", {},
      element("legend", {}, name, " ", element("span.soft", {}, shape(sizes))),
      element("div.fields", {}, this.fields.map((field, place) => element("div.cell", {},
        element("label", { for: field.id },
          size === 1 ? "value" : element("span", {}, element("span.unseen", {}, `${name} `),
          String(place + 1))), field))));
  }

  async read() {
    const values = this.fields.map((field) => {
      const value = field.value.trim() === "" ? NaN : Number(field.value);
      field.toggleAttribute("aria-invalid", !Number.isFinite(value));
      return value;
    });
    const missing = values.findIndex((value) => !Number.isFinite(value));
    if (missing >= 0) throw new Error(`${this.name} ${missing + 1} is not a number.`);
    return this.isOne ? values[0] : values;
  }

  write(value) {
    [value].flat(9).slice(0, this.fields.length).forEach((each, place) => { this.fields[place].value = each; });
  }
}

class TextInput {
  constructor({ name, type, shape: sizes = [] }, size) {
    this.name = name;
    this.text = element("textarea", { rows: 5, spellcheck: "false" });
    this.text.value = type === "string" ? '""' : JSON.stringify(new Array(Math.min(size, 4096)).fill(0));
    this.element = element("fieldset", {},
      element("legend", {}, name, " ", element("span.soft", {}, shape(sizes))),
      labelled(`${name} as JSON`, this.text));
  }

  async read() {
    try {
      return JSON.parse(this.text.value);
    } catch {
      throw new Error(`What stands for ${this.name} is not JSON.`);
    }
  }

  write(value) {
    this.text.value = JSON.stringify(value);
  }
}

class PictureInput {
  constructor({ name, shape: sizes = [] }) {
    this.name = name;
    this.file = element("input",
      { type: "file", accept: "image/*", change: () => this.take(this.file.files[0]) });
    this.shown = element("div.slot", {}, element("span.soft", {}, "no picture yet"));
    this.element = element("fieldset", {},
      element("legend", {}, name, " ", element("span.soft", {}, `picture, ${shape(sizes)}`)),
      element("div.row", {}, this.shown, labelled(`Picture for ${name}`, this.file)));
    this.element.takesPicture = true;
  }

  async take(file) {
    if (!file) return;
    this.value = `base64:${await base64(await readablePicture(file))}`;
    fill(this.shown, element("img", { src: URL.createObjectURL(file), alt: file.name }));
    this.element.dispatchEvent(new Event("input", { bubbles: true }));
  }

  async read() {
    if (!this.value) throw new Error(`Choose a picture for ${this.name} first.`);
    return this.value;
  }

  write(value) {
    if (typeof value !== "string") return;
    this.value = value;
    const plain = value.replace(/^base64:/, "");
    const type = plain.startsWith("/9j/") ? "image/jpeg" : "image/png";
    fill(this.shown, element("img", { src: `data:${type};base64,${plain}`, alt: `Picture for ${this.name}` }));
  }
}

async function base64(blob) {
  const bytes = new Uint8Array(await blob.arrayBuffer());
  let text = "";
  for (let at = 0; at < bytes.length; at += 32768) text += String.fromCharCode(...bytes.subarray(at,
    at + 32768));
  return btoa(text);
}
