// Teaches the selected model classes of the user, from images of files or of the camera.

import * as api from "./api.js";
import { Camera } from "./camera.js";
import {
  button,
  byId,
  element,
  labeledField,
  numberColumns,
  rowHeaderColumn,
  setContent,
  setText,
  table,
} from "./dom.js";
import { enlargeable } from "./enlarge.js";
import { formatPercent, pluralize } from "./format.js";
import { isImage, thumbnail, toReadableImage } from "./images.js";
import { missingRuntimeNotice } from "./missing-runtime.js";
import { announce, notify, showError } from "./notifications.js";
import { modelNamed, navigate, onChange, refresh, selection } from "./state.js";

const SHOTS = 10;
const SHOT_INTERVAL = 150;
const MIN_EXAMPLES = 2;
const UNKNOWN_RATE = 0.1;

/** The lessons of models by name; their images exist in memory only. */
const lessons = new Map();

export function initTeach() {
  onChange("view", show);
  onChange("state", () => selection.view === "teach" && show());
}

function show() {
  for (const lesson of lessons.values()) lesson.camera.stop();
  if (selection.view !== "teach") return undefined;
  const model = modelNamed(selection.model);
  const view = byId("view-teach");
  if (!model || model.error) return setContent(view);
  if (model.missing_runtime) return setContent(view, missingRuntimeNotice(model));
  if (!lessons.has(model.name)) lessons.set(model.name, new Lesson(model));
  return setContent(view, lessons.get(model.name).element);
}

/** The classes that a model is taught, with their images. */
class Lesson {
  constructor(model) {
    this.model = model;
    this.camera = new Camera({
      onStart: () => setContent(this.cameraView, this.camera.video),
      onFrame: (blob) => this.addFrame(blob),
      onStop: () => this.stopRecording(),
      onMirror: () => {},
      onPause: () => {},
      onError: (message) => {
        notify(message, "error");
        this.stopRecording();
      },
    });
    this.classes = [];
    this.list = element("div.taught-classes");
    this.cameraView = element("div.input-view");
    this.nameField = element("input", { type: "text", required: true, maxlength: 80 });
    this.nameField.value = `my-${model.name}`;
    this.unknownField = element("input", { type: "checkbox", id: "teach-unknown", checked: true });
    this.teachButton = element("button.button-primary", { type: "submit" }, "Teach");
    this.result = element("div");
    this.element = element(
      "div",
      {},
      element(
        "form.panel",
        { submit: (event) => this.teach(event) },
        element("h2", {}, "Teach the model your own classes"),
        element(
          "p",
          {},
          `Show it at least ${MIN_EXAMPLES} images of each class, better 20, as they will be used. `,
          "They stay in this page until you teach the model. ",
          "Images of a class named unknown are not taught: they measure how many of such are recognized.",
        ),
        this.list,
        button("Add a class", () => this.addClass()),
        this.cameraView,
        labeledField("Name of the new model", this.nameField),
        element(
          "div.checkbox-field",
          {},
          this.unknownField,
          element("label", { for: "teach-unknown" }, "Recognize images of no class"),
        ),
        this.teachButton,
      ),
      this.result,
    );
    this.addClass();
    this.addClass();
  }

  addClass() {
    const entry = { images: [], name: `Class ${this.classes.length + 1}` };
    entry.nameField = element("input", {
      type: "text",
      value: entry.name,
      maxlength: 80,
      required: true,
    });
    entry.count = element("p.muted.taught-count", {}, "No images");
    entry.images.list = element("div.taught-images");
    const files = element("input", {
      type: "file",
      accept: "image/*",
      multiple: true,
      change: () => this.addFiles(entry, [...files.files]),
    });
    entry.cameraButton = button(`Show it ${SHOTS}`, () => this.record(entry));
    entry.element = element(
      "fieldset.taught-class",
      {},
      labeledField("Class", entry.nameField),
      labeledField("Images", files),
      entry.cameraButton,
      button("Remove the class", () => this.removeClass(entry), { kind: "button.button-plain" }),
      entry.count,
      entry.images.list,
    );
    this.classes.push(entry);
    this.list.append(entry.element);
  }

  removeClass(entry) {
    if (this.recorded === entry) this.camera.stop();
    this.classes = this.classes.filter((other) => other !== entry);
    entry.element.remove();
  }

  // MARK: Images

  async addFiles(entry, files) {
    for (const file of files.filter(isImage))
      await this.addImage(entry, await toReadableImage(file));
  }

  async addImage(entry, blob) {
    entry.images.push(blob);
    setText(entry.count, pluralize(entry.images.length, "image"));
    const image = element("img", { src: await thumbnail(blob), alt: "" });
    entry.images.list.append(
      enlargeable(image, `image ${entry.images.length} of ${entry.nameField.value}`, {
        fullURL: () => URL.createObjectURL(blob),
      }),
    );
  }

  /** Adds images of the camera, until there are ten more. */
  record(entry) {
    this.recorded = entry;
    this.remaining = SHOTS;
    this.camera.start("environment");
  }

  async addFrame(blob) {
    if (!this.recorded) return;
    await this.addImage(this.recorded, blob);
    this.remaining -= 1;
    if (this.remaining > 0) {
      await new Promise((resolve) => setTimeout(resolve, SHOT_INTERVAL));
    } else {
      announce(`${SHOTS} images of ${this.recorded.nameField.value} were added.`);
      this.camera.stop();
    }
  }

  stopRecording() {
    this.recorded = null;
    setContent(this.cameraView);
  }

  // MARK: Teaching

  async teach(event) {
    event.preventDefault();
    this.camera.stop();
    this.teachButton.disabled = true;
    setContent(this.result, element("progress", { "aria-label": "Teaching the model" }));
    try {
      const examples = [];
      for (const entry of this.classes) {
        const label = entry.nameField.value.trim();
        for (const blob of entry.images) examples.push({ label, data: await base64(blob) });
      }
      const { model, report } = await api.teach(
        this.model.name,
        this.nameField.value.trim(),
        examples,
        this.unknownField.checked ? UNKNOWN_RATE : 0,
      );
      await refresh();
      this.showReport(model, report);
    } catch (error) {
      setContent(this.result);
      showError(error);
    } finally {
      this.teachButton.disabled = false;
    }
  }

  showReport(model, report) {
    const { value, low, high } = report.accuracy;
    announce(`${model.title} was taught.`);
    setContent(
      this.result,
      element(
        "div.panel.taught-report",
        {},
        element("h2", {}, `${model.title} is ready`),
        element(
          "p",
          {},
          `${formatPercent(value)} of the images are right when they are held out `,
          `(${formatPercent(low)} to ${formatPercent(high)}).`,
        ),
        report.unknown &&
          element(
            "p",
            {},
            `${formatPercent(report.unknown.others_rejected)} of the images of no class are recognized as unknown, `,
            `and ${formatPercent(report.unknown.known_rejected)} of those of your classes.`,
          ),
        table(
          [rowHeaderColumn("Class"), ...numberColumns("Images", "Right")],
          report.classes.map(({ label, examples, correct }) => [label, examples, correct]),
        ),
        report.mislabeled.map(({ name, suggestion }) =>
          element("p", {}, `${name} looks like ${suggestion}.`),
        ),
        report.skipped.map(({ name, message }) => element("p", {}, `${name}: ${message}`)),
        report.warnings.map((text) => element("p.muted", {}, text)),
        button("Try it", () => navigate(model.name, "try"), { kind: "button.button-primary" }),
      ),
    );
  }
}

/** Returns the bytes of a blob in Base64. */
async function base64(blob) {
  const url = await new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result);
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(blob);
  });
  return url.slice(url.indexOf(",") + 1);
}
