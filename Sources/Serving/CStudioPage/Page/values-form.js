// A form for a model's inputs: fields for numbers or texts, JSON, or an image file.

import { button, element, labeledField, setContent, setText, uniqueID } from "./dom.js";
import { formatShape } from "./format.js";
import { isImage, toReadableImage } from "./images.js";
import { Listening } from "./listening.js";
import { announce } from "./notifications.js";
import { isSound, Recorder, toWAV } from "./sound.js";
import { SoundPlayer } from "./sound-player.js";

const MAX_FIELDS = 64;
const MAX_JSON_ZEROS = 4096;
const CHANGE_DELAY = 300;

export class ValuesForm {
  /**
   * `onChange` is called shortly after a value changes. `listener` is the panel of a model that can transcribe the microphone
   * while one speaks.
   */
  constructor(inputs, onChange, listener = null) {
    this.inputs = inputs.map((input) => makeInput(input, listener));
    const submit = (event) => {
      event.preventDefault();
      onChange();
    };
    this.element = element(
      "form.values",
      { novalidate: true, "aria-label": "Input values", submit },
      this.inputs.map((input) => input.element),
      element("div.row", {}, element("button.button-primary", { type: "submit" }, "Run")),
    );
    let timer;
    this.element.addEventListener("input", () => {
      clearTimeout(timer);
      timer = setTimeout(onChange, CHANGE_DELAY);
    });
  }

  /** The player of the first sound; undefined if there is none. */
  get player() {
    return this.inputs.find(({ player }) => player)?.player;
  }

  /** What transcribes the microphone; undefined for other models. */
  get listening() {
    return this.inputs.find(({ listening }) => listening)?.listening;
  }

  /** Returns the values by input name; throws an error if one is missing or invalid. */
  async values() {
    const values = {};
    for (const input of this.inputs) values[input.name] = await input.value();
    return values;
  }

  /** Sets values by input name, or the value of the only input. */
  setValues(values) {
    const isSingleValue =
      this.inputs.length === 1 && (Array.isArray(values) || typeof values !== "object");
    for (const input of this.inputs) {
      const value = isSingleValue ? values : values?.[input.name];
      if (value !== undefined) input.setValue(value);
    }
  }
}

function makeInput(input, listener) {
  const count = (input.declared_shape ?? []).reduce(
    (product, size) => product * Math.max(1, size),
    1,
  );
  if (input.type === "image") return new ImageInput(input);
  if (input.type === "audio") return new SoundInput(input, listener);
  if (input.type === "text") return new TextInputs(input, input.textCount ?? 1);
  if (count <= MAX_FIELDS && input.isText) return new TextInputs(input, count);
  if (input.type === "string") return new TextInputs(input, 1);
  const isList = count > MAX_FIELDS || hasVariableLength(input.declared_shape);
  return isList ? new JSONInput(input, count) : new NumberInputs(input, count);
}

/** Whether the value determines a length after the first dimension, which is the batch. */
function hasVariableLength(shape = []) {
  return shape.slice(1).includes(-1);
}

/** Returns zeros in a shape without its batch, with one element in each variable length. */
function zeros(shape) {
  return shape.slice(1).reduceRight((value, size) => new Array(Math.max(1, size)).fill(value), 0);
}

const inputGroup = ({ name, shape = [], features, description }, ...content) =>
  element(
    features ? "fieldset.has-features" : "fieldset",
    {},
    element("legend", {}, name, " ", element("span.muted", {}, formatShape(shape))),
    description ? element("p.muted", {}, description) : [],
    content,
  );

/** Creates a field for each value, with the name of its feature or its number as the label. */
const fieldGrid = ({ name, features }, fields, onlyTitle) =>
  element(
    "div.fields",
    {},
    fields.map((field, index) => {
      const number = [element("span.visually-hidden", {}, `${name} `), String(index + 1)];
      const title = features?.[index] ?? (fields.length === 1 ? onlyTitle : number);
      return element("div.cell", {}, element("label", { for: field.id }, title), field);
    }),
  );

class NumberInputs {
  constructor(input, count) {
    this.name = input.name;
    this.features = input.features;
    this.isScalar = count === 1;
    this.fields = Array.from({ length: count }, (_, index) =>
      element("input", {
        type: "number",
        step: "any",
        value: "0",
        id: uniqueID("number"),
        inputmode: "decimal",
        "data-index": index,
      }),
    );
    this.element = inputGroup(input, fieldGrid(input, this.fields, "value"));
  }

  async value() {
    const values = this.fields.map((field) => {
      const value = field.value.trim() === "" ? NaN : Number(field.value);
      field.toggleAttribute("aria-invalid", !Number.isFinite(value));
      return value;
    });
    const invalid = values.findIndex((value) => !Number.isFinite(value));
    if (invalid >= 0) {
      throw new Error(
        `${this.features?.[invalid] ?? `${this.name} ${invalid + 1}`} is not a number.`,
      );
    }
    return this.isScalar ? values[0] : values;
  }

  setValue(value) {
    [value]
      .flat(9)
      .slice(0, this.fields.length)
      .forEach((number, index) => {
        this.fields[index].value = number;
      });
  }
}

class TextInputs {
  constructor(input, count) {
    this.name = input.name;
    this.fields = Array.from({ length: count }, () =>
      element("textarea", { rows: count === 1 ? 3 : 1, id: uniqueID("text") }),
    );
    this.element = inputGroup(input, fieldGrid(input, this.fields, "text"));
    this.element.classList.add("has-text");
  }

  async value() {
    const values = this.fields.map((field) => field.value);
    return values.length === 1 ? values[0] : values;
  }

  setValue(value) {
    [value]
      .flat(9)
      .slice(0, this.fields.length)
      .forEach((text, index) => {
        this.fields[index].value = text;
      });
  }
}

class JSONInput {
  constructor(input, count) {
    this.name = input.name;
    this.text = element("textarea", { rows: 5, spellcheck: "false" });
    const value = hasVariableLength(input.declared_shape)
      ? zeros(input.declared_shape)
      : new Array(Math.min(count, MAX_JSON_ZEROS)).fill(0);
    this.text.value = JSON.stringify(value);
    this.element = inputGroup(input, labeledField(`${input.name} as JSON`, this.text));
  }

  async value() {
    try {
      return JSON.parse(this.text.value);
    } catch {
      throw new Error(`The value of ${this.name} is not valid JSON.`);
    }
  }

  setValue(value) {
    this.text.value = JSON.stringify(value);
  }
}

class ImageInput {
  constructor({ name, shape = [] }) {
    this.name = name;
    this.fileField = element("input", {
      type: "file",
      accept: "image/*",
      change: () => this.setFile(this.fileField.files[0]),
    });
    this.preview = element("div.image-slot", {}, element("span.muted", {}, "no image yet"));
    this.element = element(
      "fieldset",
      {},
      element("legend", {}, name, " ", element("span.muted", {}, `image, ${formatShape(shape)}`)),
      element("div.row", {}, this.preview, labeledField(`Image for ${name}`, this.fileField)),
    );
  }

  accepts(file) {
    return isImage(file);
  }

  async setFile(file) {
    if (!file) return;
    this.encoded = `base64:${await base64(await toReadableImage(file))}`;
    setContent(this.preview, element("img", { src: URL.createObjectURL(file), alt: file.name }));
    this.element.dispatchEvent(new Event("input", { bubbles: true }));
  }

  async value() {
    if (!this.encoded) throw new Error(`Choose an image for ${this.name} first.`);
    return this.encoded;
  }

  setValue(value) {
    if (typeof value !== "string") return;
    this.encoded = value;
    const data = value.replace(/^base64:/, "");
    const type = data.startsWith("/9j/") ? "image/jpeg" : "image/png";
    setContent(
      this.preview,
      element("img", { src: `data:${type};base64,${data}`, alt: `Image for ${this.name}` }),
    );
  }
}

class SoundInput {
  constructor({ name, shape = [] }, listener) {
    this.name = name;
    this.listener = listener;
    this.fileField = element("input", {
      type: "file",
      accept: "audio/*",
      change: () => this.setFile(this.fileField.files[0]),
    });
    this.player = new SoundPlayer(name);
    this.message = element("p.muted", { role: "status" });
    this.recorder = new Recorder();
    this.recordButton = button("Record", () => this.toggleRecording());
    if (listener) {
      this.listening = new Listening(listener, {
        onStart: () => this.setListening(true),
        onEnd: (recording, record) => this.showTranscript(recording, record),
      });
    }
    this.element = element(
      "fieldset",
      {},
      element("legend", {}, name, " ", element("span.muted", {}, `sound, ${formatShape(shape)}`)),
      element(
        "div.row",
        {},
        labeledField(`Sound for ${name}`, this.fileField),
        this.recordButton,
        this.listening?.button,
      ),
      this.message,
      this.listening?.element,
      this.player.element,
    );
  }

  accepts(file) {
    return isSound(file);
  }

  async setFile(file) {
    if (!file) return;
    this.listening?.cancel();
    this.sound = await toWAV(file);
    await this.player.load(this.sound);
    this.element.dispatchEvent(new Event("input", { bubbles: true }));
  }

  async toggleRecording() {
    setText(this.message, "");
    try {
      if (this.recorder.isOn) await this.setFile(await this.recorder.stop());
      else await this.recorder.start();
    } catch (error) {
      setText(this.message, error.message);
    }
    setText(this.recordButton, this.recorder.isOn ? "Stop recording" : "Record");
    if (this.listening) this.listening.button.disabled = this.recorder.isOn;
  }

  // What is played would be heard by the microphone.
  setListening(isOn) {
    this.recordButton.disabled = isOn;
    this.player.element.hidden = isOn;
    if (isOn) this.player.audio.pause();
  }

  /** Shows the sound that the microphone has recorded, and its transcript, as those of a file. */
  async showTranscript(recording, record) {
    this.setListening(false);
    if (recording) {
      this.sound = recording;
      this.fileField.value = "";
      await this.player.load(recording);
    }
    if (!record) return;
    this.listener.show(record, { texts: [] });
    announce(`${this.listener.title.textContent}: ${this.listener.outputs.summary}.`);
  }

  async value() {
    // The sound is what has been recorded until now.
    await this.listening?.stop();
    if (!this.sound) throw new Error(`Choose or record a sound for ${this.name} first.`);
    return `base64:${await base64(this.sound)}`;
  }

  setValue(value) {
    if (typeof value !== "string") return;
    const bytes = Uint8Array.from(atob(value.replace(/^base64:/, "")), (each) =>
      each.charCodeAt(0),
    );
    this.sound = new Blob([bytes], { type: "audio/wav" });
    this.player.load(this.sound);
  }
}

async function base64(blob) {
  const bytes = new Uint8Array(await blob.arrayBuffer());
  const chunkSize = 32768;
  let text = "";
  for (let start = 0; start < bytes.length; start += chunkSize) {
    text += String.fromCharCode(...bytes.subarray(start, start + chunkSize));
  }
  return btoa(text);
}
