// The About tab: a model's card, its inputs and outputs, and its model.json.

import * as api from "./api.js";
import {
  button,
  byId,
  caption,
  element,
  markupNodes,
  rowHeaderColumn,
  setContent,
  table,
  textColumns,
} from "./dom.js";
import { formatShape, pluralize } from "./format.js";
import { setDetails } from "./navigation.js";
import { copyText } from "./notifications.js";
import { modelNamed, onChange, selection } from "./state.js";

export function initAbout() {
  onChange("model", show);
}

async function show() {
  const name = selection.model;
  const model = modelNamed(name);
  const view = byId("view-about");
  setDetails([]);
  if (!model) return setContent(view);
  if (model.error) return setContent(view, loadError(model));
  try {
    const [metadata, texts] = await Promise.all([api.getModel(name), api.getCard(name)]);
    if (name !== selection.model) return undefined;
    setDetails(texts.details);
    return setContent(view, properties(metadata), layers(metadata), card(texts), sourceText(name));
  } catch (error) {
    return setContent(
      view,
      element("div.panel", {}, element("p.error-message", {}, error.message)),
    );
  }
}

const loadError = (model) =>
  element(
    "div.panel",
    {},
    element("h2", {}, "This bundle cannot be loaded"),
    element("p.error-message", {}, model.error),
    element(
      "p.muted",
      {},
      "Other models are not affected. Correct the bundle's model.json, or import ",
      "the bundle again. In a terminal, ",
      element("code", {}, "tensorio validate"),
      " lists all diagnostics with locations and suggestions.",
    ),
    sourceText(model.name),
  );

function properties(metadata) {
  const rows = [
    ["Name", metadata.name],
    ["Identifier", metadata.id],
    ["Version", metadata.version],
    ["Author", metadata.author],
    ["License", metadata.license],
    ["Runtime", runtimeTitles[metadata.backend] ?? metadata.backend],
  ];
  return element(
    "div.panel",
    {},
    element("h2", {}, "Overview"),
    element(
      "dl.properties",
      {},
      rows
        .filter(([, value]) => value)
        .map(([name, value]) =>
          element("div", {}, element("dt", {}, name), element("dd", {}, value)),
        ),
    ),
  );
}

const runtimeTitles = { tflite: "LiteRT (tflite)", tensorflow: "TensorFlow" };

const layers = ({ inputs, outputs }) =>
  element(
    "div.panel",
    {},
    element("h2", {}, "Inputs and outputs"),
    layerTable("Inputs", inputs ?? []),
    layerTable("Outputs", outputs ?? []),
  );

const layerTable = (title, all) =>
  table([rowHeaderColumn("Name"), ...textColumns("Type", "Shape", "Details")], all.map(layerRow), {
    caption: caption(title),
  });

const layerRow = (layer) => [
  layer.name,
  layer.type,
  element("span.nowrap", {}, formatShape(layer.declared_shape ?? [])),
  element("span.muted", {}, layerDetails(layer)),
];

function layerDetails({ format, dtype, role, label_count: labels }) {
  const parts = [
    format,
    dtype,
    role ? `role ${role}` : null,
    labels ? pluralize(labels, "label") : null,
  ];
  return parts.filter(Boolean).join(", ") || "–";
}

const card = (texts) =>
  texts.card
    ? element(
        "div.panel.markdown",
        {},
        element("p.kicker", {}, "Model card"),
        markupNodes(texts.card),
      )
    : null;

function sourceText(name) {
  const text = element("pre.source-text", { tabindex: "0" }, "…");
  const details = element(
    "details.panel",
    { toggle: () => details.open && load(name, text) },
    element("summary", {}, element("h2", {}, "model.json")),
    button("Copy", () => copyText(text.textContent), { kind: "button.button-small" }),
    text,
  );
  return details;
}

async function load(name, text) {
  try {
    text.textContent = JSON.stringify(await api.getDescription(name), null, 2);
  } catch (error) {
    text.textContent = error.message;
  }
}
