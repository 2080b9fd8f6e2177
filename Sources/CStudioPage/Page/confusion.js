// Which labels are taken for which others.

import { element } from "./dom.js";
import { numbers, table, words } from "./table.js";

/** More labels than these are told as a list of pairs alone. */
const MOST_LABELS = 40;

/** The matrix and the pairs that are confused most. */
export function confusion({ labels, cells }) {
  const pairs = cells.filter(([truth, found]) => truth !== found).sort((one, other) => other[2] - one[2]);
  return element("div.sheet", {}, element("h2", {}, "Confusion matrix"),
    element("p.soft", {}, pairs.length
      ? `A row for each right answer, a column for each answer of the model. Most often: ${told(pairs, labels)}.`
      : "Every answer was right: nothing was taken for something else."),
    labels.length <= MOST_LABELS ? matrix(labels, cells) : list(pairs, labels));
}

const told = (pairs, labels) => pairs.slice(0, 3)
  .map(([truth, found, many]) => `${labels[truth]} taken for ${labels[found]} (${many})`).join(", ");

function matrix(labels, cells) {
  const counts = new Map(cells.map(([truth, found, many]) => [`${truth} ${found}`, many]));
  const ofTruth = (truth) => cells.filter(([row]) => row === truth).reduce((sum, [, , many]) => sum + many, 0);
  const row = (label, truth) => element("tr", {}, element("th", { scope: "row" }, label),
    labels.map((_, found) => cell(counts.get(`${truth} ${found}`) ?? 0, ofTruth(truth), truth === found)));
  return element("div.scroll", { tabindex: "0", role: "region", "aria-label": "Confusion matrix" },
    element("table.confusion", {},
      element("caption.unseen", {}, "Right answers in rows, answers of the model in columns"),
      element("thead", {}, element("tr", {},
        element("td.corner", {}, element("span.soft", {}, "right ↓ found →")),
        labels.map((label) => element("th.number", { scope: "col" }, label)))),
      element("tbody", {}, labels.map(row))));
}

const cell = (many, sum, isRight) => element(`td.cell${many ? (isRight ? ".hit" : ".miss") : ".zero"}`, {
  "--share": sum ? Math.sqrt(many / sum).toFixed(3) : 0,
}, many ? String(many) : "·");

const list = (pairs, labels) => table([...words("Right", "Found"), ...numbers("Times")],
  pairs.slice(0, 40).map(([truth, found, many]) => [labels[truth], labels[found], String(many)]));
