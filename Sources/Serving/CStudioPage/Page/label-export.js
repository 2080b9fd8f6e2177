// Labels as datasets that `tensorio evaluate` reads: tables, COCO annotations, and archives of them with the images.

import { download } from "./dom.js";
import { csvText } from "./format.js";
import { zipArchive } from "./zip.js";

/** Whether an entry can be exported: its image is in memory, or its input in the entry. */
export const isExportable = ({ blob, values }) => !!(blob || values);

/** Saves the entries of a model, with their images, as a dataset. `labels` are those of the model, in their order. */
export async function exportDataset(model, entries, labels) {
  const boxed = entries.filter(({ boxes, blob }) => boxes && blob);
  if (boxed.length) return exportBoxes(model, boxed, labels);
  const tables = entries.filter(({ values }) => values);
  if (tables.length) {
    const rows = tables.map(({ values, column = "label", label }) => ({
      ...values,
      [column]: label,
    }));
    return download(`${model}-data.csv`, "text/csv", csvText(Object.keys(rows[0]), rows));
  }
  const images = named(entries.filter(({ blob }) => blob));
  const [{ image = "image", column = "label" }] = images;
  const rows = images.map(({ file, label }) => ({ [image]: `images/${file}`, [column]: label }));
  return saveArchive(model, images, "data.csv", csvText([image, column], rows));
}

function exportBoxes(model, entries, labels) {
  const images = named(entries);
  return saveArchive(
    model,
    images,
    "annotations.json",
    `${JSON.stringify(cocoAnnotations(images, labels), null, 1)}\n`,
  );
}

/** Returns COCO annotations of images with boxes; the categories are those of the model, and then others. */
export function cocoAnnotations(images, labels) {
  const used = images.flatMap(({ boxes }) => boxes.map(({ label }) => label));
  const names = [...new Set([...labels, ...used])];
  const annotations = images.flatMap(({ boxes }, index) =>
    boxes.map(({ label, box: { xmin, ymin, xmax, ymax } }) => ({
      image_id: index + 1,
      category_id: names.indexOf(label) + 1,
      bbox: [xmin, ymin, xmax - xmin, ymax - ymin].map(rounded),
      area: rounded((xmax - xmin) * (ymax - ymin)),
      iscrowd: 0,
    })),
  );
  return {
    images: images.map(({ file, size: [width, height] }, index) => ({
      id: index + 1,
      file_name: file,
      width,
      height,
    })),
    annotations: annotations.map((annotation, index) => ({ id: index + 1, ...annotation })),
    categories: names.map((name, index) => ({ id: index + 1, name })),
  };
}

const rounded = (value) => Math.round(value * 100) / 100;

/** Returns the entries with names of files that are unique and safe. */
const named = (entries) =>
  entries.map((entry, index) => {
    const name = entry.path
      .split("/")
      .pop()
      .replaceAll(/[^\w.-]/g, "_");
    return { ...entry, file: `${String(index + 1).padStart(4, "0")}-${name}` };
  });

async function saveArchive(model, images, name, text) {
  const files = [[`${model}-data/${name}`, new TextEncoder().encode(text)]];
  for (const { file, blob } of images) {
    files.push([`${model}-data/images/${file}`, new Uint8Array(await blob.arrayBuffer())]);
  }
  download(`${model}-data.zip`, "application/zip", zipArchive(files));
}
