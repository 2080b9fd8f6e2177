// The Evaluate tab: evaluates a model on many images with ground truth.

import * as api from "./api.js";
import { button, byId, element, labeledField, setContent, setText, uniqueID } from "./dom.js";
import { EvaluationGroup } from "./evaluation-group.js";
import { historyOf } from "./evaluation-history.js";
import { EvaluationRun, storedID } from "./evaluation-run.js";
import { pluralize } from "./format.js";
import { isImage } from "./images.js";
import { datasetOf, isExportable } from "./label-export.js";
import { countInputs, isClassified, labeledInputs, modelLabels } from "./labels.js";
import { missingRuntimeNotice } from "./missing-runtime.js";
import { comparableModels, modelNamed, onChange, selection, studio, takesImage } from "./state.js";

/** The latest evaluation of each model, alone or with others, by the model's name. */
const evaluations = new Map();
/** The other models and the gates of the next evaluation, by the model's name. */
const choices = new Map();

export function initEvaluate() {
  // Another model may have the name.
  onChange("state", () => fittingDatasets.clear());
  onChange("view", () => selection.view === "evaluate" && show());
  onChange("state", () => selection.view === "evaluate" && show());
}

function show() {
  const model = modelNamed(selection.model);
  const view = byId("view-evaluate");
  if (!model || model.error) return setContent(view);
  if (model.missing_runtime) return setContent(view, missingRuntimeNotice(model));
  const result =
    (evaluations.get(model.name) ?? resumedRun(model.name))?.element ??
    element("p.placeholder", {}, "Metrics, charts and the worst errors appear here.");
  return setContent(view, sourcePicker(), result, historyOf(model.name));
}

/** Returns the run of an evaluation that was started before the page was loaded. */
function resumedRun(model) {
  const id = storedID(model);
  if (!id) return undefined;
  const run = new EvaluationRun(model, { id });
  evaluations.set(model, run);
  run.resume(() => {
    if (evaluations.get(model) !== run) return;
    evaluations.delete(model);
    show();
  });
  return run;
}

function sourcePicker() {
  const takesImages = takesImage(modelNamed(selection.model));
  const labeled = labeledInputs(selection.model);
  const hasSource = takesImages || studio.datasets.length > 0 || labeled.length > 0;
  return element(
    "div.panel",
    {},
    element("h2", {}, "Evaluate the model"),
    element(
      "div.evaluation-sources",
      {},
      takesImages ? folderSource() : null,
      studio.datasets.length ? datasetSource() : null,
      takesImages || labeled.length ? labeledSource(labeled) : null,
    ),
    hasSource
      ? decisionOptions()
      : element(
          "p.muted",
          {},
          "This model does not take an image. Label inputs in the Try tab, or start the studio with data for it: ",
          element("code", {}, "tensorio studio --data DATA"),
          ".",
        ),
  );
}

function folderSource() {
  const note = element("p.muted.fine-print", {});
  const evaluateFolder = () => {
    const items = itemsInFolders([...field.files]);
    if (items.length) evaluateImages(items, folderTitle(field.files[0]));
    else setText(note, "The folder has no subfolders with images.");
  };
  const field = element("input.visually-hidden", {
    type: "file",
    id: uniqueID("folder"),
    webkitdirectory: true,
    multiple: true,
    tabindex: -1,
    "aria-label": "Folder of images",
    change: evaluateFolder,
  });
  return element(
    "section.evaluation-source",
    {},
    element("h3", {}, "A folder"),
    element(
      "p.muted",
      {},
      "With one subfolder per label, named after the label: ",
      element("code", {}, "cat/1.jpg"),
      ", ",
      element("code", {}, "dog/7.jpg"),
      ".",
    ),
    field,
    button("Choose a folder", () => field.click(), { kind: "button.button-primary" }),
    note,
  );
}

const folderTitle = (file) => `the folder ${(file.webkitRelativePath || file.name).split("/")[0]}`;

// The label of "held-out/cat/1.jpg" is "cat".
function itemsInFolders(files) {
  return files
    .filter((file) => isImage(file) && !file.name.startsWith("."))
    .map((file) => {
      const parts = (file.webkitRelativePath || file.name).split("/");
      return { path: parts.slice(-2).join("/"), file, depth: parts.length };
    })
    .filter(({ depth }) => depth > 1);
}

/** The name of the dataset that was selected last, which stays selected when the tab is rebuilt. */
let selectedDataset = null;

/** The datasets that fit each model, and the others, as the server has found. */
const fittingDatasets = new Map();

function datasetSource() {
  const content = element("div", { "aria-busy": "true" });
  const model = selection.model;
  const list = (datasets) => {
    content.removeAttribute("aria-busy");
    setContent(content, datasetChoice(datasets));
  };
  if (fittingDatasets.has(model)) list(fittingDatasets.get(model));
  else {
    api.getDatasets(model).then(
      (datasets) => {
        fittingDatasets.set(model, datasets);
        list(datasets);
      },
      (error) => setContent(content, element("p.error-message", {}, error.message)),
    );
  }
  return element(
    "section.evaluation-source",
    {},
    element("h3", {}, "A dataset of this studio"),
    content,
  );
}

function datasetChoice(datasets) {
  const fitting = datasets.filter(({ error }) => !error);
  const select = element(
    "select",
    {
      id: uniqueID("dataset"),
      change: () => {
        selectedDataset = select.value;
      },
    },
    fitting.map(({ name, image_count: count }) =>
      element(
        "option",
        { value: name, selected: name === selectedDataset },
        count === null ? name : `${name} (${count})`,
      ),
    ),
  );
  return [
    element(
      "p.muted",
      {},
      fitting.length
        ? "Datasets that the studio was started with and that fit the model."
        : "None of the datasets that the studio was started with fits the model.",
    ),
    fitting.length
      ? element(
          "div.row",
          {},
          element("label.visually-hidden", { for: select.id }, "Dataset"),
          select,
          button("Evaluate", () => evaluateDataset(select.value), {
            kind: "button.button-primary",
          }),
        )
      : null,
    misfits(datasets.filter(({ error }) => error)),
  ];
}

const misfits = (datasets) =>
  datasets.length
    ? element(
        "details.fine-print",
        {},
        element("summary", {}, `${pluralize(datasets.length, "dataset")} left out`),
        element(
          "ul",
          {},
          datasets.map(({ name, error }) =>
            element("li", {}, element("b", {}, name), `: ${error}`),
          ),
        ),
      )
    : null;

/** The models that are evaluated on the same data, and the conditions for passing. */
function decisionOptions() {
  const choice = choices.get(selection.model) ?? { models: new Set(), gates: "" };
  choices.set(selection.model, choice);
  const field = element("input", {
    type: "text",
    value: choice.gates,
    placeholder: "top1>=97%, f1>=0.9",
    autocomplete: "off",
    input: () => {
      choice.gates = field.value;
    },
  });
  const { task } = modelNamed(selection.model);
  const others = comparableModels(selection.model).filter((model) => model.task === task);
  return element(
    "details",
    { open: choice.models.size > 0 || choice.gates !== "" },
    element("summary", {}, "Other models and gates"),
    others.length
      ? element(
          "fieldset.evaluated-models",
          {},
          element("legend", {}, "Also evaluate, side by side"),
          others.map((model) => modelChoice(model, choice.models)),
        )
      : null,
    labeledField(
      "Gates",
      field,
      "Conditions for passing, separated by commas. With other models, this one is the baseline: top1>=baseline-0.5%.",
    ),
  );
}

function modelChoice({ name, title }, chosen) {
  const box = element("input", {
    type: "checkbox",
    checked: chosen.has(name),
    change: () => {
      if (box.checked) chosen.add(name);
      else chosen.delete(name);
    },
  });
  return element("label.checkbox-field", {}, box, title);
}

function labeledSource(entries) {
  const available = entries.filter(isExportable);
  const missing = entries.length - available.length;
  const text = entries.length
    ? `${countInputs(available)} that you labeled.`
    : "Label inputs in the Try tab, below the model's result.";
  return element(
    "section.evaluation-source",
    {},
    element("h3", {}, "Your labels"),
    element(
      "p.muted",
      {},
      text,
      missing ? ` ${missing} more are unavailable because the page was reloaded.` : "",
    ),
    button("Evaluate", () => evaluateLabeled(available), { disabled: !available.length }),
  );
}

/** Evaluates the model on entries: images in folders of their labels, or a dataset as it is exported. */
async function evaluateLabeled(entries) {
  const title = "your labels";
  if (entries.every((entry) => isClassified(entry) && !entry.values)) {
    return evaluateImages(entries.map(uploadItem), title);
  }
  const labels = await modelLabels(entries[0].model).catch(() => []);
  const { files, annotations } = await datasetOf(entries, labels);
  return start({ title, items: files, annotations });
}

const uploadItem = ({ label, path, blob }) => ({
  path: `${label}/${path.split("/").pop()}`,
  file: blob,
});

/** Returns the items with unique paths: "cat/1.png" is followed by "cat/1 (2).png". */
export function withUniquePaths(items) {
  const used = new Set();
  return items.map(({ path, file }) => {
    const [, stem, ending] = /^(.*?)(\.[^./]*)?$/.exec(path);
    let unique = path;
    for (let number = 2; used.has(unique.toLowerCase()); number += 1) {
      unique = `${stem} (${number})${ending ?? ""}`;
    }
    used.add(unique.toLowerCase());
    return { path: unique, file };
  });
}

function evaluateImages(items, title) {
  start({ title, items: withUniquePaths(items) });
}

function evaluateDataset(dataset) {
  selectedDataset = dataset;
  start({ title: dataset, dataset });
}

/** Evaluates the selected model and the others that have been chosen. */
function start(source) {
  const name = selection.model;
  const { models, gates } = choices.get(name) ?? { models: new Set(), gates: "" };
  const conditions = gates.split(",").map((gate) => gate.trim());
  const others = [...models].filter(modelNamed);
  evaluations.get(name)?.cancel();
  const group = new EvaluationGroup([name, ...others], {
    ...source,
    gates: conditions.filter(Boolean),
  });
  evaluations.set(name, group);
  show();
  group.run();
}
