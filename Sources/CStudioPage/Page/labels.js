// Right answers given by hand: kept in this browser, listed, changed, taken out as files.

import * as api from "./api.js";
import { button, byId, download, element, fill, fresh } from "./dom.js";
import { keep, recall } from "./kept.js";
import { notice } from "./notices.js";
import { chosen, modelNamed, when } from "./state.js";
import { silent, table, words } from "./table.js";
import { count } from "./words.js";

let entries = recall("labels", []);

/** The pictures themselves, which are gone when the page is loaded anew. */
const pictures = new Map();
const known = new Map();

/** Keeps the right answer for a picture; a second one for the same picture takes its place. */
export function keepLabel(entry, blob) {
  const id = `${entry.model}/${entry.path}`;
  entries = [{ ...entry, id, time: new Date().toISOString() }, ...entries.filter((other) => other.id !== id)];
  pictures.set(id, blob);
  store();
}

/** The labels given to a model's pictures, those whose pictures are still here with them. */
export const labelled = (model) =>
  entries.filter((entry) => entry.model === model).map((entry) => ({ ...entry, blob: pictures.get(entry.id) }));

/** What was said of a picture before. */
export const labelOf = (model, path) => entries.find((entry) => entry.id === `${model}/${path}`)?.label;

/** All labels that a model knows, learnt from its answer to a picture. */
export async function labelsKnown(model, blob) {
  if (!known.has(model)) {
    const answer = await api.predict(model, blob, { top: 100_000 });
    const all = Object.values(answer.outputs ?? {}).find((value) => Array.isArray(value) && typeof value[0]?.score === "number") ?? [];
    const byIndex = [...all].sort((one, other) => (one.index ?? 0) - (other.index ?? 0));
    known.set(model, [...new Set(byIndex.map((entry) => entry.label))].filter(Boolean));
  }
  return known.get(model);
}

export function beginLabels() {
  when("view", () => chosen.view === "labels" && show());
  when("model", counted);
  counted();
}

function store() {
  if (!keep("labels", entries)) notice("This browser has no more room for labels; export them, and remove some.", "bad");
  counted();
  if (chosen.view === "labels") show();
}

function counted() {
  const many = entries.filter((entry) => entry.model === chosen.model).length;
  byId("labels-count").hidden = !many;
  byId("labels-count").textContent = many;
}

function show() {
  const mine = entries.filter((entry) => entry.model === chosen.model);
  fill(byId("view-labels"), element("div.sheet", {},
    element("h2", {}, "Labels given by hand"),
    element("p.soft", {}, "What you said is right, of pictures that you tried. Labels are kept in this browser only, ",
      "and are still here when you come back; export them to use them elsewhere."),
    mine.length ? [actions(mine), list(mine)] : none()));
}

const none = () => element("p.empty-note", {},
  "No labels for ", element("b", {}, modelNamed(chosen.model)?.title ?? "this model"),
  " yet. Try a picture, and write the right answer below what the model says.");

const rightOf = (mine) => mine.filter((entry) => entry.label === entry.suggestion).length;

const actions = (mine) => element("div.row", {},
  element("p.grow", {}, count(mine.length, "picture"), `, the model was right about ${rightOf(mine)}`),
  button("Export CSV", () => download(`${chosen.model}-labels.csv`, "text/csv", csv(mine))),
  button("Export JSON", () => download(`${chosen.model}-labels.json`, "application/json", json(mine))),
  button("Remove all", () => removeAll(mine)));

const list = (mine) => table(
  [...words("Picture", "The model said", "Right answer"), silent("Remove")], mine.map(row),
    { kind: "table.labels" });

const row = (entry) => [
  element("span.with-picture", {}, entry.thumb ? element("img", { src: entry.thumb, alt: "" }) : null,
    element("span.path", {}, entry.path)),
  entry.suggestion === undefined ? "–" : [entry.suggestion, " ", judged(entry.label === entry.suggestion)],
  element("input", {
    type: "text", id: fresh("label"), value: entry.label, "aria-label": `Right answer for ${entry.path}`,
    change: (event) => relabel(entry, event.target),
  }),
  button("Remove", () => remove(entry),
    { kind: "button.plain.small", "aria-label": `Remove the label of ${entry.path}` }),
];

const judged = (isRight) => element(isRight ? "span.good.fine" : "span.bad.fine", {},
  isRight ? "right" : "wrong");

function relabel(entry, field) {
  const label = field.value.trim();
  if (!label) return (field.value = entry.label);
  entry.label = label;
  store();
}

function remove(entry) {
  entries = entries.filter((other) => other !== entry);
  pictures.delete(entry.id);
  store();
}

function removeAll(mine) {
  if (!confirm(`Remove ${count(mine.length, "label")} for good?`)) return;
  entries = entries.filter((entry) => !mine.includes(entry));
  store();
}

const facts = ({ path, model, suggestion, label, time }) => ({ picture: path, model,
  suggestion: suggestion ?? null, label, time });
const json = (mine) => `${JSON.stringify({ labels: mine.map(facts) }, null, 2)}\n`;

function csv(mine) {
  const lines = mine.map(facts).map((fact) => Object.values(fact).map(quoted).join(","));
  return ["picture,model,suggestion,label,time", ...lines, ""].join("\r\n");
}

const quoted = (value) => {
  const text = String(value ?? "");
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};
