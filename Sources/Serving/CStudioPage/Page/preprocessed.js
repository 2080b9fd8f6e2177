// The preprocessed input: the image as the model receives it, with its channels.

import * as api from "./api.js";
import { byId, element, setContent } from "./dom.js";
import { formatNumber } from "./format.js";

const MIN_LIVE_INTERVAL = 1000;

let currentImage = null,
  pendingRequest = null,
  lastRequestTime = 0;

/** Sets the image. It is preprocessed while the section is open; live, at most once a second. */
export function showPreprocessed(model, blob, isLive = false) {
  const section = byId("preprocessed");
  currentImage = blob ? { model, blob } : null;
  section.hidden = !blob;
  const isTooSoon = pendingRequest || performance.now() - lastRequestTime < MIN_LIVE_INTERVAL;
  if (!blob) pendingRequest?.abort();
  else if (section.open && !(isLive && isTooSoon)) fetchPreprocessed();
}

/** Preprocesses the current image whenever the section is opened. */
export function initPreprocessed() {
  byId("preprocessed").addEventListener(
    "toggle",
    () => byId("preprocessed").open && currentImage && fetchPreprocessed(),
  );
}

async function fetchPreprocessed() {
  pendingRequest?.abort();
  const controller = new AbortController();
  pendingRequest = controller;
  lastRequestTime = performance.now();
  const content = byId("preprocessed-content");
  try {
    const { inputs } = await api.preprocess(
      currentImage.model,
      currentImage.blob,
      controller.signal,
    );
    setContent(
      content,
      inputs.length
        ? inputs.map(inputSection)
        : element("p.muted", {}, "The model does not take images."),
    );
  } catch (error) {
    if (error.name !== "AbortError") {
      setContent(content, element("p.error-message", {}, error.message));
    }
  } finally {
    if (pendingRequest === controller) pendingRequest = null;
  }
}

function inputSection({ name, width, height, range, image, channels, transform }) {
  const statistics = transform?.channels ?? [];
  return element(
    "div.preprocessed-input",
    {},
    element(
      "div.channels",
      {},
      figure(`${name}, ${width} × ${height}`, image, valueRange(range)),
      channels.length > 1
        ? channels.map((channel, index) =>
            figure(channel.name, channel.image, channelStatistics(statistics[index])),
          )
        : null,
    ),
    element(
      "p.muted",
      {},
      transformDescription(transform, channels.length === 1 ? statistics[0] : null),
    ),
  );
}

const figure = (name, png, note) =>
  element(
    "figure",
    {},
    element("img.pixelated", {
      src: `data:image/png;base64,${png}`,
      alt: `Preprocessed input: ${name}`,
    }),
    element("figcaption", {}, element("b", {}, name), element("span.muted", {}, note)),
  );

const valueRange = (range) =>
  range ? `values from ${formatNumber(range[0])} to ${formatNumber(range[1])}` : "";

const channelStatistics = (statistics) =>
  statistics
    ? `${formatNumber(statistics.min)} to ${formatNumber(statistics.max)}, ` +
      `mean ${formatNumber(statistics.mean)}`
    : "";

const fitDescriptions = {
  crop: "center-cropped",
  stretch: "stretched",
  letterbox: "letterboxed",
};

function transformDescription(transform, onlyChannel) {
  if (!transform) return "";
  const { image: size, from_image: matrix } = transform;
  const subject = size ? `The ${size.width} × ${size.height} image` : "The image";
  const fit = fitDescriptions[transform.fit] ?? transform.fit ?? "prepared";
  const scale = matrix ? ` by ${formatNumber(Math.hypot(matrix.a, matrix.b))}` : "";
  const tensor = [transform.format, transform.dtype, transform.layout].filter(Boolean).join(", ");
  const mean = onlyChannel ? ` Mean: ${formatNumber(onlyChannel.mean)}.` : "";
  return (
    `${subject} was ${fit} and scaled${scale} with the ${transform.filter ?? "default"} filter. ` +
    `Tensor: ${tensor}.${mean}`
  );
}
