// What an evaluation found: figures, the confusion matrix, the worst mistakes, and files of them.

import { element } from "./dom.js";
import { confusion } from "./confusion.js";
import { caption, head, numbers, table, words } from "./table.js";
import { count, milliseconds, number, percent } from "./words.js";

/** A report; `exported` gives the address of a format, `pictureOf` that of a picture. */
export function report(told, exported, pictureOf) {
  return element("div.evaluation", {},
    element("div.sheet", {},
      element("div.row", {}, element("h2.grow", {}, "Figures"), exports(exported)), headline(told),
      element("div.side-by-side", {}, figures(told), latencies(told))),
    told.confusion ? confusion(told.confusion) : null,
    mistakes(told.samples?.worst ?? [], pictureOf),
    told.per_class?.length ? classes(told.per_class) : null);
}

const exports = (exported) => element("div.exports", { role: "group", "aria-label": "Export the report" },
  ["json", "csv", "html"].map((format) =>
    element("a.button.small", { href: exported(format), download: `report.${format}` }, format.toUpperCase())));

const names = {
  top1: "Right at first guess", top5: "Right within five guesses", precision: "Precision", recall: "Recall",
    f1: "F1",
  balanced_accuracy: "Balanced accuracy", loss: "Loss", brier: "Brier score", ece: "Calibration error",
  map: "Mean average precision", map50: "… at half overlap", map75: "… at three quarters",
  mae: "Mean absolute error", rmse: "Root mean squared error", r2: "R²",
  roc_auc: "Area under ROC", eer: "Equal error rate", nearest: "Nearest is the same",
};

const shown = (name, value, kinds) => {
  if (value === null) return "–";
  return kinds[name]?.unit === "share" ? percent(value) : number(value);
};
const hint = (kind) => ({ higher: "higher is better", lower: "lower is better" })[kind?.better] ?? "";

function headline({ metrics, figures: kinds = {}, count: many, errors }) {
  const [[best, value] = []] = Object.entries(metrics ?? {});
  if (!best) return null;
  return element("p.headline", {},
    element("b", {}, shown(best, value, kinds)),
      ` ${(names[best] ?? best).toLowerCase()}, of ${count(many, "picture")}`,
    errors ? element("span.bad", {}, `; ${errors} could not be run`) : null);
}

const figures = ({ metrics, figures: kinds = {} }) => table([head("Figure"), ...numbers("Value"),
  ...words("Reading")],
  Object.entries(metrics ?? {}).map(([name, value]) =>
    [names[name] ?? name, shown(name, value, kinds), element("span.soft", {}, hint(kinds[name]))]),
  { kind: "table.figures", caption: caption("All figures") });

function latencies({ latency_ms: times, rate, seconds }) {
  if (!times?.total) return null;
  const stages = [["picture", "Decode"], ["input", "Input"], ["run", "Run"], ["output", "Output"],
    ["total", "Total"]];
  const rows = stages.filter(([stage]) => times[stage]).map(([stage, name]) =>
    [name, ...["mean", "p50", "p90", "p99"].map((column) => milliseconds(times[stage][column]))]);
  return element("div", {},
    table([head("Stage"), ...numbers("Mean", "Median", "90 %", "99 %")], rows,
      { kind: "table.times", caption: caption("Times in milliseconds") }),
    rate ? element("p.soft.fine", {}, `${Math.round(rate)} a second, ${number(seconds)} s in all`) : null);
}

function mistakes(worst, pictureOf) {
  const wrong = worst.filter((sample) => sample.right === false);
  const chosen = (wrong.length ? wrong : worst).slice(0, 24);
  if (!chosen.length) return null;
  return element("div.sheet", {}, element("h2", {}, wrong.length ? "Worst mistakes" : "Least sure answers"),
    element("div.mistakes", {}, chosen.map((sample) => mistake(sample, pictureOf(sample.name)))));
}

const mistake = ({ name, picture, truth, found, right }, url) => element("figure.mistake", {},
  picture ? element("img", { src: url, alt: "", loading: "lazy" }) : null,
  element("figcaption", {},
    element("span.path", {}, name),
    element("span", {}, element("i", {}, "right "), truth ?? "–"),
    element(right === false ? "span.bad" : "span", {}, element("i", {}, "found "), found ?? "–")));

const classes = (all) => element("details.sheet", {}, element("summary", {}, element("h2", {}, "By class")),
  table([head("Label"), ...numbers("Count", "Precision", "Recall", "F1")], all.map((each) =>
    [each.label, String(each.count ?? "–"),
      ...["precision", "recall", "f1"].map((figure) => share(each[figure]))])));

const share = (value) => (typeof value === "number" ? percent(value) : "–");
