// The text that a result describes, with the sections that the result lists.

import { element } from "./dom.js";

const COLORS = 10;

/**
 * Returns the text among `texts` in which the entries are sections, with a mark for each entry; null if
 * there is none. `onPoint(index)` gets the entry of the mark under the pointer, or null.
 */
export function markedText(entries, texts, onPoint) {
  const bytes = texts.map((text) => new TextEncoder().encode(text));
  const source = bytes.find((each) => entries.every((entry) => isSection(entry, each)));
  if (!source || !entries.length) return null;
  const labels = [...new Set(entries.map(({ label }) => label))];
  const order = [...entries.entries()].sort(([, one], [, other]) => one.start - other.start);
  const parts = [];
  let end = 0;
  for (const [index, entry] of order) {
    // A mark cannot overlap the one before.
    if (entry.start < end) continue;
    parts.push(textOf(source, end, entry.start));
    parts.push(
      element(
        "mark",
        {
          "--color": `var(--s${labels.indexOf(entry.label) % COLORS})`,
          "data-entry": index,
          title: entry.label,
          pointerenter: () => onPoint(index),
          pointerleave: () => onPoint(null),
        },
        textOf(source, entry.start, entry.end),
      ),
    );
    end = entry.end;
  }
  return element("p.marked-text", {}, parts, textOf(source, end));
}

// Sections are ranges of UTF-8.
const textOf = (bytes, start, end) => new TextDecoder().decode(bytes.slice(start, end));

const isSection = ({ text, start, end }, bytes) =>
  typeof start === "number" && typeof end === "number" && textOf(bytes, start, end) === text;
