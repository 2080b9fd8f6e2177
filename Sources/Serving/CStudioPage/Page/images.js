// Image files: detection, conversion and thumbnails.

const readableTypes = new Set(["image/png", "image/jpeg", "image/webp"]);
const zipTypes = new Set(["application/zip", "application/x-zip-compressed"]);

/** Whether a file is a zipped bundle, by its type or name. */
export const isBundleArchive = (file) => zipTypes.has(file.type) || /\.zip$/i.test(file.name);

/** Whether a file is an image, by its type or name. */
export const isImage = (file) =>
  file.type.startsWith("image/") || /\.(png|jpe?g|webp)$/i.test(file.name);

/** Converts a file to a format that the server reads, if the browser can decode it. */
export async function toReadableImage(file) {
  if (readableTypes.has(file.type)) return file;
  const bitmap = await createImageBitmap(file).catch(() => null);
  return bitmap ? encodeImage(bitmap, bitmap.width, bitmap.height, "image/png") : file;
}

/** Draws an image or video frame at the given size and encodes it. */
export function encodeImage(
  source,
  width,
  height,
  type = "image/jpeg",
  isMirrored = false,
  quality = 0.9,
) {
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext("2d");
  if (isMirrored) context.setTransform(-1, 0, 0, 1, width, 0);
  context.drawImage(source, 0, 0, width, height);
  return canvas.convertToBlob({ type, quality });
}

/** Returns a small copy of an image as a data URL, which can be stored. */
export async function thumbnail(blob, maxSide = 72) {
  const bitmap = await createImageBitmap(blob).catch(() => null);
  if (!bitmap) return "";
  const scale = Math.min(1, maxSide / Math.max(bitmap.width, bitmap.height));
  const size = [bitmap.width, bitmap.height].map((length) =>
    Math.max(1, Math.round(length * scale)),
  );
  const small = await encodeImage(bitmap, ...size, "image/jpeg", false, 0.75);
  return await new Promise((resolve) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result);
    reader.onerror = () => resolve("");
    reader.readAsDataURL(small);
  });
}

/** Creates the description of an image from the user, which exists in memory only. */
export function userImage(file, name = file.name || "pasted image") {
  return {
    blob: file,
    name,
    path: file.webkitRelativePath || name,
    url: URL.createObjectURL(file),
    isSample: false,
  };
}
