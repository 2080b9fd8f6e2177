// The picture or the camera, and what is drawn over it.

import { element, fill } from "./dom.js";

export class Stage {
  constructor() {
    this.marks = element("canvas.marks", { "aria-hidden": "true" });
    this.empty = element("p.empty", {},
      "No picture yet. Drop one anywhere on this page, paste one, or take a sample.");
    this.element = element("div.stage", {}, this.empty, this.marks);
    this.detections = [];
    new ResizeObserver(() => this.draw()).observe(this.element);
  }

  /** Shows a picture. */
  async show(picture) {
    const image = element("img", { src: picture.url, alt: picture.name });
    await image.decode().catch(() => {});
    image.classList.toggle("tiny", image.naturalWidth > 0 && image.naturalWidth <= 160);
    this.put(image);
    this.size = [image.naturalWidth, image.naturalHeight];
    this.mark([]);
  }

  /** Shows what the camera sees. */
  watch(stream, isMirrored) {
    const video = element("video", { muted: true, playsinline: true, "aria-label": "What the camera sees" });
    video.muted = true;
    video.srcObject = stream;
    video.play().catch(() => {});
    this.put(video);
    this.mirror(isMirrored);
    this.mark([]);
  }

  mirror(isMirrored) {
    this.shown?.classList.toggle("mirrored", isMirrored);
  }

  pause(isPaused) {
    if (isPaused) this.shown?.pause?.();
    else this.shown?.play?.().catch(() => {});
  }

  clear() {
    this.put(this.empty);
    this.mark([]);
  }

  put(shown) {
    if (this.shown?.srcObject) this.shown.srcObject = null;
    this.shown = shown;
    fill(this.element, shown, this.marks);
  }

  /** Draws boxes, in pixels of the picture. */
  mark(detections, size = this.size) {
    this.detections = detections;
    this.size = size;
    this.draw();
  }

  draw() {
    const { clientWidth, clientHeight } = this.element;
    const ratio = window.devicePixelRatio || 1;
    this.marks.width = Math.round(clientWidth * ratio);
    this.marks.height = Math.round(clientHeight * ratio);
    if (!this.detections.length || !this.size?.[0]) return;
    const [width, height] = this.size;
    const scale = Math.min(clientWidth / width, clientHeight / height);
    const pen = this.marks.getContext("2d");
    pen.scale(ratio, ratio);
    pen.translate((clientWidth - width * scale) / 2, (clientHeight - height * scale) / 2);
    for (const detection of [...this.detections].reverse()) box(pen, detection, scale,
      [width * scale, height * scale]);
  }
}

function box(pen, { box, label, name, score, color = "#26a6fe", keypoints = [] }, scale, [width, height]) {
  const x = box.xmin * scale, y = box.ymin * scale;
  const w = (box.xmax - box.xmin) * scale, h = (box.ymax - box.ymin) * scale;
  pen.lineJoin = "round";
  pen.lineWidth = 5;
  pen.strokeStyle = "rgba(0, 0, 0, 0.45)";
  pen.strokeRect(x, y, w, h);
  pen.lineWidth = 2.5;
  pen.strokeStyle = color;
  pen.strokeRect(x, y, w, h);
  for (const point of keypoints) dot(pen, point.x * scale, point.y * scale, color);
  tag(pen, `${name ?? label} ${Math.round(score * 100)} %`, x, y, color, [width, height]);
}

function dot(pen, x, y, color) {
  pen.beginPath();
  pen.arc(x, y, 4, 0, 2 * Math.PI);
  pen.fillStyle = color;
  pen.fill();
  pen.lineWidth = 1.5;
  pen.strokeStyle = "white";
  pen.stroke();
}

function tag(pen, text, x, y, color, [width]) {
  pen.font = "600 12px system-ui, sans-serif";
  const long = pen.measureText(text).width + 10;
  const left = Math.max(0, Math.min(x - 1, width - long));
  const top = y >= 19 ? y - 19 : y;
  pen.fillStyle = color;
  pen.fillRect(left, top, long, 19);
  pen.fillStyle = isBright(color) ? "#111111" : "#ffffff";
  pen.textBaseline = "middle";
  pen.fillText(text, left + 5, top + 10);
}

function isBright(color) {
  const [red, green, blue] = [1, 3, 5].map((place) => parseInt(color.slice(place, place + 2), 16));
  return red * 0.299 + green * 0.587 + blue * 0.114 > 120;
}
