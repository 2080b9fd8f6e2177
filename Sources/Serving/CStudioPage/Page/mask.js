// Masks, which have a class for each pixel: as text that can be stored, and as images.

import { checksum } from "./zip.js";

/** The value of a pixel without a class, which datasets ignore. */
export const UNPAINTED = 255;

/** Returns the values of pixels as text: runs of a value and its length, in the base 36. */
export function runsOf(pixels) {
  const runs = [];
  for (let start = 0, end; start < pixels.length; start = end) {
    end = start + 1;
    while (end < pixels.length && pixels[end] === pixels[start]) end += 1;
    runs.push(`${pixels[start].toString(36)}:${(end - start).toString(36)}`);
  }
  return runs.join(" ");
}

/** Returns the values of pixels from such a text. */
export function pixelsOf({ runs, width, height }) {
  const pixels = new Uint8Array(width * height).fill(UNPAINTED);
  let start = 0;
  for (const run of runs.split(" ")) {
    const [value, length] = run.split(":").map((text) => parseInt(text, 36));
    pixels.fill(value, start, start + length);
    start += length;
  }
  return pixels;
}

/** Returns the number of pixels of each value. */
export function countsOf(pixels) {
  const counts = new Map();
  for (const value of pixels) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}

/** Returns a mask as a gray image, whose pixels are the classes, or `rest` without one. */
export async function maskImage({ width, height, rest, ...mask }) {
  const pixels = pixelsOf({ width, height, ...mask });
  const rows = new Uint8Array((width + 1) * height);
  for (let y = 0; y < height; y += 1) {
    // A row begins with its filter, which is none.
    for (let x = 0; x < width; x += 1) {
      const value = pixels[y * width + x];
      rows[y * (width + 1) + x + 1] = value === UNPAINTED ? rest : value;
    }
  }
  const deflated = new Blob([rows]).stream().pipeThrough(new CompressionStream("deflate"));
  const data = new Uint8Array(await new Response(deflated).arrayBuffer());
  const header = new Uint8Array(13);
  const fields = new DataView(header.buffer);
  fields.setUint32(0, width);
  fields.setUint32(4, height);
  // Eight bits of gray.
  header[8] = 8;
  const signature = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);
  const parts = [
    signature,
    chunk("IHDR", header),
    chunk("IDAT", data),
    chunk("IEND", new Uint8Array()),
  ];
  return new Blob(parts, { type: "image/png" });
}

/** Returns a part of a PNG file. */
function chunk(name, data) {
  const bytes = new Uint8Array(12 + data.length);
  const fields = new DataView(bytes.buffer);
  fields.setUint32(0, data.length);
  bytes.set(new TextEncoder().encode(name), 4);
  bytes.set(data, 8);
  fields.setUint32(8 + data.length, checksum(bytes.subarray(4, 8 + data.length)));
  return bytes;
}

/** Returns the classes of a predicted mask for an image of a size; pixels without a class stay unpainted. */
export function predictedPixels({ image, box, legend }, labels, [width, height]) {
  const pixels = new Uint8Array(width * height).fill(UNPAINTED);
  if (!image?.width) return pixels;
  const canvas = new OffscreenCanvas(image.width, image.height);
  const context = canvas.getContext("2d");
  context.drawImage(image, 0, 0);
  const { data } = context.getImageData(0, 0, image.width, image.height);
  const classes = new Map(
    (legend ?? []).map(({ label, color }) => [parseInt(color.slice(1), 16), labels.indexOf(label)]),
  );
  const [xScale, yScale] = [
    image.width / (box.xmax - box.xmin),
    image.height / (box.ymax - box.ymin),
  ];
  for (let y = 0; y < height; y += 1) {
    const row = Math.floor((y + 0.5 - box.ymin) * yScale);
    if (row < 0 || row >= image.height) continue;
    for (let x = 0; x < width; x += 1) {
      const column = Math.floor((x + 0.5 - box.xmin) * xScale);
      if (column < 0 || column >= image.width) continue;
      const [red, green, blue, alpha] = data.subarray(4 * (row * image.width + column));
      const index = alpha ? classes.get((red << 16) | (green << 8) | blue) : undefined;
      if (index >= 0) pixels[y * width + x] = index;
    }
  }
  return pixels;
}
