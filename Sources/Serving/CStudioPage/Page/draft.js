// The review of a model without a description: what was guessed of it, before it is imported as a bundle.

import { element, labeledField, uniqueID } from "./dom.js";
import { zipArchive } from "./zip.js";

/** Whether a file is a model without a bundle, by its name. */
export const isBareModel = (file) => /\.(tflite|onnx)$/i.test(file.name);

/** The form in which a drafted bundle is reviewed; `onImport(text)` gets the text of `model.json`. */
export class DraftForm {
  constructor(draft, onImport) {
    this.draft = draft;
    this.text = element("textarea", { rows: 14, spellcheck: "false", id: uniqueID("draft") });
    this.text.value = draft.description;
    this.error = element("p.error-message", { role: "alert", hidden: true });
    const value = JSON.parse(draft.description);
    this.name = element("input", {
      type: "text",
      required: true,
      maxlength: 200,
      value: value.name,
      change: () => this.change("/name", this.name.value),
    });
    const submit = (event) => {
      event.preventDefault();
      if (this.check()) onImport(this.text.value);
    };
    this.element = element(
      "form",
      { submit },
      draft.failure
        ? element("p.error-message", {}, `The model does not run yet: ${draft.failure}`)
        : null,
      labeledField("Name", this.name),
      draft.guesses.length
        ? element(
            "fieldset",
            {},
            element("legend", {}, "Guesses to review"),
            draft.guesses.map((guess) => this.guessField(guess)),
          )
        : null,
      element(
        "details",
        { open: !draft.guesses.length },
        element("summary", {}, "model.json"),
        element("label.visually-hidden", { for: this.text.id }, "model.json"),
        this.text,
      ),
      this.error,
      element("div.row", {}, element("button.button-primary", { type: "submit" }, "Import")),
    );
  }

  // A value that is no text is edited as JSON. A default is not in the description until it is changed.
  guessField({ path, value, reason }) {
    const description = JSON.parse(this.draft.description);
    const current = valueAt(description, path) ?? (value === "none" ? undefined : value);
    if (current === undefined || !valueAt(description, path.replace(/\/[^/]*$/, ""))) {
      return element(
        "p",
        {},
        element("code", {}, path),
        ` ${value} `,
        element("small.muted", {}, reason),
      );
    }
    const field = element("input", {
      type: "text",
      value: typeof current === "string" ? current : JSON.stringify(current),
      change: () => this.change(path, parsed(field.value, current)),
    });
    return labeledField(path, field, reason);
  }

  change(path, value) {
    if (!this.check()) return;
    const description = JSON.parse(this.text.value);
    setValueAt(description, path, value);
    this.text.value = JSON.stringify(description, null, 2);
  }

  /** Whether the text is JSON; otherwise shows the error. */
  check() {
    try {
      JSON.parse(this.text.value);
      this.error.hidden = true;
    } catch (error) {
      this.error.textContent = `model.json is not valid JSON: ${error.message}`;
      this.error.hidden = false;
    }
    return this.error.hidden;
  }
}

/** Returns the zipped bundle of a model, its draft and the reviewed text of `model.json`. */
export async function bundleArchive(file, draft, text) {
  const folder = `${file.name.replace(/\.[^.]*$/, "")}.tiobundle`;
  const bytesOf = (data) => Uint8Array.from(atob(data), (each) => each.charCodeAt(0));
  return zipArchive([
    [`${folder}/model.json`, new TextEncoder().encode(text)],
    [`${folder}/${draft.model_file}`, new Uint8Array(await file.arrayBuffer())],
    ...draft.assets.map(({ name, data }) => [`${folder}/assets/${name}`, bytesOf(data)]),
  ]);
}

const steps = (path) =>
  path
    .split("/")
    .slice(1)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));

const valueAt = (value, path) => steps(path).reduce((inner, step) => inner?.[step], value);

function setValueAt(value, path, content) {
  const all = steps(path);
  const last = all.pop();
  const parent = all.reduce((inner, step) => inner?.[step], value);
  if (parent) parent[last] = content;
}

// A text stays a text; other values are JSON, and a text if they are not.
function parsed(text, current) {
  if (typeof current === "string") return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
