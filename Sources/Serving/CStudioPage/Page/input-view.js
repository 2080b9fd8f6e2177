// The image or camera stream, with the overlay of the result.

import { element, setContent } from "./dom.js";
import { drawFitted, entryAt, loadOverlay, placementOf, visibleElements } from "./overlay.js";
import { OverlayControls } from "./overlay-controls.js";
import { TextLayer } from "./text-layer.js";

export class InputView {
  constructor() {
    this.overlay = element("canvas.overlay", { "aria-hidden": "true" });
    this.textLayer = new TextLayer();
    this.placeholder = element(
      "p.placeholder",
      {},
      "No image yet. Drop one anywhere on this page, paste one, or choose a sample.",
    );
    this.view = element(
      "div.input-view",
      {
        pointermove: (event) => this.point(event),
        pointerleave: () => this.point(null),
      },
      this.placeholder,
      this.overlay,
      this.textLayer.element,
    );
    this.controls = new OverlayControls(() => this.draw());
    this.element = element("div", {}, this.view, this.controls.element);
    this.elements = [];
    this.setEntries([]);
    new ResizeObserver(() => this.draw()).observe(this.view);
  }

  async showImage(image) {
    const node = await this.decoded(image);
    if (!node) return;
    node.classList.toggle("pixelated", node.naturalWidth > 0 && node.naturalWidth <= 160);
    this.setContent(node);
    this.size = [node.naturalWidth, node.naturalHeight];
    this.clearResult();
  }

  /** Shows a frame of a video, whose result follows. */
  async showFrame(image) {
    const node = await this.decoded(image);
    if (!node) return;
    this.setContent(node);
    this.size = [node.naturalWidth, node.naturalHeight];
  }

  /** Returns an image that can be drawn; null if another one is to be shown by then. */
  async decoded(image) {
    this.shownImage = image;
    const node = element("img", { src: image.url, alt: image.name });
    await node.decode().catch(() => {});
    return this.shownImage === image ? node : null;
  }

  /** Shows a camera stream. */
  showStream(stream, isMirrored) {
    const video = element("video", { muted: true, playsinline: true, "aria-label": "Camera" });
    video.muted = true;
    video.srcObject = stream;
    video.play().catch(() => {});
    this.setContent(video);
    this.setMirrored(isMirrored);
    this.clearResult();
  }

  setMirrored(isMirrored) {
    this.content?.classList.toggle("mirrored", isMirrored);
  }

  setPaused(isPaused) {
    if (isPaused) this.content?.pause?.();
    else this.content?.play?.().catch(() => {});
  }

  clear() {
    this.setContent(this.placeholder);
    this.clearResult();
  }

  setContent(content) {
    if (this.content?.srcObject) this.content.srcObject = null;
    this.content = content;
    setContent(this.view, content, this.overlay, this.textLayer.element, this.editor?.element);
  }

  /** Shows an editor over the image in place of the result, or none. */
  setEditor(editor) {
    this.editor?.element.remove();
    this.editor = editor;
    this.view.classList.toggle("is-editing", !!editor);
    if (editor) this.view.append(editor.element);
  }

  clearResult() {
    this.setEntries([]);
    this.setOverlay([]);
  }

  /** Draws an overlay, which is in pixels of an image of the given size, and the lines of text that can be selected. */
  async setOverlay(elements, size = this.size, lines = []) {
    this.latest = elements;
    const loaded = await loadOverlay(elements);
    // A later result may have been loaded faster.
    if (this.latest !== elements) return;
    // The text that is selected would cover what it has been read from.
    this.elements = lines.length ? loaded.map(({ label, ...each }) => each) : loaded;
    this.size = size;
    this.textLayer.setLines(lines);
    this.controls.setElements(this.elements);
    this.draw();
  }

  /** Sets the entries of the result that are highlighted; `onPoint(index)` gets the one under the pointer, or null. */
  setEntries(entries, onPoint = () => {}) {
    [this.entries, this.onPoint, this.highlighted] = [entries, onPoint, null];
  }

  /** Highlights an entry, or none. */
  highlight(index) {
    if (this.highlighted === index) return;
    this.highlighted = index;
    this.onPoint(index);
    this.draw();
  }

  point(event) {
    if (!this.entries.length || !this.size?.[0] || this.editor) return;
    if (!event) return this.highlight(null);
    const bounds = this.view.getBoundingClientRect();
    const { scale, left, top } = placementOf(this.view, this.size);
    const [x, y] = [event.clientX - bounds.left - left, event.clientY - bounds.top - top];
    const shown = this.entries.map((entry) => (this.controls.isHidden(entry.label) ? {} : entry));
    this.highlight(entryAt([x / scale, y / scale], shown));
  }

  draw() {
    const size = this.size ?? [];
    const elements = visibleElements(this.elements, this.controls.hidden, this.controls.opacity);
    const entry = this.entries[this.highlighted] ?? null;
    drawFitted(this.overlay, this.view, size, elements, entry);
    this.textLayer.arrange(this.view, size);
    this.editor?.arrange();
  }
}
