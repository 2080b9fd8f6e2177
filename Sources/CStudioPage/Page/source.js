// Where pictures come from: files, the clipboard, drops, the bundle's samples, the camera.

import { button, byId, element, fill, labelled } from "./dom.js";
import { notice } from "./notices.js";
import { given, isPicture, readablePicture } from "./pictures.js";
import { studio } from "./state.js";

export class Source {
  /** `picked(picture)` and `compared(name)` are called when somebody chooses, `camera` is the camera. */
  constructor({ camera, picked, compared, least }) {
    Object.assign(this, { camera, picked });
    this.own = [];
    this.samples = [];
    this.current = null;
    this.file = element("input.unseen",
      { type: "file", accept: "image/*", multiple: true, id: "files", tabindex: -1,
      "aria-label": "Pictures from this machine",
      change: () => { this.add([...this.file.files]); this.file.value = ""; } });
    this.chooseButton = button("Choose pictures", () => this.file.click(),
      { kind: "button.main", title: "Choose pictures (O)" });
    this.cameraButton = button("Use the camera", () => (camera.isOn ? camera.stop() : camera.start()),
      { kind: "button.camera-button", title: "Camera (C)" });
    this.pasteButton = button("Paste", () => this.paste());
    this.other = element("select", { change: () => compared(this.other.value || null) });
    this.least = element("input",
      { type: "number", min: 0, max: 1, step: 0.05, placeholder: "model’s own", change: () => least() });
    this.strip = element("div.strip-of-pictures", { role: "group", "aria-label": "Pictures to try" });
    this.form = element("div");
    this.pictures = element("div.toolbar", {}, this.file, this.chooseButton, this.cameraButton,
      this.pasteButton,
      element("p.soft.fine.hint", {}, "You can also drop pictures anywhere on this page."));
    this.instead = element("p.soft.hint", { hidden: true },
      "Take a sample, or fill in the form; the answer follows by itself.");
    this.leastField = labelled("Least score", this.least);
    this.otherField = labelled("Side by side with", this.other);
    this.element = element("div", {},
      element("div.source-head", {}, this.pictures, this.instead,
      element("div.options", {}, this.leastField, this.otherField)),
      camera.element, this.strip, this.form);
  }

  /** Shows what fits a model: pictures, or a form. */
  suit({ takesPicture, isDetector, form, name }) {
    this.pictures.hidden = !takesPicture;
    this.instead.hidden = takesPicture;
    this.leastField.hidden = !isDetector;
    fill(this.form, form?.element);
    this.name = name;
  }

  /** Which models may stand beside this one. */
  offer(name, chosenOther) {
    fill(this.other, element("option", { value: "" }, "nothing"),
      studio.models.filter((model) => !model.broken && model.name !== name)
        .map((model) => element("option", { value: model.name, selected: model.name === chosenOther },
          model.title)));
    this.other.value = chosenOther ?? "";
  }

  /** The bundle's own samples. */
  setSamples(samples, pick) {
    this.samples = samples.map((sample) => ({ ...sample, isSample: true, pick }));
    this.show();
  }

  /** Takes files that somebody gave; the first of them is shown. */
  async add(files) {
    const pictures = files.filter(isPicture);
    const others = files.length - pictures.length;
    if (others) notice(others === 1 ? `${files.find((file) => !isPicture(file)).name} is not a picture.` : `${others} files are not pictures.`, "bad");
    if (!pictures.length) return;
    const ready = await Promise.all(pictures.map(async (file) => given(await readablePicture(file),
      file.name || "pasted picture")));
    this.own = [...ready, ...this.own];
    for (const old of this.own.splice(60)) if (old !== this.current) URL.revokeObjectURL(old.url);
    this.pick(ready[0]);
  }

  /** Shows one of the pictures; a sample is fetched first. */
  async pick(picture) {
    this.current = picture;
    this.show();
    if (picture.pick) await picture.pick(picture);
    else this.picked(picture);
  }

  step(by) {
    const all = [...this.own, ...this.samples];
    if (!all.length) return;
    const at = all.indexOf(this.current);
    this.pick(all[(at + by + all.length) % all.length]);
  }

  async paste() {
    try {
      const items = await navigator.clipboard.read();
      const files = [];
      for (const item of items) {
        const type = item.types.find((each) => each.startsWith("image/"));
        if (type) files.push(new File([await item.getType(type)], "pasted picture", { type }));
      }
      if (files.length) return this.add(files);
      notice("There is no picture in the clipboard.", "bad");
    } catch {
      notice("The browser does not let the button read the clipboard; press Ctrl+V (or ⌘V) instead.", "bad");
    }
  }

  show() {
    const part = (title, all) => (all.length ? element("div.part", {}, element("p.kicker", {}, title),
      element("div.thumbs", {}, all.map((picture) => this.thumb(picture)))) : null);
    fill(this.strip, part("Yours", this.own), part("Samples", this.samples));
    this.strip.hidden = !this.own.length && !this.samples.length;
  }

  thumb(picture) {
    const isPictureFile = !picture.type || picture.type.startsWith("image/");
    return element(isPictureFile ? "button.thumb" : "button.chip", {
      type: "button", title: picture.name, "aria-pressed": String(picture === this.current),
        click: () => this.pick(picture),
      "aria-label": isPictureFile ? `Try ${picture.name}` : null,
    }, isPictureFile ? element("img",
      { src: picture.url, alt: "", loading: "lazy" }) : picture.name.replace(/\.json$/, ""));
  }
}

/** Pictures and bundles from anywhere on the page: drops and pastes. */
export function beginDrops(take) {
  const veil = byId("veil");
  let depth = 0;
  const holdsFiles = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files");
  const cover = (by) => {
    depth = by === 0 ? 0 : Math.max(0, depth + by);
    veil.hidden = depth === 0;
  };
  addEventListener("dragenter", (event) => holdsFiles(event) && cover(1));
  addEventListener("dragleave", (event) => holdsFiles(event) && cover(-1));
  addEventListener("dragover", (event) => holdsFiles(event) && event.preventDefault());
  addEventListener("drop", (event) => {
    cover(0);
    if (!event.dataTransfer?.files.length) return;
    event.preventDefault();
    take([...event.dataTransfer.files], event.target);
  });
  addEventListener("paste", (event) => {
    const files = [...(event.clipboardData?.files ?? [])];
    if (!files.length) return;
    event.preventDefault();
    take(files, event.target);
  });
}
