// Elements without markup: whatever comes from outside becomes text.

/** The element of an id. */
export const byId = (id) => document.getElementById(id);

const SVG = "http://www.w3.org/2000/svg";
const drawn = new Set(["svg", "g", "rect", "path", "polyline", "line", "circle", "title", "text"]);

/**
 * An element, by its name and classes ("p.soft"), its attributes and what stands in it.
 * An attribute that is a function listens; one that is null, undefined or false is left out.
 */
export function element(kind, attributes = {}, ...children) {
  const [name, ...classes] = kind.split(".");
  const node = drawn.has(name) ? document.createElementNS(SVG, name) : document.createElement(name);
  if (classes.length) node.setAttribute("class", classes.join(" "));
  for (const [key, value] of Object.entries(attributes)) set(node, key, value);
  node.append(...children.flat(3).filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

function set(node, key, value) {
  if (value === null || value === undefined || value === false) return;
  if (typeof value === "function") node.addEventListener(key, value);
  else if (key.startsWith("--")) node.style.setProperty(key, value);
  else if (key === "value") node.value = value;
  else node.setAttribute(key, value === true ? "" : value);
}

/** Puts other things into an element. */
export function fill(node, ...children) {
  node.replaceChildren(...children.flat(3).filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

/** Changes a text only when it is another one, so that readers and layouts are left in peace. */
export function tell(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** A button. */
export function button(text, click, attributes = {}) {
  const kind = attributes.kind ?? "button";
  const { kind: _, ...others } = attributes;
  return element(kind, { type: "button", click, ...others }, text);
}

let numbered = 0;

/** An id that nobody else has. */
export const fresh = (stem) => `${stem}-${++numbered}`;

/** A control below its label. */
export function labelled(text, control, hint) {
  control.id ||= fresh("control");
  const note = hint ? element("small.soft", { id: fresh("hint") }, hint) : null;
  if (note) control.setAttribute("aria-describedby", note.id);
  return element("div.field", {}, element("label", { for: control.id }, text), control, note);
}

/** Offers bytes as a file. */
export function download(name, type, content) {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const link = element("a", { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
