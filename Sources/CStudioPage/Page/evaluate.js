// Judging a model on many pictures whose right answers are known.

import * as api from "./api.js";
import { button, byId, element, fill, fresh, tell } from "./dom.js";
import { labelled as labelledPictures } from "./labels.js";
import { complain, say } from "./notices.js";
import { isPicture, readablePicture } from "./pictures.js";
import { report } from "./report.js";
import { chosen, modelNamed, studio, when } from "./state.js";
import { count, duration } from "./words.js";

/** How many pictures are on their way at a time. */
const AT_ONCE = 3;

/** What runs or has run, by the names of the models. */
const judgements = new Map();

export function beginEvaluating() {
  when("view", () => chosen.view === "evaluate" && show());
  when("state", () => chosen.view === "evaluate" && show());
}

function show() {
  const model = modelNamed(chosen.model);
  if (!model || model.broken) return fill(byId("view-evaluate"));
  const judgement = judgements.get(chosen.model);
  const result = judgement?.element ?? element("p.empty-note", {},
    "Figures, the confusion matrix and the worst mistakes appear here.");
  return fill(byId("view-evaluate"), chooser(), result);
}

function chooser() {
  const mine = labelledPictures(chosen.model);
  const here = mine.filter((entry) => entry.blob);
  return element("div.sheet", {}, element("h2", {}, "Judge the model on many pictures"),
    element("div.choices", {}, folder(), studio.data.length ? offered() : null, byHand(mine, here)));
}

function folder() {
  const id = fresh("folder");
  const note = element("p.soft.fine", {});
  const taken = () => {
    const items = itemsOf([...field.files]);
    if (items.length) begin(items);
    else tell(note, "There are no pictures in folders of that folder.");
  };
  const field = element("input.unseen", {
    type: "file", id, webkitdirectory: true, multiple: true, tabindex: -1, "aria-label": "Folder of pictures",
    change: taken,
  });
  return element("section.choice", {}, element("h3", {}, "A folder of yours"),
    element("p.soft", {}, "With one folder for each label, named as the label: ",
      element("code", {}, "cat/1.jpg"), ", ", element("code", {}, "dog/7.jpg"), "."),
    field, button("Choose a folder", () => field.click(), { kind: "button.main" }), note);
}

// "held-out/cat/1.jpg" is a picture of a cat.
function itemsOf(files) {
  return files.filter((file) => isPicture(file) && !file.name.startsWith(".")).map((file) => {
    const parts = (file.webkitRelativePath || file.name).split("/");
    return { path: parts.slice(-2).join("/"), file, depth: parts.length };
  }).filter(({ depth }) => depth > 1);
}

function offered() {
  const data = element("select", { id: fresh("data") },
    studio.data.map(({ name, count: many }) =>
      element("option", { value: name }, many === null ? name : `${name} (${many})`)));
  return element("section.choice", {}, element("h3", {}, "Data of this studio"),
    element("p.soft", {}, "Offered by whoever started it."),
    element("div.row", {}, element("label.unseen", { for: data.id }, "Data"), data,
      button("Judge", () => beginOn(data.value), { kind: "button.main" })));
}

function byHand(mine, here) {
  const gone = mine.length - here.length;
  return element("section.choice", {}, element("h3", {}, "Your labelled pictures"),
    element("p.soft", {}, mine.length ? `${count(here.length, "picture")} with a label that you gave by hand.` : "Give pictures their right answers below what the model says, in Try it.",
      gone ? ` ${count(gone, "more")} from before the page was loaded; their pictures are not here any more.`.replace("mores", "more") : ""),
    button("Judge", () => begin(here.map(itemOf)), { disabled: !here.length }));
}

// Pictures of one name are kept apart by their places in the list.
const itemOf = ({ label, path, blob }, place, all) => {
  const name = path.split("/").pop();
  const isAlone = all.filter((other) => other.path.split("/").pop() === name).length === 1;
  return { path: `${label}/${isAlone ? name : `${place + 1}-${name}`}`, file: blob };
};

async function begin(items) {
  const judgement = new Judgement(chosen.model, items);
  await judgement.run(null);
}

async function beginOn(data) {
  await new Judgement(chosen.model, []).run(data);
}

/** One evaluation, from the first picture that is sent to the report. */
class Judgement {
  constructor(model, items) {
    Object.assign(this, { model, items, isOver: false });
    this.aborting = new AbortController();
    judgements.get(model)?.cancel();
    judgements.set(model, this);
    this.bar = element("progress", { max: 1, value: 0, "aria-label": "Progress of the evaluation" });
    this.note = element("p.progress-note", { role: "status" }, "Beginning…");
    this.stopButton = button("Cancel", () => this.cancel());
    this.result = element("div");
    this.element = element("div", {},
      element("div.sheet.running", {}, element("div.row", {}, this.note, this.stopButton), this.bar),
      this.result);
    show();
  }

  async run(data) {
    try {
      const { id } = await api.evaluations.begin(this.model, data);
      this.id = id;
      if (!data) await this.send();
      if (!data && !this.isOver) await api.evaluations.start(id);
      await this.follow();
    } catch (failure) {
      if (failure.name !== "AbortError") this.fail(failure);
    }
  }

  async send() {
    let next = 0, sent = 0;
    const total = this.items.length;
    const sendSome = async () => {
      while (next < total && !this.isOver) {
        const { path, file } = this.items[next++];
        const blob = await readablePicture(file);
        await api.patiently(() => api.evaluations.add(this.id, path, blob, this.aborting.signal));
        sent += 1;
        this.progress(sent / total / 2, `Sending ${sent} of ${count(total, "picture")}`);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, sendSome));
  }

  async follow() {
    for (;;) {
      const told = await api.patiently(() => api.evaluations.progress(this.id));
      if (["done", "cancelled", "failed"].includes(told.state)) return this.end(told);
      const share = told.count ? told.done / told.count : 0;
      const left = typeof told.seconds_left === "number" ? `, about ${duration(told.seconds_left)} left` : "";
      this.progress(this.items.length ? 0.5 + share / 2 : share,
        `Judged ${told.done} of ${told.count}, ${Math.round(told.rate ?? 0)} a second${left}`);
      await new Promise((done) => setTimeout(done, 300));
    }
  }

  progress(share, text) {
    this.bar.value = share;
    tell(this.note, text);
  }

  async cancel() {
    if (this.isOver) return;
    this.isOver = true;
    this.aborting.abort();
    tell(this.note, "Cancelling…");
    if (!this.id) return;
    try {
      await api.evaluations.cancel(this.id);
      await this.follow();
    } catch (failure) {
      complain(failure);
    }
  }

  end(told) {
    this.isOver = true;
    this.stopButton.remove();
    this.bar.remove();
    const states = { done: `Done: ${count(told.done ?? told.count, "picture")} judged`,
      cancelled: `Cancelled after ${count(told.done ?? 0, "picture")}`, failed: "The evaluation failed" };
    tell(this.note, states[told.state]);
    say(states[told.state]);
    fill(this.result, told.error ? element("p.problem", {}, told.error) : null,
      told.report ? report(told.report, (format) => api.evaluations.exported(this.id, format),
        (name) => api.evaluations.picture(this.id, name)) : null);
  }

  fail(failure) {
    this.isOver = true;
    this.stopButton.remove();
    this.bar.remove();
    tell(this.note, "The evaluation did not work out");
    fill(this.result, element("p.problem", {}, failure.message,
      failure.fine ? element("small.soft", {}, ` (${failure.fine})`) : null));
  }

}
