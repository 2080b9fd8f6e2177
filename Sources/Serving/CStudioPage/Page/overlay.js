// The shapes and masks of a result, drawn over its image.

import { element } from "./dom.js";

const OUTLINE = "rgba(0, 0, 0, 0.45)";

/** Decodes the images of masks. */
export async function loadOverlay(elements) {
  if (!elements.some(({ type }) => type === "mask")) return elements;
  return Promise.all(
    elements.map(async (each) => {
      if (each.type !== "mask" || !each.png) return each;
      const image = new Image();
      image.src = `data:image/png;base64,${each.png}`;
      await image.decode().catch(() => {});
      return { ...each, image };
    }),
  );
}

const draw = {
  mask: drawMask,
  polygon: drawPolygon,
  lines: drawLines,
  points: (context, { points, color }, scale) => drawPoints(context, points, scale, color),
  box: drawBox,
  "ground-truth": drawGroundTruth,
};

// Draws the elements in order, then boxes; those with the highest scores are on top.
function drawOverlay(context, elements, scale, imageWidth) {
  const boxes = elements.filter(({ type }) => type === "box").reverse();
  for (const each of [...elements.filter(({ type }) => type !== "box"), ...boxes]) {
    draw[each.type]?.(context, each, scale, imageWidth);
  }
  drawLegend(
    context,
    elements.flatMap(({ legend }) => legend ?? []),
    imageWidth,
  );
}

/** Draws the elements over an image of a size in pixels that is fitted into a container. */
export function drawFitted(canvas, { clientWidth, clientHeight }, [width, height], elements) {
  const ratio = window.devicePixelRatio || 1;
  canvas.width = Math.round(clientWidth * ratio);
  canvas.height = Math.round(clientHeight * ratio);
  if (!elements.length || !width) return;
  const scale = Math.min(clientWidth / width, clientHeight / height);
  const context = canvas.getContext("2d");
  context.scale(ratio, ratio);
  context.translate((clientWidth - width * scale) / 2, (clientHeight - height * scale) / 2);
  drawOverlay(context, elements, scale, width * scale);
}

/** An image, and the overlay that `loadElements()` returns once the image is visible. */
export class OverlaidImage {
  constructor(url, loadElements) {
    this.image = element("img", { src: url, alt: "", loading: "lazy" });
    this.overlay = element("canvas.overlay", { "aria-hidden": "true" });
    this.element = element("div.sample-image", {}, this.image, this.overlay);
    this.image.addEventListener("load", async () => {
      this.elements = await loadOverlay(await loadElements());
      if (this.elements.length) new ResizeObserver(() => this.draw()).observe(this.element);
    });
  }

  draw() {
    const { naturalWidth, naturalHeight } = this.image;
    drawFitted(this.overlay, this.element, [naturalWidth, naturalHeight], this.elements);
  }
}

function drawMask(context, { box, image, opacity }, scale) {
  if (!image?.naturalWidth) return;
  context.save();
  context.globalAlpha = opacity;
  context.imageSmoothingEnabled = false;
  const [width, height] = [box.xmax - box.xmin, box.ymax - box.ymin];
  context.drawImage(image, box.xmin * scale, box.ymin * scale, width * scale, height * scale);
  context.restore();
}

function drawBox(context, { box, label, score, color, points }, scale, imageWidth) {
  const [x, y] = [box.xmin * scale, box.ymin * scale];
  context.beginPath();
  context.rect(x, y, (box.xmax - box.xmin) * scale, (box.ymax - box.ymin) * scale);
  strokeOutlined(context, color);
  drawPoints(context, points, scale, color);
  drawLabel(context, `${label} ${Math.round(score * 100)} %`, x, y, color, imageWidth);
}

function drawGroundTruth(context, { box }, scale) {
  context.save();
  context.setLineDash([5, 4]);
  context.beginPath();
  context.rect(
    box.xmin * scale,
    box.ymin * scale,
    (box.xmax - box.xmin) * scale,
    (box.ymax - box.ymin) * scale,
  );
  strokeOutlined(context, "#ffffff");
  context.restore();
}

function drawPolygon(context, { points, label, score, color }, scale, imageWidth) {
  if (points.length < 3) return;
  context.beginPath();
  for (const [x, y] of points) context.lineTo(x * scale, y * scale);
  context.closePath();
  context.save();
  context.globalAlpha = 0.25;
  context.fillStyle = color;
  context.fill();
  context.restore();
  strokeOutlined(context, color);
  if (!label) return;
  const text = score === undefined ? label : `${label} ${Math.round(score * 100)} %`;
  drawLabel(context, text, points[0][0] * scale, points[0][1] * scale, color, imageWidth);
}

function drawLines(context, { lines }, scale) {
  for (const { points, color } of lines) {
    context.beginPath();
    for (const [x, y] of points) context.lineTo(x * scale, y * scale);
    strokeOutlined(context, color);
  }
}

function drawPoints(context, points, scale, color) {
  for (const [x, y] of points) {
    context.beginPath();
    context.arc(x * scale, y * scale, 4, 0, 2 * Math.PI);
    context.fillStyle = color;
    context.fill();
    context.lineWidth = 1.5;
    context.strokeStyle = "white";
    context.stroke();
  }
}

function strokeOutlined(context, color) {
  context.lineJoin = "round";
  context.lineCap = "round";
  context.lineWidth = 5;
  context.strokeStyle = OUTLINE;
  context.stroke();
  context.lineWidth = 2.5;
  context.strokeStyle = color;
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

function drawLegend(context, entries, imageWidth) {
  if (!entries.length) return;
  context.font = "500 12px system-ui, sans-serif";
  const width = Math.max(...entries.map(({ label }) => context.measureText(label).width)) + 34;
  const left = Math.max(0, imageWidth - width - 8);
  context.fillStyle = "rgba(14, 16, 20, 0.72)";
  context.fillRect(left, 8, width, entries.length * 18 + 10);
  context.textBaseline = "middle";
  for (const [row, { label, color }] of entries.entries()) {
    const y = 8 + 5 + row * 18 + 9;
    context.fillStyle = color;
    context.fillRect(left + 8, y - 6, 12, 12);
    context.fillStyle = "#ffffff";
    context.fillText(label, left + 26, y);
  }
}

function isBright(color) {
  const [red, green, blue] = [1, 3, 5].map((start) => parseInt(color.slice(start, start + 2), 16));
  return red * 0.299 + green * 0.587 + blue * 0.114 > 120;
}
