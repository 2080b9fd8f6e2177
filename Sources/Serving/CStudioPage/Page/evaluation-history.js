// The evaluations of this browser: a line for each model that was evaluated, which stays when the page is closed.

import { button, download, element, setContent, table, textColumns } from "./dom.js";
import { pluralize } from "./format.js";
import { formatMetric, metricTitle } from "./report.js";
import { loadLocal, saveLocal } from "./storage.js";

const STORAGE_KEY = "evaluation-history";
const MAX_EVALUATIONS = 100;
/** The first metrics of a report are its main ones. */
const MAX_METRICS = 3;

const section = element("div");
let evaluations = loadLocal(STORAGE_KEY, []);
/** The model whose evaluations are listed. */
let shownModel = null;

/** Adds the models that were evaluated on the same data, which are `{model, title, report}`, the baseline first. */
export function addToHistory(data, gates, runs) {
  if (!runs.length) return;
  const models = runs.map(({ model, title, report }) => ({
    model,
    title,
    count: report.count,
    metrics: Object.entries(report.metrics)
      .slice(0, MAX_METRICS)
      .map(([name, value]) => ({
        name,
        value,
        text: formatMetric(name, value, report.metric_info ?? {}),
      })),
    passed: report.verdict?.gates?.length ? report.verdict.passed : null,
    regressions: report.comparison?.regression_count ?? null,
    fixes: report.comparison?.fix_count ?? null,
  }));
  const time = new Date().toISOString();
  evaluations = [{ time, data, gates, models }, ...evaluations].slice(0, MAX_EVALUATIONS);
  store();
}

/** Returns the list of the evaluations with a model. */
export function historyOf(model) {
  shownModel = model;
  update();
  return section;
}

function store() {
  saveLocal(STORAGE_KEY, evaluations);
  update();
}

const includesModel = ({ models }) => models.some(({ model }) => model === shownModel);

function update() {
  const shown = evaluations.filter(includesModel);
  setContent(
    section,
    shown.length
      ? element(
          "details.panel.evaluation-history",
          { open: section.firstChild?.open },
          element("summary", {}, element("h2", {}, "Earlier evaluations")),
          element(
            "div.row",
            {},
            element(
              "p.muted.flex-grow",
              {},
              `${pluralize(shown.length, "evaluation")}, in this browser`,
            ),
            button("Export JSON", () => exportAll(shown)),
            button("Remove all", removeAll),
          ),
          historyTable(shown),
        )
      : null,
  );
}

const historyTable = (shown) =>
  table(
    textColumns("Time", "Data", "Model", "Metrics", "Gates", "Against the first"),
    shown.flatMap(({ time, data, gates, models }) =>
      models.map((each, index) => [
        index
          ? ""
          : new Date(time).toLocaleString("en", { dateStyle: "medium", timeStyle: "short" }),
        index ? "" : data,
        each.title,
        each.metrics.map(({ name, text }) => element("div", {}, `${metricTitle(name)}: ${text}`)),
        gatesCell(each, gates),
        each.regressions === null
          ? ""
          : `${each.regressions} newly wrong, ${each.fixes ?? 0} newly right`,
      ]),
    ),
  );

function gatesCell({ passed }, gates) {
  if (passed === null) return "";
  return element(
    passed ? "span.badge.success" : "span.badge.error",
    { title: gates.join(", ") },
    passed ? "passed" : "failed",
  );
}

function exportAll(shown) {
  const text = `${JSON.stringify({ evaluations: shown }, null, 2)}\n`;
  download(`${shownModel}-evaluations.json`, "application/json", text);
}

function removeAll() {
  evaluations = evaluations.filter((each) => !includesModel(each));
  store();
}
