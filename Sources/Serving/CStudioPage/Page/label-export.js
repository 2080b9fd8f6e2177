// Labels as datasets that `tensorio evaluate` reads: tables, COCO annotations, masks, and archives of them with the images.

import { download } from "./dom.js";
import { csvText } from "./format.js";
import { maskImage } from "./mask.js";
import { zipArchive } from "./zip.js";

/** Whether an entry can be exported: its image is in memory, or its input in the entry. */
export const isExportable = ({ blob, values }) => !!(blob || values);

/**
 * Returns the dataset of entries of a model: `files`, which have a path and contents, and the `annotations` beside their folder,
 * `{name, text}`, or null for masks. `labels` are those of the model, in their order.
 */
export async function datasetOf(entries, labels) {
  const masked = named(entries.filter(({ mask, blob }) => mask && blob));
  if (masked.length) {
    const masks = await Promise.all(masked.map(maskFile));
    return { files: [...masked.map(imageFile), ...masks], annotations: null };
  }
  const boxed = named(entries.filter(({ boxes, blob }) => boxes && blob));
  if (boxed.length) {
    const text = `${JSON.stringify(cocoAnnotations(boxed, labels), null, 1)}\n`;
    return { files: boxed.map(imageFile), annotations: { name: "annotations.json", text } };
  }
  const tables = entries.filter(({ values }) => values);
  if (tables.length) {
    const rows = tables.map(({ values, column = "label", label }) => ({
      ...values,
      [column]: label,
    }));
    return { files: [], annotations: tableFile(Object.keys(rows[0]), rows) };
  }
  const images = named(entries.filter(({ blob }) => blob));
  const [{ image = "image", column = "label" }] = images;
  const rows = images.map(({ file, label }) => ({ [image]: `images/${file}`, [column]: label }));
  return { files: images.map(imageFile), annotations: tableFile([image, column], rows) };
}

const imageFile = ({ file, blob }) => ({ path: `images/${file}`, file: blob });
const maskFile = async ({ file, mask }) => ({
  path: `masks/${file.replace(/\.[^.]*$/, "")}.png`,
  file: await maskImage(mask),
});
const tableFile = (columns, rows) => ({ name: "data.csv", text: csvText(columns, rows) });

/** Saves the entries of a model, with their images, as a dataset. */
export async function exportDataset(model, entries, labels) {
  const { files, annotations } = await datasetOf(entries, labels);
  if (!files.length) return download(`${model}-${annotations.name}`, "text/csv", annotations.text);
  const folder = `${model}-data`;
  const contents = [];
  if (annotations) {
    contents.push([`${folder}/${annotations.name}`, new TextEncoder().encode(annotations.text)]);
  }
  for (const { path, file } of files) {
    contents.push([`${folder}/${path}`, new Uint8Array(await file.arrayBuffer())]);
  }
  return download(`${folder}.zip`, "application/zip", zipArchive(contents));
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
