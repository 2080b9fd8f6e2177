// The image or camera stream, with the overlay of the result.

import { element, setContent } from "./dom.js";
import { drawFitted, loadOverlay } from "./overlay.js";

export class InputView {
  constructor() {
    this.overlay = element("canvas.overlay", { "aria-hidden": "true" });
    this.placeholder = element(
      "p.placeholder",
      {},
      "No image yet. Drop one anywhere on this page, paste one, or choose a sample.",
    );
    this.element = element("div.input-view", {}, this.placeholder, this.overlay);
    this.elements = [];
    new ResizeObserver(() => this.draw()).observe(this.element);
  }

  async showImage(image) {
    const node = element("img", { src: image.url, alt: image.name });
    await node.decode().catch(() => {});
    node.classList.toggle("pixelated", node.naturalWidth > 0 && node.naturalWidth <= 160);
    this.setContent(node);
    this.size = [node.naturalWidth, node.naturalHeight];
    this.setOverlay([]);
  }

  /** Shows a camera stream. */
  showStream(stream, isMirrored) {
    const video = element("video", { muted: true, playsinline: true, "aria-label": "Camera" });
    video.muted = true;
    video.srcObject = stream;
    video.play().catch(() => {});
    this.setContent(video);
    this.setMirrored(isMirrored);
    this.setOverlay([]);
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
    this.setOverlay([]);
  }

  setContent(content) {
    if (this.content?.srcObject) this.content.srcObject = null;
    this.content = content;
    setContent(this.element, content, this.overlay);
  }

  /** Draws an overlay, which is in pixels of an image of the given size. */
  async setOverlay(elements, size = this.size) {
    this.latest = elements;
    const loaded = await loadOverlay(elements);
    // A later result may have been loaded faster.
    if (this.latest !== elements) return;
    this.elements = loaded;
    this.size = size;
    this.draw();
  }

  draw() {
    drawFitted(this.overlay, this.element, this.size ?? [], this.elements);
  }
}
