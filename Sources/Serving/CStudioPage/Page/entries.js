// The entries of a result, such as boxes, poses, lines of text or sections of a sound: their titles, and the view that lists them.

import { button, element, setContent, setText } from "./dom.js";
import { formatNumber, formatPercent, formatTime, pluralize } from "./format.js";
import { copyText } from "./notifications.js";
import { outlineOf } from "./overlay.js";
import { markedText } from "./text-spans.js";

const MAX_LISTED_ENTRIES = 50;

/** A list with a line for each entry; what a line describes is highlighted in the image, or played. */
export class EntriesView {
  constructor(key) {
    this.key = key;
    this.list = element("ul.entries");
    this.marked = element("div");
    this.items = [];
    this.note = element("p.muted");
    this.copyButton = button("Copy the text", () => copyText(this.text), {
      kind: "button.button-small",
    });
    this.element = element(
      "div",
      {},
      element("div.row", {}, this.note, this.copyButton),
      this.marked,
      this.list,
    );
  }

  update(all, context) {
    const entries = merged(all);
    setText(this.note, entries.length ? `${entries.length} found` : `No ${this.key} found.`);
    this.text = entries.map(({ text }) => text ?? "").join("\n");
    this.copyButton.hidden = !this.text.trim();
    const listed = entries.slice(0, MAX_LISTED_ENTRIES);
    const highlight = (index) => this.highlight(index);
    const marked = markedText(listed, context.texts ?? [], highlight);
    const isDrawn = !!context.inputView && listed.some(outlineOf);
    const onPoint = isDrawn ? (index) => context.inputView.highlight(index) : marked && highlight;
    this.items = listed.map((entry, index) => entryItem(entry, index, context.player, onPoint));
    setContent(this.marked, marked);
    setContent(this.list, this.items);
    // The image highlights the line of what is under the pointer.
    if (isDrawn) context.inputView.setEntries(listed, highlight);
    this.summary = entries.length ? `found ${countedTitles(entries)}` : `no ${this.key}`;
  }

  /** Highlights the line of an entry and its section of a text; null for none. */
  highlight(index) {
    for (const [place, item] of this.items.entries()) {
      item.classList.toggle("is-highlighted", place === index);
    }
    for (const mark of this.marked.querySelectorAll("mark")) {
      mark.classList.toggle("is-highlighted", mark.dataset.entry === String(index));
    }
  }
}

/** Returns how often each title occurs, as in "2 circle, 1 square". */
export function countedTitles(entries) {
  const counts = new Map();
  for (const title of entries.map((entry) => entryTitle(entry) ?? "section")) {
    counts.set(title, (counts.get(title) ?? 0) + 1);
  }
  return [...counts].map(([title, count]) => `${count} ${title}`).join(", ");
}

/** Joins sections of a sound that follow each other and have the same best label. */
export function merged(entries) {
  const joined = [];
  for (const entry of entries) {
    const last = joined.at(-1);
    if (entry.classes && last?.classes && entryTitle(entry) === entryTitle(last)) {
      last.end = entry.end;
    } else {
      joined.push({ ...entry });
    }
  }
  return joined;
}

/** Returns the name, text or best label of an entry; undefined if it has none. */
export const entryTitle = ({ name, text, label, classes }) =>
  name ?? text ?? label ?? classes?.[0]?.label;

/** Returns the line of an entry, which `onPoint(index)` highlights, if there is something to highlight. */
function entryItem(entry, index, player, onPoint) {
  const { color, score = entry.fraction ?? entry.classes?.[0]?.score } = entry;
  const times = player ? timesOf(entry) : null;
  const title = entryTitle(entry) ?? (times ? `Section ${index + 1}` : "entry");
  const facts = factsOf(entry, title, times);
  const [point, leave] = onPoint ? [() => onPoint(index), () => onPoint(null)] : [];
  const isButton = times || onPoint;
  return element(
    "li",
    {
      "data-start": times?.[0],
      "data-end": times?.[1],
      pointerenter: point,
      pointerleave: leave,
    },
    element(color ? "span.swatch" : "span", { "--color": color, "aria-hidden": "true" }),
    element(
      isButton ? "button.name.entry-link" : "span.name",
      {
        type: isButton ? "button" : null,
        title: times ? "Play" : null,
        click: times && (() => player.play(times[0], times[1])),
        focus: point,
        blur: leave,
      },
      title,
    ),
    element("span.score", {}, typeof score === "number" ? formatPercent(score) : ""),
    facts.length ? element("span.box-position.muted", {}, facts.join("; ")) : null,
  );
}

/** Returns the beginning and the end of an entry of a sound; null if it has none. */
function timesOf({ start, end, time }) {
  if (typeof start === "number" && typeof end === "number") return [start, end];
  return typeof time === "number" ? [time, null] : null;
}

function factsOf(entry, title, times) {
  const facts = [];
  const { box, start, end } = entry;
  if (box) {
    const [x, y] = [box.xmin, box.ymin].map(Math.round);
    const [width, height] = [box.xmax - box.xmin, box.ymax - box.ymin].map(Math.round);
    facts.push(`at ${x}, ${y}; ${width} × ${height}`);
  } else if (times) {
    facts.push(
      times
        .filter((each) => each !== null)
        .map(formatTime)
        .join(" to "),
    );
  } else if (typeof start === "number" && typeof end === "number") {
    facts.push(`${formatNumber(start)} to ${formatNumber(end)}`);
  }
  if (entry.label && title !== entry.label) facts.push(entry.label);
  if (typeof entry.id === "number") facts.push(`object ${entry.id}`);
  if (entry.keypoints) facts.push(pluralize(entry.keypoints.length, "keypoint"));
  return facts;
}
