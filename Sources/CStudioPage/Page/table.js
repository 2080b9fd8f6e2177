// Tables of rows under titles.

import { element } from "./dom.js";

/**
 * A table that scrolls by itself where it is too wide.
 * A column has a title, and may be `isNumber`, `isHead` (what a row is about) or `isSilent` (its title
 * is for those who hear the page); a row is what stands in its cells.
 */
export function table(columns, rows, { kind = "table", caption = null } = {}) {
  return element("div.scroll", {},
    element(kind, {}, caption,
      element("thead", {}, element("tr", {}, columns.map(title))),
      element("tbody", {}, rows.map((row) => element("tr", {},
        row.map((content, place) => cell(columns[place], content)))))));
}

/** A title above a table. */
export const caption = (text) => element("caption.kicker", {}, text);

const title = ({ title, isNumber, isSilent }) =>
  element(isNumber ? "th.number" : "th", { scope: "col" },
    isSilent ? element("span.unseen", {}, title) : title);

const cell = ({ isNumber, isHead }, content) =>
  isHead ? element("th", { scope: "row" }, content) : element(isNumber ? "td.number" : "td", {}, content);

/** Columns of words, and columns of numbers. */
export const words = (...titles) => titles.map((title) => ({ title }));
export const numbers = (...titles) => titles.map((title) => ({ title, isNumber: true }));
export const head = (title) => ({ title, isHead: true });
export const silent = (title) => ({ title, isSilent: true });
