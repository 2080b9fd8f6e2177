// Small pictures of samples that are not images: sounds, numbers, texts and the images of values.

import { barStrip } from "./charts.js";
import { element, setContent } from "./dom.js";
import { drawOutline } from "./sound-player.js";

/** Larger samples, and those after the first ones, have their names only. */
const MAX_BYTES = 4 << 20;
const MAX_SAMPLES = 24;
const MAX_BARS = 64;
const MAX_TEXT = 60;

/** Returns an element that shows a sample once it has been read; null for many samples. */
export function samplePreview(sample, index) {
  if (index >= MAX_SAMPLES) return null;
  const node = element("span.sample-preview", { "aria-hidden": "true", hidden: true });
  load(sample)
    .then((content) => {
      setContent(node, content);
      node.hidden = !content;
    })
    .catch(() => {});
  return node;
}

async function load({ url, type }) {
  const blob = await (await fetch(url)).blob();
  if (blob.size > MAX_BYTES) return null;
  if (type.startsWith("audio/")) return soundPicture(blob);
  if (type.startsWith("text/plain")) return textPicture(await blob.text());
  return valuesPicture(JSON.parse(await blob.text()));
}

async function soundPicture(blob) {
  const canvas = element("canvas", { width: 96, height: 32 });
  return (await drawOutline(canvas, blob)) ? canvas : null;
}

const textPicture = (text) =>
  element("small", {}, text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text);

function valuesPicture(values) {
  const all = (isRecord(values) ? Object.values(values) : [values]).flat(9);
  const images = all.filter(isImage);
  if (images.length) return images.slice(0, 2).map(imagePicture);
  const text = all.find((value) => typeof value === "string");
  if (text !== undefined) return textPicture(text);
  const numbers = all.filter((value) => typeof value === "number").slice(0, MAX_BARS);
  return numbers.length ? barStrip(numbers, "Values of the sample") : null;
}

const isRecord = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
const isImage = (value) => typeof value === "string" && /^base64:(\/9j\/|iVBOR)/.test(value);

const imagePicture = (value) => {
  const data = value.slice("base64:".length);
  const type = data.startsWith("/9j/") ? "image/jpeg" : "image/png";
  return element("img", { src: `data:${type};base64,${data}`, alt: "" });
};
