// The times of a result: the sections of a sound that a model has found, and the moments.

import { entryTitle, merged } from "./entries.js";

const COLORS = 10;

/**
 * Returns what is drawn over a waveform: sections with their titles, moments, and the curve of values
 * from 0 to 1 with a time between them.
 */
export function timelineOf(outputs) {
  const timeline = { sections: [], marks: [], curve: null };
  const titles = [];
  const colorOf = (title) => {
    if (!titles.includes(title)) titles.push(title);
    return `--s${titles.indexOf(title) % COLORS}`;
  };
  for (const value of Object.values(outputs ?? {}).flatMap(listsOf)) {
    if (value.probabilities) {
      timeline.curve = { values: value.probabilities, hop: value.hop };
      continue;
    }
    for (const entry of merged(value)) {
      const title = entryTitle(entry) ?? "";
      // Texts differ, and are of one kind.
      const color = colorOf(entry.text === undefined ? title : "");
      if (isNumber(entry.time)) timeline.marks.push({ time: entry.time, title, color });
      else if (isNumber(entry.start) && isNumber(entry.end)) {
        timeline.sections.push({ start: entry.start, end: entry.end, title: title.trim(), color });
      }
    }
  }
  return timeline;
}

const isNumber = (value) => typeof value === "number";
const isEntries = (value) =>
  Array.isArray(value) && value.every((each) => each !== null && typeof each === "object");

/** Returns the lists of entries of a result, and the record of probabilities with their distance. */
function listsOf(value) {
  if (isEntries(value)) return [value];
  if (value === null || typeof value !== "object" || Array.isArray(value)) return [];
  const lists = Object.values(value).filter(isEntries);
  return Array.isArray(value.probabilities) && isNumber(value.hop) ? [...lists, value] : lists;
}
