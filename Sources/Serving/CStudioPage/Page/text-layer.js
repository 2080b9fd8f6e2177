// The text that was read in an image, which can be selected and copied where it is.

import { element, setContent } from "./dom.js";
import { placementOf } from "./overlay.js";

/** The height of a line before it is fitted into its corners, in pixels. */
const LINE_HEIGHT = 20;
const FONT = "16px system-ui, sans-serif";
const measuring = new OffscreenCanvas(1, 1).getContext("2d");

export class TextLayer {
  constructor() {
    this.element = element("div.text-layer", { hidden: true });
    this.words = [];
  }

  /** Sets lines with their text and corners, and possibly those of their words. */
  setLines(lines) {
    this.words = [];
    setContent(
      this.element,
      lines.map((line) =>
        element(
          "div",
          {},
          wordsOf(line).map((word, index, all) => this.word(word, index === all.length - 1)),
        ),
      ),
    );
    this.element.hidden = !lines.length;
  }

  // The space separates words that are copied.
  word({ text, corners }, isLast) {
    const node = element("span", {}, isLast ? text : `${text} `);
    this.words.push({ node, text, corners });
    return node;
  }

  /** Puts the words where they are in an image that is fitted into a container. */
  arrange(container, size) {
    if (!this.words.length || !size[0]) return;
    const { scale, left, top } = placementOf(container, size);
    measuring.font = FONT;
    for (const { node, text, corners } of this.words) {
      const [[x, y], right, , lower] = corners.map(([u, v]) => [u * scale + left, v * scale + top]);
      const width = measuring.measureText(text).width || 1;
      const along = [right[0] - x, right[1] - y].map((each) => each / width);
      const down = [lower[0] - x, lower[1] - y].map((each) => each / LINE_HEIGHT);
      node.style.transform = `matrix(${[...along, ...down, x, y].map((each) => each.toFixed(4))})`;
    }
  }
}

const wordsOf = (line) => (line.words?.length ? line.words : [line]);

/** Returns the lines of text in a result; none for other results. */
export const textLinesOf = (outputs) =>
  Object.values(outputs ?? {}).find(
    (value) =>
      Array.isArray(value) &&
      value.length > 0 &&
      value.every((each) => typeof each?.text === "string" && each.corners?.length === 4),
  ) ?? [];
