// Downloads of bundles and models that the server makes.

import * as api from "./api.js";
import { formatBytes } from "./format.js";

const POLL_INTERVAL = 300;

/**
 * Downloads a bundle or model by its URL or name, until it is imported or drafted, and returns the final status. A failed
 * download throws its error; `onProgress(text, fraction)` has null as the fraction while the size is unknown.
 */
export async function downloadModel(source, isReplacing, signal, onProgress) {
  let status = await api.downloads.start(normalized(source), isReplacing);
  while (status.state === "running") {
    await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL));
    status = signal.aborted
      ? await api.downloads.cancel(status.id)
      : await api.downloads.status(status.id);
    signal.throwIfAborted();
    onProgress(...progressOf(status));
  }
  if (status.state === "failed") {
    throw new api.APIError(api.asSentence(status.error), 0, status.code, status);
  }
  return status;
}

// Characters that a URL has to encode are encoded.
function normalized(source) {
  return source.includes("://") && URL.canParse(source) ? new URL(source).href : source;
}

function progressOf({ received, total }) {
  if (!received) return ["Connecting…", null];
  if (!total) return [`${formatBytes(received)} received`, null];
  if (received >= total) return ["Received; checking…", null];
  return [`${formatBytes(received)} of ${formatBytes(total)}`, received / total];
}
