// The report of an evaluation: metrics, charts, misclassified items, and exports.

import {
  caption,
  element,
  markupNodes,
  numberColumns,
  rowHeaderColumn,
  table,
  textColumns,
} from "./dom.js";
import { enlargeable } from "./enlarge.js";
import {
  formatMilliseconds,
  formatNumber,
  formatPercent,
  pluralize,
  stageTitles,
} from "./format.js";
import { OverlaidImage } from "./overlay.js";

const MAX_MISCLASSIFIED_ITEMS = 24;

/**
 * Returns a report. The charts are markup that the server renders, and `title` names the data;
 * `predictedOverlay(sample)` returns the overlay of a sample's prediction, and `reportURL(format)`
 * and `imageURL(name)` return addresses on the server.
 */
export function evaluationReport({ report, charts, title }, predictedOverlay, reportURL, imageURL) {
  return element(
    "div.evaluation-report",
    {},
    element(
      "div.panel",
      {},
      element("div.row", {}, element("h2.flex-grow", {}, "Metrics"), exportLinks(reportURL)),
      verdictLine(report.verdict),
      headlineMetric(report, title),
      element("div.side-by-side", {}, metricsTable(report), latencyTable(report)),
      undefinedMetrics(report),
    ),
    charts.length ? chartsPanel(charts) : null,
    misclassifiedItems(report.samples?.worst ?? [], predictedOverlay, imageURL),
    report.per_class?.length ? perClassTable(report) : null,
  );
}

const exportLinks = (reportURL) =>
  element(
    "div.export-links",
    { role: "group", "aria-label": "Export the report" },
    ["json", "csv", "html"].map((format) =>
      element(
        "a.button.button-small",
        { href: reportURL(format), download: `report.${format}` },
        format.toUpperCase(),
      ),
    ),
  );

const chartsPanel = (charts) =>
  element(
    "div.panel",
    {},
    element("h2", {}, "Charts"),
    element("div.chart-grid", {}, charts.map(markupNodes)),
  );

/** The verdict comes first, if there are gates. */
const verdictLine = (verdict) =>
  verdict?.gates?.length
    ? element(verdict.passed ? "p.success.emphasis" : "p.error-message", {}, verdict.headline)
    : null;

// MARK: Metrics

const metricTitles = {
  top1: "Top-1 accuracy",
  top5: "Top-5 accuracy",
  precision: "Precision",
  recall: "Recall",
  f1: "F1",
  balanced_accuracy: "Balanced accuracy",
  log_loss: "Log loss",
  brier_score: "Brier score",
  ece: "Expected calibration error",
  map: "Mean average precision",
  map50: "mAP at IoU 0.5",
  map75: "mAP at IoU 0.75",
  mae: "Mean absolute error",
  rmse: "Root mean squared error",
  r2: "R²",
  roc_auc: "Area under ROC",
  eer: "Equal error rate",
  rank1_accuracy: "Rank-1 accuracy",
  iou: "IoU",
  boundary_f: "Boundary F",
  ap: "Average precision",
  ap50: "AP at IoU 0.5",
  ar: "Average recall",
};

/** Formats a metric by its unit. */
export function formatMetric(name, value, metricInfo) {
  if (typeof value !== "number") return "–";
  return metricInfo[name]?.unit === "fraction" ? formatPercent(value) : formatNumber(value);
}

/** Returns the title of a metric. */
export const metricTitle = (name) => metricTitles[name] ?? name;

const directionHint = (info) =>
  ({ higher: "higher is better", lower: "lower is better" })[info?.direction] ?? "";

function headlineMetric({ metrics, metric_info: metricInfo = {}, count, errors }, title) {
  const [[name, value] = []] = Object.entries(metrics ?? {});
  if (!name) return null;
  return element(
    "p.headline-metric",
    {},
    element("b", {}, formatMetric(name, value, metricInfo)),
    ` ${metricTitles[name] ?? name} on ${pluralize(count, "image")}`,
    title ? ` of ${title}` : null,
    errors ? element("span.error", {}, `; ${pluralize(errors, "error")}`) : null,
  );
}

const metricsTable = ({ metrics, metric_info: metricInfo = {} }) =>
  table(
    [rowHeaderColumn("Metric"), ...numberColumns("Value"), ...textColumns("Note")],
    Object.entries(metrics ?? {}).map(([name, value]) => [
      metricTitles[name] ?? name,
      formatMetric(name, value, metricInfo),
      element("span.muted", {}, directionHint(metricInfo[name])),
    ]),
    { kind: "table.metrics", caption: caption("All metrics") },
  );

// Metrics with the same reason are named together.
function undefinedMetrics({ undefined_metrics: undefinedList = [] }) {
  const reasons = [...new Set(undefinedList.map(({ reason }) => reason))];
  return reasons.map((reason) => {
    const names = undefinedList
      .filter((metric) => metric.reason === reason)
      .map(({ name }) => metricTitles[name] ?? name);
    return element(
      "p.muted.fine-print.undefined-metrics",
      {},
      `${names.join(", ")} undefined: ${reason}`,
    );
  });
}

function latencyTable({ latency_ms: latency, throughput, total_seconds: seconds }) {
  if (!latency?.total) return null;
  const rows = stageTitles
    .filter(([stage]) => latency[stage])
    .map(([stage, title]) => [
      title,
      ...["mean", "p50", "p90", "p99"].map((key) => formatMilliseconds(latency[stage][key])),
    ]);
  return element(
    "div",
    {},
    table([rowHeaderColumn("Stage"), ...numberColumns("Mean", "Median", "p90", "p99")], rows, {
      kind: "table.latency-table",
      caption: caption("Latency in milliseconds"),
    }),
    throughput
      ? element(
          "p.muted.fine-print",
          {},
          `${Math.round(throughput)} images per second, ${formatNumber(seconds)} s in total`,
        )
      : null,
  );
}

// The columns are the metrics that the classes have, which depend on the kind of data.
function perClassTable({ per_class: classes, metric_info: metricInfo = {} }) {
  const isMetric = (name) => name !== "label" && name !== "count";
  const names = [...new Set(classes.flatMap(Object.keys).filter(isMetric))];
  return element(
    "details.panel.class-metrics",
    {},
    element("summary", {}, element("h2", {}, "Metrics by class")),
    table(
      [
        rowHeaderColumn("Label"),
        ...numberColumns("Count", ...names.map((name) => metricTitles[name] ?? name)),
      ],
      classes.map((each) => [
        each.label,
        String(each.count ?? "–"),
        ...names.map((name) => formatMetric(name, each[name], metricInfo)),
      ]),
    ),
  );
}

// MARK: Samples

function misclassifiedItems(worst, predictedOverlay, imageURL) {
  const incorrect = worst.filter((sample) => sample.correct === false);
  const samples = (incorrect.length ? incorrect : worst).slice(0, MAX_MISCLASSIFIED_ITEMS);
  if (!samples.length) return null;
  return element(
    "div.panel",
    {},
    element("h2", {}, incorrect.length ? "Worst mistakes" : "Least confident predictions"),
    samples.some((sample) => sample.ground_truth_boxes)
      ? element("p.muted.fine-print", {}, "Dashed: ground truth. Colored: predictions.")
      : null,
    element(
      "div.misclassified-items",
      {},
      samples.map((sample) =>
        misclassifiedItem(sample, sampleImage(sample, imageURL(sample.name), predictedOverlay)),
      ),
    ),
  );
}

/** The image of a sample, with its ground truth and its prediction drawn over it. */
const sampleImage = (sample, url, predictedOverlay) =>
  new OverlaidImage(url, async () => {
    const predicted = await predictedOverlay(sample).catch(() => []);
    return [...groundTruthShapes(sample), ...predicted];
  });

const groundTruthShapes = ({ ground_truth_boxes: boxes = [] }) =>
  boxes.map(({ box }) => ({ type: "ground-truth", box }));

const captionOf = (groundTruth, prediction, name) =>
  `${name}: expected ${groundTruth ?? "–"}, predicted ${prediction ?? "–"}`;

const misclassifiedItem = (
  { name, image, ground_truth: groundTruth, prediction, correct },
  picture,
) =>
  element(
    "figure.misclassified-item",
    {},
    image
      ? enlargeable(picture.element, name, { caption: captionOf(groundTruth, prediction, name) })
      : null,
    element(
      "figcaption",
      {},
      element("span.path", {}, name),
      element("span", {}, element("i", {}, "expected "), groundTruth ?? "–"),
      element(
        correct === false ? "span.error" : "span",
        {},
        element("i", {}, "predicted "),
        prediction ?? "–",
      ),
    ),
  );
