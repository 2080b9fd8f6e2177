// What a bundle says of itself: its card, what goes in and comes out, and its description as it stands.

import * as api from "./api.js";
import { button, byId, element, fill } from "./dom.js";
import { markdown } from "./markdown.js";
import { details } from "./models.js";
import { notice } from "./notices.js";
import { chosen, modelNamed, when } from "./state.js";
import { caption, head, table, words } from "./table.js";
import { count, shape } from "./words.js";

export function beginAbout() {
  when("model", show);
}

async function show() {
  const name = chosen.model;
  const model = modelNamed(name);
  details("");
  if (!model) return fill(byId("view-about"));
  if (model.broken) return fill(byId("view-about"), broken(model));
  try {
    const about = await api.model(name);
    if (name !== chosen.model) return undefined;
    details(about.details);
    return fill(byId("view-about"), facts(about), layers(about), card(about), raw(name));
  } catch (failure) {
    return fill(byId("view-about"), element("div.sheet", {}, element("p.problem", {}, failure.message)));
  }
}

const broken = (model) => element("div.sheet", {},
  element("h2", {}, "This bundle cannot be opened"),
  element("p.problem", {}, model.broken),
  element("p.soft", {}, "The others are not affected. Put its model.json right, or import the bundle again. In a terminal, ",
    element("code", {}, "tensorio validate"), " tells every problem with its place and a suggestion."),
      raw(model.name));

function facts(about) {
  const rows = [
    ["Name", about.name], ["Identifier", about.id], ["Version", about.version], ["Author", about.author],
    ["License", about.license], ["Runs in", backends[about.backend] ?? about.backend],
  ];
  return element("div.sheet", {}, element("h2", {}, "At a glance"), element("dl.facts", {},
    rows.filter(([, value]) => value)
      .map(([name, value]) => element("div", {}, element("dt", {}, name), element("dd", {}, value)))));
}

const backends = { tflite: "LiteRT (tflite)", tensorflow: "TensorFlow" };

const layers = ({ inputs, outputs }) => element("div.sheet", {},
  element("h2", {}, "What goes in, what comes out"),
  layerTable("Inputs", inputs ?? []), layerTable("Outputs", outputs ?? []));

const layerTable = (name, all) =>
  table([head("Name"), ...words("Type", "Shape", "More")], all.map(layerRow), { caption: caption(name) });

const layerRow = (layer) => [
  layer.name, layer.type, element("span.nowrap", {}, shape(layer.shape ?? [])),
    element("span.soft", {}, more(layer)),
];

function more({ format, dtype, role, labels }) {
  const parts = [format, dtype, role ? `role ${role}` : null, labels ? count(labels, "label") : null];
  return parts.filter(Boolean).join(", ") || "–";
}

const card = (about) => (about.card
  ? element("div.sheet.markdown", {}, element("p.kicker", {}, "The model's card"), markdown(about.card, 2))
  : null);

function raw(name) {
  const text = element("pre.raw", { tabindex: "0" }, "…");
  const part = element("details.sheet", { toggle: () => part.open && load(name, text) },
    element("summary", {}, element("h2", {}, "model.json")),
    button("Copy", () => copy(text.textContent), { kind: "button.small" }), text);
  return part;
}

async function load(name, text) {
  try {
    text.textContent = JSON.stringify(await api.description(name), null, 2);
  } catch (failure) {
    text.textContent = failure.message;
  }
}

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    notice("Copied.");
  } catch {
    notice("The browser does not let the page copy; select the text instead.", "bad");
  }
}
