// The evaluations of several models on the same data, side by side. The first model is the baseline of the others.

import { caption, element, numberColumns, rowHeaderColumn, setContent, table } from "./dom.js";
import { addToHistory } from "./evaluation-history.js";
import { EvaluationRun } from "./evaluation-run.js";
import { formatMetric, metricTitle } from "./report.js";
import { modelNamed } from "./state.js";

export class EvaluationGroup {
  constructor(models, source) {
    this.gates = source.gates;
    this.runs = models.map((model) => new EvaluationRun(model, source));
    this.comparison = element("div");
    const [first] = this.runs;
    this.element =
      this.runs.length === 1
        ? first.element
        : element("div", {}, this.comparison, this.runs.map(namedRun));
  }

  /** Evaluates the models one after another, as the others are compared with the first. */
  async run() {
    const [first, ...others] = this.runs;
    await first.run();
    for (const run of others) {
      if (this.isCanceled) break;
      this.showComparison();
      await run.run(first.report ? first.id : null);
    }
    if (!this.isCanceled) this.showComparison();
    const complete = this.runs.filter(({ isComplete }) => isComplete);
    addToHistory(
      first.title,
      this.gates,
      complete.map((run) => ({ model: run.model, title: titleOf(run), report: run.report })),
    );
  }

  async cancel() {
    this.isCanceled = true;
    await Promise.all(this.runs.map((run) => run.cancel()));
  }

  showComparison() {
    const runs = this.runs.filter(({ report }) => report);
    if (this.runs.length === 1 || !runs.length) return;
    setContent(
      this.comparison,
      element("div.panel", {}, element("h2", {}, "Side by side"), comparisonTable(runs)),
    );
  }
}

const titleOf = ({ model }) => modelNamed(model)?.title ?? model;

const namedRun = (run) =>
  element("section.evaluated-model", {}, element("h2", {}, titleOf(run)), run.element);

function comparisonTable(runs) {
  const [{ report: first }] = runs;
  const rows = Object.keys(first.metrics).map((name) => [
    metricTitle(name),
    ...runs.map(({ report }) => metricCell(report, name)),
  ]);
  const verdicts = runs.map(({ report: { verdict } }) => verdictBadge(verdict));
  const flips = runs.map(({ report: { comparison } }) => flipsText(comparison));
  return table(
    [rowHeaderColumn("Metric"), ...numberColumns(...runs.map(titleOf))],
    [
      verdicts.some(Boolean) ? ["Gates", ...verdicts] : null,
      ...rows,
      flips.some(Boolean) ? ["Newly wrong and newly right", ...flips] : null,
    ].filter(Boolean),
    { caption: caption("All models on the same items") },
  );
}

function verdictBadge(verdict) {
  if (!verdict?.gates?.length) return null;
  return element(
    verdict.passed ? "span.badge.success" : "span.badge.error",
    { title: verdict.headline },
    verdict.passed ? "passed" : "failed",
  );
}

const flipsText = (comparison) =>
  comparison?.regression_count === undefined
    ? ""
    : `${comparison.regression_count} and ${comparison.fix_count ?? 0}`;

/** The words for a change: only one that is not by chance is better or worse. */
const changeKinds = { better: "success", worse: "error" };

function metricCell({ metrics, metric_info: info = {}, comparison }, name) {
  const change = comparison?.changes?.find(({ metric }) => metric === name);
  const kind = changeKinds[change?.verdict];
  const text = formatMetric(name, metrics[name], info);
  return kind ? [text, " ", element(`span.${kind}`, {}, change.verdict)] : text;
}
