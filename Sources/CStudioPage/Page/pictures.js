// Pictures that the server can read, made of whatever the browser can.

const readable = new Set(["image/png", "image/jpeg", "image/webp"]);
const zips = new Set(["application/zip", "application/x-zip-compressed"]);

/** Whether a file is a packed bundle. */
export const isPacked = (file) => zips.has(file.type) || /\.zip$/i.test(file.name);

/** Whether a file says that it is a picture. */
export const isPicture = (file) => file.type.startsWith("image/") || /\.(png|jpe?g|webp)$/i.test(file.name);

/** A file as the server can read it; other kinds are drawn anew where the browser knows them. */
export async function readablePicture(file) {
  if (readable.has(file.type)) return file;
  const drawn = await createImageBitmap(file).catch(() => null);
  if (!drawn) return file;
  return await drawing(drawn, drawn.width, drawn.height, "image/png");
}

/** Something drawn at a size, as a picture file. */
export function drawing(source, width, height, type = "image/jpeg", isMirrored = false, quality = 0.9) {
  const canvas = new OffscreenCanvas(width, height);
  const pen = canvas.getContext("2d");
  if (isMirrored) pen.setTransform(-1, 0, 0, 1, width, 0);
  pen.drawImage(source, 0, 0, width, height);
  return canvas.convertToBlob({ type, quality });
}

/** A small copy of a picture, as an address that can be kept. */
export async function thumbnail(blob, side = 72) {
  const picture = await createImageBitmap(blob).catch(() => null);
  if (!picture) return "";
  const scale = Math.min(1, side / Math.max(picture.width, picture.height));
  const size = [picture.width, picture.height].map((length) => Math.max(1, Math.round(length * scale)));
  const small = await drawing(picture, ...size, "image/jpeg", false, 0.75);
  return await new Promise((done) => {
    const reader = new FileReader();
    reader.onload = () => done(reader.result);
    reader.onerror = () => done("");
    reader.readAsDataURL(small);
  });
}

/** What a person has given, in memory only. */
export function given(file, name = file.name || "pasted picture") {
  return { blob: file, name, path: file.webkitRelativePath || name, url: URL.createObjectURL(file),
    isSample: false };
}
