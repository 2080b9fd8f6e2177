// Creates and updates elements. Strings become text nodes, never markup.

/** Returns the element with the given id. */
export const byId = (id) => document.getElementById(id);

const SVG = "http://www.w3.org/2000/svg";
const svgTags = new Set([
  "svg",
  "g",
  "rect",
  "path",
  "polyline",
  "line",
  "circle",
  "title",
  "desc",
  "text",
]);

/**
 * Creates an element from its tag and classes ("p.muted"), attributes and children.
 * A function as an attribute becomes an event listener; null, undefined and false are omitted.
 */
export function element(tagAndClasses, attributes = {}, ...children) {
  const [tag, ...classes] = tagAndClasses.split(".");
  const node = svgTags.has(tag) ? document.createElementNS(SVG, tag) : document.createElement(tag);
  if (classes.length) node.setAttribute("class", classes.join(" "));
  for (const [key, value] of Object.entries(attributes)) setNodeAttribute(node, key, value);
  node.append(fragment(children));
  return node;
}

// Children are not passed as arguments, whose number is limited.
function fragment(children) {
  const nodes = document.createDocumentFragment();
  for (const child of flattened(children)) nodes.append(child);
  return nodes;
}

function setNodeAttribute(node, key, value) {
  if (value === null || value === undefined || value === false) return;
  if (typeof value === "function") node.addEventListener(key, value);
  else if (key.startsWith("--")) node.style.setProperty(key, value);
  else if (key === "value") node.value = value;
  else node.setAttribute(key, value === true ? "" : value);
}

const flattened = (children) =>
  children.flat(3).filter((child) => child !== null && child !== undefined && child !== false);

const markupTags = new Set([
  ...svgTags,
  ...["blockquote", "code", "div", "em", "figcaption", "figure", "h2", "h3", "h4", "h5", "hr"],
  ...["li", "ol", "p", "pre", "span", "strong"],
  ...["table", "tbody", "td", "th", "thead", "tr", "ul"],
]);

/**
 * Creates the nodes of markup from the server: strings, and arrays of a tag, attributes and children.
 * Tags other than those of texts and charts are omitted, as are attributes that load or run anything.
 */
export const markupNodes = (markup) =>
  markup.map((node) => (typeof node === "string" ? node : markupElement(node)));

function markupElement([tag, { class: classes, style, ...attributes }, ...children]) {
  if (!markupTags.has(tag)) return null;
  const node = element(tag, {}, markupNodes(children));
  if (classes) node.setAttribute("class", classes);
  for (const [key, value] of Object.entries(attributes)) {
    if (!/^(on|href|src|xlink)/i.test(key)) node.setAttribute(key, value);
  }
  // The page's content security policy ignores style attributes, but not properties.
  for (const [, name, value] of (style ?? "").matchAll(/(--[a-z]+):([^;]+)/g)) {
    node.style.setProperty(name, value);
  }
  return node;
}

/** Replaces the children of an element. */
export function setContent(node, ...children) {
  node.replaceChildren(fragment(children));
  return node;
}

/** Sets an element's text if it differs, to avoid needless layout and announcements. */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** Creates a button. */
export function button(text, click, attributes = {}) {
  const { kind = "button", ...others } = attributes;
  return element(kind, { type: "button", click, ...others }, text);
}

/** Creates the button that closes a dialog. */
export const closeButton = (dialog) =>
  element(
    "button.button-plain.button-icon",
    { type: "button", "aria-label": "Close", click: () => dialog.close() },
    "×",
  );

/** Scrolls a container, but not the page, to one of its descendants. */
export function reveal(container, node) {
  const [outer, inner] = [container, node].map((each) => each.getBoundingClientRect());
  const offset = (start, end) => Math.floor(Math.min(0, start)) || Math.ceil(Math.max(0, end));
  container.scrollTop += offset(inner.top - outer.top, inner.bottom - outer.bottom);
  container.scrollLeft += offset(inner.left - outer.left, inner.right - outer.right);
}

let idCounter = 0;

/** Returns an unused id. */
export const uniqueID = (prefix) => `${prefix}-${++idCounter}`;

/** Creates a control with a label and an optional hint. */
export function labeledField(text, control, hint) {
  control.id ||= uniqueID("control");
  const note = hint ? element("small.muted", { id: uniqueID("hint") }, hint) : null;
  if (note) control.setAttribute("aria-describedby", note.id);
  return element("div.field", {}, element("label", { for: control.id }, text), control, note);
}

/** Saves bytes as a file on the user's machine. */
export function download(name, type, content) {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const link = element("a", { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/**
 * Creates a table in a scrollable container.
 * A column has a title and may be `isNumber`, `isRowHeader` or `isTitleHidden` (visible to screen
 * readers only). A row is an array of cell contents.
 */
export function table(columns, rows, { kind = "table", caption = null } = {}) {
  return element(
    "div.scroll",
    {},
    element(
      kind,
      {},
      caption,
      element("thead", {}, element("tr", {}, columns.map(headerCell))),
      element(
        "tbody",
        {},
        rows.map((row) =>
          element(
            "tr",
            {},
            row.map((content, index) => bodyCell(columns[index], content)),
          ),
        ),
      ),
    ),
  );
}

/** Creates the caption of a table. */
export const caption = (text) => element("caption.kicker", {}, text);

const headerCell = ({ title, isNumber, isTitleHidden }) =>
  element(
    isNumber ? "th.number" : "th",
    { scope: "col" },
    isTitleHidden ? element("span.visually-hidden", {}, title) : title,
  );

const bodyCell = ({ isNumber, isRowHeader }, content) =>
  isRowHeader
    ? element("th", { scope: "row" }, content)
    : element(isNumber ? "td.number" : "td", {}, content);

/** Columns for `table`. */
export const textColumns = (...titles) => titles.map((title) => ({ title }));
export const numberColumns = (...titles) => titles.map((title) => ({ title, isNumber: true }));
export const rowHeaderColumn = (title) => ({ title, isRowHeader: true });
export const hiddenTitleColumn = (title) => ({ title, isTitleHidden: true });
