// Numbers, sizes and names as text.

/** Formats a fraction as a percentage. */
export function formatPercent(fraction) {
  const value = fraction * 100;
  if (value === 0 || value === 100) return `${value} %`;
  if (value < 0.1) return "< 0.1 %";
  if (value > 99.9) return "> 99.9 %";
  return `${value.toFixed(1)} %`;
}

/** Formats a number with about four significant digits. */
export function formatNumber(value) {
  if (typeof value !== "number" || !Number.isFinite(value)) return String(value);
  if (Number.isInteger(value)) return value.toLocaleString("en");
  const magnitude = Math.abs(value);
  if (magnitude >= 100) return value.toFixed(1);
  if (magnitude >= 1) return value.toFixed(3);
  return magnitude < 0.0001 ? value.toExponential(2) : value.toFixed(4);
}

/** Formats milliseconds with a fixed number of digits, so that columns do not change their width. */
export function formatMilliseconds(value) {
  if (value === undefined || value === null) return "–";
  return value >= 100 ? value.toFixed(0) : value.toFixed(2);
}

/** Formats a duration in seconds. */
export function formatDuration(seconds) {
  if (seconds < 1) return "less than a second";
  if (seconds < 90) return `${Math.round(seconds)} s`;
  return `${Math.round(seconds / 60)} min`;
}

/** Formats a time in a sound, as in "0:07.25" or "1:02:03". */
export function formatTime(seconds) {
  const hundredths = Math.round(seconds * 100);
  const [hours, minutes] = [Math.floor(hundredths / 360_000), Math.floor(hundredths / 6000) % 60];
  const rest = (hundredths % 6000) / 100;
  const padded = `${rest < 10 ? "0" : ""}${Number.isInteger(rest) ? rest : rest.toFixed(2)}`;
  return hours ? `${hours}:${String(minutes).padStart(2, "0")}:${padded}` : `${minutes}:${padded}`;
}

/** Formats a count and its noun. */
export const pluralize = (number, singular, plural = `${singular}s`) =>
  `${number.toLocaleString("en")} ${number === 1 ? singular : plural}`;

/** Formats a size in bytes. */
export function formatBytes(size) {
  if (size < 1000) return `${size} bytes`;
  return size < 1e6 ? `${(size / 1e3).toFixed(1)} kB` : `${(size / 1e6).toFixed(1)} MB`;
}

const naturalOrder = new Intl.Collator("en", { numeric: true, sensitivity: "base" });

/** Orders names as people do: "model-2" before "Model-10". */
export const compareNames = (one, other) => naturalOrder.compare(one, other);

/** Formats a shape as in "32 × 32 × 1". */
export const formatShape = (sizes) =>
  sizes.length ? sizes.map((size) => (size === -1 ? "any" : size)).join(" × ") : "scalar";

/** Returns rows, which are objects with the same members, as a table of comma-separated values. */
export const csvText = (columns, rows) =>
  [columns, ...rows.map((row) => columns.map((column) => row[column]))]
    .map((fields) => `${fields.map(quoted).join(",")}\r\n`)
    .join("");

const quoted = (value) => {
  const text = String(value ?? "");
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

/** The kinds of inputs with which the types of some models begin. */
const inputKinds = ["image", "sound", "text"];

/** Returns the title of a task or of a model such as "image.classification.digits". */
export function taskTitle(name) {
  const parts = (name ?? "").split(".").filter(Boolean);
  const part = (parts.find((each) => !inputKinds.includes(each)) ?? parts[0] ?? "").replaceAll(
    "-",
    " ",
  );
  return part && part[0].toUpperCase() + part.slice(1);
}

/** Returns what a model does: the title of its task, or those of the models of a chain. */
export function modelKind({ task, steps = [] }) {
  if (!steps.length) return taskTitle(task);
  return `Chain: ${steps.map((step) => taskTitle(step).toLowerCase()).join(", ")}`;
}

/** The stages of a run and their titles, in order. */
export const stageTitles = [
  ["image", "Decode"],
  ["input", "Input"],
  ["run", "Run"],
  ["output", "Output"],
  ["total", "Total"],
];
