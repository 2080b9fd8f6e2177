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

/** Returns where an image of a size in pixels is in a container into which it is fitted. */
export function placementOf({ clientWidth, clientHeight }, [width, height]) {
  const scale = Math.min(clientWidth / width, clientHeight / height);
  return {
    scale,
    left: (clientWidth - width * scale) / 2,
    top: (clientHeight - height * scale) / 2,
  };
}

/**
 * Draws the elements over an image of a size in pixels that is fitted into a container. The image is
 * darkened around a highlighted entry of the result, if there is one.
 */
export function drawFitted(canvas, container, size, elements, highlighted = null) {
  const { clientWidth, clientHeight } = container;
  const ratio = window.devicePixelRatio || 1;
  canvas.width = Math.round(clientWidth * ratio);
  canvas.height = Math.round(clientHeight * ratio);
  if (!(elements.length || highlighted) || !size[0]) return;
  const { scale, left, top } = placementOf(container, size);
  const context = canvas.getContext("2d");
  context.scale(ratio, ratio);
  context.translate(left, top);
  drawOverlay(context, elements, scale, size[0] * scale);
  if (highlighted) drawHighlight(context, highlighted, scale, size);
}

/** Returns the corners of what an entry of a result describes, in pixels of the image; null for other entries. */
export function outlineOf({ box, corners, keypoints }) {
  if (corners) return corners;
  if (box) return cornersOf(box);
  if (!keypoints?.length) return null;
  const [xs, ys] = [keypoints.map(({ x }) => x), keypoints.map(({ y }) => y)];
  const [xmin, ymin] = [Math.min(...xs) - 8, Math.min(...ys) - 8];
  return cornersOf({ xmin, ymin, xmax: Math.max(...xs) + 8, ymax: Math.max(...ys) + 8 });
}

const cornersOf = ({ xmin, ymin, xmax, ymax }) => [
  [xmin, ymin],
  [xmax, ymin],
  [xmax, ymax],
  [xmin, ymax],
];

/** Returns the index of the smallest entry that contains a point of the image; null if there is none. */
export function entryAt([x, y], entries) {
  let [found, smallest] = [null, Infinity];
  for (const [index, entry] of entries.entries()) {
    const points = outlineOf(entry);
    const area = points && Math.abs(signedArea(points));
    if (points && area < smallest && isInside(x, y, points)) [found, smallest] = [index, area];
  }
  return found;
}

const edgesOf = (points) =>
  points.map((point, index) => [point, points[(index + 1) % points.length]]);
const signedArea = (points) =>
  edgesOf(points).reduce((sum, [[x1, y1], [x2, y2]]) => sum + (x1 * y2 - x2 * y1) / 2, 0);
const isInside = (x, y, points) =>
  edgesOf(points).filter(
    ([[x1, y1], [x2, y2]]) => y1 > y !== y2 > y && x < x1 + ((y - y1) / (y2 - y1)) * (x2 - x1),
  ).length %
    2 ===
  1;

function drawHighlight(context, entry, scale, [width, height]) {
  const points = outlineOf(entry);
  if (!points) return;
  context.beginPath();
  context.rect(0, 0, width * scale, height * scale);
  addPolygon(context, points, scale);
  context.fillStyle = "rgba(0, 0, 0, 0.5)";
  context.fill("evenodd");
  context.beginPath();
  addPolygon(context, points, scale);
  strokeOutlined(context, entry.color ?? "#ffffff");
}

function addPolygon(context, points, scale) {
  for (const [index, [x, y]] of points.entries()) {
    if (index) context.lineTo(x * scale, y * scale);
    else context.moveTo(x * scale, y * scale);
  }
  context.closePath();
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

/** Returns the elements that are shown: those of classes that are not hidden, with masks of an opacity. */
export function visibleElements(elements, hidden, opacity) {
  const colors = elements
    .flatMap(({ legend, label, color }) => legend ?? (label ? [{ label, color }] : []))
    .filter(({ label }) => hidden.has(label))
    .map(({ color }) => color);
  return elements
    .filter(({ type, label }) => type === "mask" || !hidden.has(label))
    .map((each) => {
      if (each.type !== "mask") return each;
      const legend = each.legend?.filter(({ label }) => !hidden.has(label));
      return {
        ...each,
        legend,
        opacity: opacity ?? each.opacity,
        image: without(colors, each.image),
      };
    });
}

/** Returns the image of a mask without the pixels of some colors. */
function without(colors, image) {
  if (!colors.length || !image?.width) return image;
  const canvas = new OffscreenCanvas(image.width, image.height);
  const context = canvas.getContext("2d");
  context.drawImage(image, 0, 0);
  const pixels = context.getImageData(0, 0, image.width, image.height);
  const words = new Uint32Array(pixels.data.buffer);
  const removed = new Set(colors.map(pixelWord));
  for (let index = 0; index < words.length; index += 1) {
    if (removed.has(words[index])) words[index] = 0;
  }
  context.putImageData(pixels, 0, 0);
  return canvas;
}

// The bytes of a pixel are in the order red, green, blue, alpha, the first of which is the lowest.
const pixelWord = (color) =>
  (0xff000000 |
    (parseInt(color.slice(5, 7), 16) << 16) |
    (parseInt(color.slice(3, 5), 16) << 8) |
    parseInt(color.slice(1, 3), 16)) >>>
  0;

function drawMask(context, { box, image, opacity }, scale) {
  if (!image?.width) return;
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
