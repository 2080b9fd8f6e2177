// The image or camera stream, with detections drawn over it.

import { element, setContent } from "./dom.js";

export class InputView {
  constructor() {
    this.overlay = element("canvas.overlay", { "aria-hidden": "true" });
    this.placeholder = element(
      "p.placeholder",
      {},
      "No image yet. Drop one anywhere on this page, paste one, or choose a sample.",
    );
    this.element = element("div.input-view", {}, this.placeholder, this.overlay);
    this.detections = [];
    new ResizeObserver(() => this.draw()).observe(this.element);
  }

  async showImage(image) {
    const node = element("img", { src: image.url, alt: image.name });
    await node.decode().catch(() => {});
    node.classList.toggle("pixelated", node.naturalWidth > 0 && node.naturalWidth <= 160);
    this.setContent(node);
    this.size = [node.naturalWidth, node.naturalHeight];
    this.setDetections([]);
  }

  /** Shows a camera stream. */
  showStream(stream, isMirrored) {
    const video = element("video", { muted: true, playsinline: true, "aria-label": "Camera" });
    video.muted = true;
    video.srcObject = stream;
    video.play().catch(() => {});
    this.setContent(video);
    this.setMirrored(isMirrored);
    this.setDetections([]);
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
    this.setDetections([]);
  }

  setContent(content) {
    if (this.content?.srcObject) this.content.srcObject = null;
    this.content = content;
    setContent(this.element, content, this.overlay);
  }

  /** Draws detections, whose boxes are in pixels of an image of the given size. */
  setDetections(detections, size = this.size) {
    this.detections = detections;
    this.size = size;
    this.draw();
  }

  draw() {
    const { clientWidth, clientHeight } = this.element;
    const ratio = window.devicePixelRatio || 1;
    this.overlay.width = Math.round(clientWidth * ratio);
    this.overlay.height = Math.round(clientHeight * ratio);
    if (!this.detections.length || !this.size?.[0]) return;
    const [width, height] = this.size;
    const scale = Math.min(clientWidth / width, clientHeight / height);
    const context = this.overlay.getContext("2d");
    context.scale(ratio, ratio);
    context.translate((clientWidth - width * scale) / 2, (clientHeight - height * scale) / 2);
    for (const detection of [...this.detections].reverse()) {
      drawBox(context, detection, scale, width * scale);
    }
  }
}

function drawBox(context, detection, scale, imageWidth) {
  const { box, label, name, score, color = "#26a6fe", keypoints = [] } = detection;
  const x = box.xmin * scale,
    y = box.ymin * scale;
  const width = (box.xmax - box.xmin) * scale,
    height = (box.ymax - box.ymin) * scale;
  context.lineJoin = "round";
  context.lineWidth = 5;
  context.strokeStyle = "rgba(0, 0, 0, 0.45)";
  context.strokeRect(x, y, width, height);
  context.lineWidth = 2.5;
  context.strokeStyle = color;
  context.strokeRect(x, y, width, height);
  for (const point of keypoints) drawKeypoint(context, point.x * scale, point.y * scale, color);
  drawLabel(context, `${name ?? label} ${Math.round(score * 100)} %`, x, y, color, imageWidth);
}

function drawKeypoint(context, x, y, color) {
  context.beginPath();
  context.arc(x, y, 4, 0, 2 * Math.PI);
  context.fillStyle = color;
  context.fill();
  context.lineWidth = 1.5;
  context.strokeStyle = "white";
  context.stroke();
}

function drawLabel(context, text, x, y, color, imageWidth) {
  context.font = "600 12px system-ui, sans-serif";
  const textWidth = context.measureText(text).width + 10;
  const left = Math.max(0, Math.min(x - 1, imageWidth - textWidth));
  const top = y >= 19 ? y - 19 : y;
  context.fillStyle = color;
  context.fillRect(left, top, textWidth, 19);
  context.fillStyle = isBright(color) ? "#111111" : "#ffffff";
  context.textBaseline = "middle";
  context.fillText(text, left + 5, top + 10);
}

function isBright(color) {
  const [red, green, blue] = [1, 3, 5].map((start) => parseInt(color.slice(start, start + 2), 16));
  return red * 0.299 + green * 0.587 + blue * 0.114 > 120;
}
