// Numbers and names as people read them.

/** A share as a percentage. */
export function percent(share) {
  const value = share * 100;
  if (value === 0 || value === 100) return `${value} %`;
  if (value < 0.1) return "< 0.1 %";
  if (value > 99.9) return "> 99.9 %";
  return `${value.toFixed(1)} %`;
}

/** A number with as many digits as it deserves. */
export function number(value) {
  if (typeof value !== "number" || !Number.isFinite(value)) return String(value);
  if (Number.isInteger(value)) return value.toLocaleString("en");
  const size = Math.abs(value);
  if (size >= 100) return value.toFixed(1);
  if (size >= 1) return value.toFixed(3);
  return size < 0.0001 ? value.toExponential(2) : value.toFixed(4);
}

/** Milliseconds, in a fixed number of digits, so that columns stand still. */
export function milliseconds(value) {
  if (value === undefined || value === null) return "–";
  return value >= 100 ? value.toFixed(0) : value.toFixed(2);
}

/** A time that is left. */
export function duration(seconds) {
  if (seconds < 1) return "less than a second";
  if (seconds < 90) return `${Math.round(seconds)} s`;
  return `${Math.round(seconds / 60)} min`;
}

/** A count of things. */
export const count = (number, one,
  many = `${one}s`) => `${number.toLocaleString("en")} ${number === 1 ? one : many}`;

/** A size in bytes. */
export function bytes(size) {
  if (size < 1000) return `${size} bytes`;
  return size < 1e6 ? `${(size / 1e3).toFixed(1)} kB` : `${(size / 1e6).toFixed(1)} MB`;
}

/** A shape as in "32 × 32 × 1". */
export const shape = (sizes) => (sizes.length ? sizes.map((size) => (size === -1 ? "any" : size)).join(" × ") : "one number");

const tasks = {
  classification: "Tells what it is", detection: "Finds things", embedding: "Makes vectors",
  segmentation: "Outlines things", regression: "Says how much", style: "Works with styles",
  filter: "Makes pictures", image: "Works with pictures", arithmetic: "Works with numbers",
};

/** What a task is called, such as "detection" or "image.classification.digits". */
export function task(name) {
  const parts = (name ?? "").split(".");
  const known = Object.keys(tasks).find((each) => parts.includes(each));
  return known ? tasks[known] : parts[0] && parts[0][0].toUpperCase() + parts[0].slice(1);
}
