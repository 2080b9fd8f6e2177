// What an evaluation found: figures, the confusion matrix, the worst mistakes, and files of them.

import { element } from "./dom.js";
import { confusion } from "./confusion.js";
import { count, milliseconds, number, percent } from "./words.js";

/** A report; `exported` gives the address of a format, `pictureOf` that of a picture. */
export function report(told, exported, pictureOf) {
  return element("div.evaluation", {},
    element("div.sheet", {}, element("div.row", {}, element("h2.grow", {}, "Figures"), exports(exported)), headline(told), element("div.side-by-side", {}, figures(told), latencies(told))),
    told.confusion ? confusion(told.confusion) : null,
    mistakes(told.samples?.worst ?? [], pictureOf),
    told.per_class?.length ? classes(told.per_class) : null);
}

const exports = (exported) => element("div.exports", { role: "group", "aria-label": "Export the report" }, ["json", "csv", "html"].map((format) =>
  element("a.button.small", { href: exported(format), download: `report.${format}` }, format.toUpperCase())));

const names = {
  top1: "Right at first guess", top5: "Right within five guesses", precision: "Precision", recall: "Recall", f1: "F1", balanced_accuracy: "Balanced accuracy",
  loss: "Loss", brier: "Brier score", ece: "Calibration error", map: "Mean average precision", map50: "… at half overlap", map75: "… at three quarters",
  mae: "Mean absolute error", rmse: "Root mean squared error", r2: "R²", roc_auc: "Area under ROC", eer: "Equal error rate", nearest: "Nearest is the same",
};

const shown = (name, value, kinds) => (value === null ? "–" : kinds[name]?.unit === "share" ? percent(value) : number(value));
const hint = (kind) => ({ higher: "higher is better", lower: "lower is better" })[kind?.better] ?? "";

function headline({ metrics, figures: kinds = {}, count: many, errors }) {
  const [[best, value] = []] = Object.entries(metrics ?? {});
  if (!best) return null;
  return element("p.headline", {}, element("b", {}, shown(best, value, kinds)), ` ${(names[best] ?? best).toLowerCase()}, of ${count(many, "picture")}`,
    errors ? element("span.bad", {}, `; ${errors} could not be run`) : null);
}

const figures = ({ metrics, figures: kinds = {} }) => element("div.scroll", {}, element("table.figures", {}, element("caption.kicker", {}, "All figures"),
  element("thead", {}, element("tr", {}, element("th", { scope: "col" }, "Figure"), element("th.number", { scope: "col" }, "Value"), element("th", { scope: "col" }, "Reading"))),
  element("tbody", {}, Object.entries(metrics ?? {}).map(([name, value]) => element("tr", {},
    element("th", { scope: "row" }, names[name] ?? name), element("td.number", {}, shown(name, value, kinds)), element("td.soft", {}, hint(kinds[name])))))));

function latencies({ latency_ms: times, rate, seconds }) {
  if (!times?.total) return null;
  const stages = [["picture", "Decode"], ["input", "Input"], ["run", "Run"], ["output", "Output"], ["total", "Total"]].filter(([stage]) => times[stage]);
  const columns = [["mean", "Mean"], ["p50", "Median"], ["p90", "90 %"], ["p99", "99 %"]];
  return element("div.scroll", {}, element("table.times", {}, element("caption.kicker", {}, "Times in milliseconds"),
    element("thead", {}, element("tr", {}, element("td"), columns.map(([, name]) => element("th.number", { scope: "col" }, name)))),
    element("tbody", {}, stages.map(([stage, name]) => element("tr", {}, element("th", { scope: "row" }, name),
      columns.map(([column]) => element("td.number", {}, milliseconds(times[stage][column]))))))),
    rate ? element("p.soft.fine", {}, `${Math.round(rate)} a second, ${number(seconds)} s in all`) : null);
}

function mistakes(worst, pictureOf) {
  const wrong = worst.filter((sample) => sample.right === false);
  const shown = (wrong.length ? wrong : worst).slice(0, 24);
  if (!shown.length) return null;
  const cards = shown.map((sample) => {
    return element("figure.mistake", {}, sample.picture ? element("img", { src: pictureOf(sample.name), alt: "", loading: "lazy" }) : null,
      element("figcaption", {}, element("span.path", {}, sample.name), element("span", {}, element("i", {}, "right "), sample.truth ?? "–"), element("span.bad", {}, element("i", {}, "found "), sample.found ?? "–")));
  });
  return element("div.sheet", {}, element("h2", {}, wrong.length ? "Worst mistakes" : "Least sure answers"), element("div.mistakes", {}, cards));
}

const classes = (all) => element("details.sheet", {}, element("summary", {}, element("h2", {}, "By class")), element("div.scroll", {}, element("table", {},
  element("thead", {}, element("tr", {}, element("th", { scope: "col" }, "Label"), ["Count", "Precision", "Recall", "F1"].map((name) => element("th.number", { scope: "col" }, name)))),
  element("tbody", {}, all.map((each) => element("tr", {}, element("th", { scope: "row" }, each.label), element("td.number", {}, each.count ?? "–"),
    ["precision", "recall", "f1"].map((figure) => element("td.number", {}, typeof each[figure] === "number" ? percent(each[figure]) : "–"))))))));
