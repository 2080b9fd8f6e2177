// The sources of images: files, the clipboard, drag and drop, the bundle's samples, and the camera.

import { button, byId, element, labeledField, reveal, setContent } from "./dom.js";
import { compareNames, formatPercent, pluralize } from "./format.js";
import { isImage, toReadableImage, userImage } from "./images.js";
import { notify } from "./notifications.js";
import { samplePreview } from "./sample-preview.js";
import { SliderField } from "./slider-field.js";
import { comparableModels, studio } from "./state.js";
import { isVideo } from "./video.js";

const MAX_USER_IMAGES = 60;
/** The most labels that the slider selects; the settings and the server permit more. */
const MAX_LABELS = 50;

const hasThumbnail = ({ type }) => !type || type.startsWith("image/");

export class InputSource {
  /**
   * `onSelect(image)`, `onCompare(name)` and `onOptionsChange()` report the user's choices. `onMany(files)`
   * gets more images than are listed here, and `onVideo(file)` a video.
   */
  constructor({ camera, video, onSelect, onCompare, onOptionsChange }) {
    Object.assign(this, { camera, onSelect });
    this.userImages = [];
    this.samples = [];
    this.current = null;
    this.fileField = element("input.visually-hidden", {
      type: "file",
      accept: "image/*",
      multiple: true,
      id: "files",
      tabindex: -1,
      "aria-label": "Images from this machine",
      change: () => {
        this.add([...this.fileField.files]);
        this.fileField.value = "";
      },
    });
    this.videoField = element("input.visually-hidden", {
      type: "file",
      accept: "video/*,.mkv,.avi,.mov",
      id: "video-file",
      tabindex: -1,
      "aria-label": "A video from this machine",
      change: () => {
        const [file] = this.videoField.files;
        if (file) this.onVideo(file);
        this.videoField.value = "";
      },
    });
    this.videoButton = button("Choose a video", () => this.videoField.click(), {
      title: "Choose a video (V)",
    });
    this.chooseButton = button("Choose images", () => this.fileField.click(), {
      kind: "button.button-primary",
      title: "Choose images (O)",
    });
    this.cameraButton = button(
      "Use the camera",
      () => (camera.isOn ? camera.stop() : camera.start()),
      { kind: "button.camera-toggle", title: "Camera (C)" },
    );
    this.pasteButton = button("Paste", () => this.paste());
    this.comparisonSelect = element("select", {
      change: () => onCompare(this.comparisonSelect.value || null),
    });
    this.minScore = new SliderField("Minimum score", 0.01, formatPercent, onOptionsChange);
    this.labels = new SliderField("Labels", 1, String, onOptionsChange);
    this.thumbnailStrip = element("div.thumbnail-strip", {
      role: "group",
      "aria-label": "Images to try",
    });
    this.formContainer = element("div");
    this.imageControls = element(
      "div.toolbar",
      {},
      this.fileField,
      this.videoField,
      this.chooseButton,
      this.videoButton,
      this.cameraButton,
      this.pasteButton,
      element(
        "p.muted.fine-print.hint",
        {},
        "You can also drop images or a video anywhere on this page.",
      ),
    );
    this.formHint = element(
      "p.muted.hint",
      { hidden: true },
      "Choose a sample or fill in the form; the model runs automatically.",
    );
    this.comparisonLabel = labeledField("Compare with", this.comparisonSelect);
    this.element = element(
      "div",
      {},
      element(
        "div.input-source-header",
        {},
        this.imageControls,
        this.formHint,
        element(
          "div.options",
          {},
          this.minScore.element,
          this.labels.element,
          this.comparisonLabel,
        ),
      ),
      camera.element,
      video.element,
      this.thumbnailStrip,
      this.formContainer,
    );
  }

  /** All images, the user's first. */
  get allImages() {
    return [...this.userImages, ...this.samples];
  }

  /** Shows the controls for a model: those for images, or a form. */
  configure({ acceptsImage, hasMinimumScore, defaultMinScore, labelCount, form, name }) {
    this.imageControls.hidden = !acceptsImage;
    this.formHint.hidden = acceptsImage;
    if (name !== this.name) [this.minScore.value, this.labels.value] = [null, null];
    this.minScore.configure(hasMinimumScore, { min: 0, max: 1, initial: defaultMinScore });
    const max = Math.min(MAX_LABELS, labelCount);
    this.labels.configure(labelCount > 1, { min: 1, max, initial: Math.min(max, studio.top) });
    setContent(this.formContainer, form?.element);
    this.name = name;
  }

  /** The options of a run. */
  get options() {
    return { minScore: this.minScore.value, top: this.labels.value ?? studio.top };
  }

  /** Sets the models that can be compared with this one. */
  setComparisonModels(name, selected) {
    updateComparison(this.comparisonSelect, name, selected ?? "");
    this.comparisonLabel.hidden = this.comparisonSelect.options.length === 1;
  }

  /** Sets the bundle's samples; `load(sample)` fetches and runs one. */
  setSamples(samples, load) {
    this.samples = samples
      .map((sample) => ({ ...sample, isSample: true, load }))
      .sort((one, other) => compareNames(one.name, other.name));
    for (const [index, sample] of this.samples.entries()) {
      if (!hasThumbnail(sample)) sample.preview = samplePreview(sample, index);
    }
    this.render();
  }

  /** Adds files and selects the first image. */
  async add(files) {
    const video = files.find(isVideo);
    if (video) return this.onVideo(video);
    const images = files.filter(isImage);
    const others = files.filter((file) => !isImage(file));
    if (others.length) {
      notify(
        others.length === 1
          ? `${others[0].name} is not an image.`
          : `${others.length} files are not images.`,
        "error",
      );
    }
    if (!images.length) return;
    if (images.length > MAX_USER_IMAGES) return this.onMany(images);
    const added = await Promise.all(
      images.map(async (file) =>
        userImage(await toReadableImage(file), file.name || "pasted image"),
      ),
    );
    this.userImages = [...added, ...this.userImages];
    const removedImages = this.userImages.splice(MAX_USER_IMAGES);
    for (const removed of removedImages) {
      if (removed !== this.current) URL.revokeObjectURL(removed.url);
    }
    reportLimit(removedImages.length);
    this.select(added[0]);
  }

  /** Selects an image; a sample is fetched first. */
  async select(image) {
    this.current = image;
    this.render();
    if (image.load) await image.load(image);
    else this.onSelect(image);
  }

  /** Selects the next or the previous image. */
  step(offset) {
    const all = this.allImages;
    if (!all.length) return;
    this.select(all[(all.indexOf(this.current) + offset + all.length) % all.length]);
  }

  async paste() {
    try {
      const files = [];
      for (const item of await navigator.clipboard.read()) {
        const type = item.types.find((each) => each.startsWith("image/"));
        if (type) files.push(new File([await item.getType(type)], "pasted image", { type }));
      }
      if (files.length) return this.add(files);
      notify("The clipboard contains no image.", "error");
    } catch {
      notify("The browser denied access to the clipboard; press Ctrl+V (or ⌘V) instead.", "error");
    }
  }

  render() {
    const group = (title, images) =>
      images.length
        ? element(
            "div.thumbnail-group",
            {},
            element("p.kicker", {}, title),
            element(
              "div.thumbnails",
              {},
              images.map((image) => this.thumbnail(image)),
            ),
          )
        : null;
    const rows = () => [...this.thumbnailStrip.querySelectorAll(".thumbnails")];
    const positions = rows().map((row) => row.scrollLeft);
    setContent(
      this.thumbnailStrip,
      group("Your images", this.userImages),
      group("Samples", this.samples),
    );
    this.thumbnailStrip.hidden = !this.allImages.length;
    for (const [index, row] of rows().entries()) {
      row.scrollLeft = positions[index] ?? 0;
      const chosen = row.querySelector("[aria-pressed=true]");
      if (chosen) reveal(row, chosen);
    }
  }

  thumbnail(image) {
    const isImage = hasThumbnail(image);
    return element(
      isImage ? "button.thumbnail" : "button.chip",
      {
        type: "button",
        title: image.name,
        "aria-pressed": String(image === this.current),
        click: () => this.select(image),
        "aria-label": isImage ? `Try ${image.name}` : null,
      },
      isImage
        ? element("img", { src: image.url, alt: "", loading: "lazy" })
        : [image.preview, element("span", {}, image.name)],
    );
  }
}

const comparisonOptions = (name) => [
  element("option", { value: "" }, "none"),
  comparableModels(name).map((model) => element("option", { value: model.name }, model.title)),
];

/** Updates a list of models that can be compared with one; a selected model that was removed is not any more. */
export function updateComparison(select, name, selected = select.value) {
  setContent(select, comparisonOptions(name));
  const isListed = [...select.options].some(({ value }) => value === selected);
  select.value = isListed ? selected : "";
}

/** Reports that earlier images are no longer listed. */
function reportLimit(removedCount) {
  if (!removedCount) return;
  notify(
    `Only the latest ${MAX_USER_IMAGES} images are listed; ` +
      `${pluralize(removedCount, "earlier image")} removed from the list.`,
  );
}

/** Passes files that are dropped or pasted anywhere on the page to `onFiles`. */
export function initFileDrop(onFiles) {
  const overlay = byId("drop-overlay");
  let depth = 0;
  const hasFiles = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files");
  const updateOverlay = (change) => {
    depth = change === 0 ? 0 : Math.max(0, depth + change);
    overlay.hidden = depth === 0;
  };
  addEventListener("dragenter", (event) => hasFiles(event) && updateOverlay(1));
  addEventListener("dragleave", (event) => hasFiles(event) && updateOverlay(-1));
  addEventListener("dragover", (event) => hasFiles(event) && event.preventDefault());
  addEventListener("drop", (event) => {
    updateOverlay(0);
    if (!event.dataTransfer?.files.length) return;
    event.preventDefault();
    onFiles([...event.dataTransfer.files], event.target);
  });
  addEventListener("paste", (event) => {
    const files = [...(event.clipboardData?.files ?? [])];
    if (!files.length) return;
    event.preventDefault();
    onFiles(files, event.target);
  });
}
