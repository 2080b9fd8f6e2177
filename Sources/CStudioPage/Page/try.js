// Trying a model, or two side by side, on pictures, the camera or values.

import * as api from "./api.js";
import { Camera } from "./camera.js";
import { byId, fill } from "./dom.js";
import { ValuesForm } from "./form.js";
import { LabelForm } from "./labelform.js";
import { Lane } from "./lane.js";
import { complain, notice, say } from "./notices.js";
import { isPicture } from "./pictures.js";
import { saw } from "./saw.js";
import { Source } from "./source.js";
import { chosen, modelNamed, when } from "./state.js";

let lanes = [], other = null, form = null, picture = null, visit = 0, building = Promise.resolve();

const camera = new Camera({
  started: (stream) => {
    source.cameraButton.textContent = "Stop the camera";
    labelForm.suit(null);
    lanes.forEach((lane) => { lane.stage.watch(stream,
      camera.isMirrored); lane.answers.forget(); lane.timing.forget(); });
  },
  frame,
  stopped: leaveCamera,
  mirrored: (isMirrored) => lanes.forEach((lane) => lane.stage.mirror(isMirrored)),
  paused: (isPaused) => lanes.forEach((lane) => lane.stage.pause(isPaused)),
  refused: (sentence) => { leaveCamera(); notice(sentence, "bad"); },
});

const source = new Source({
  camera,
  picked: (given) => { camera.stop(); tryPicture(given); },
  compared: (name) => { other = name; building = build(); },
  least: () => picture && tryPicture(picture),
});

const labelForm = new LabelForm();

/** Fills the view, and again whenever another model is chosen. */
export function beginTrying() {
  byId("source").append(source.element);
  when("model", () => { other = null; building = build(); });
  when("view", () => chosen.view !== "try" && camera.stop());
}

/** Takes files that were dropped or pasted, as soon as it is known what the model takes. */
export async function give(files, target) {
  await building;
  const slots = form?.inputs.filter((input) => input.take) ?? [];
  const slot = slots.find((input) => input.element.contains(target)) ?? slots[0];
  const first = files.find(isPicture);
  if (slot && first) return slot.take(first);
  if (!lanes[0]?.takesPicture) return notice("This model takes no pictures; fill in the form instead.", "bad");
  return source.add(files);
}

/** What the keyboard may do here. */
export const acts = {
  choose: () => source.chooseButton.click(),
  camera: () => source.cameraButton.click(),
  pause: () => camera.pause(),
  flip: () => camera.flip(),
  step: (by) => source.step(by),
  isLive: () => camera.isOn,
};

async function build() {
  const mine = ++visit;
  const model = modelNamed(chosen.model);
  camera.stop();
  lanes.forEach((lane) => lane.stop());
  form = null;
  source.offer(chosen.model, other);
  if (!model || model.broken) return fill(byId("lanes"));
  const next = [chosen.model, other].filter(Boolean).map((name) => new Lane(name));
  fill(byId("lanes"), next.map((lane) => lane.element));
  byId("lanes").classList.toggle("two", next.length === 2);
  lanes = next;
  try {
    await Promise.all(next.map((lane) => lane.prepare()));
    if (mine === visit) await settle(mine);
  } catch (failure) {
    if (mine === visit) next[0].fail(failure);
  }
}

async function settle(mine) {
  const [first] = lanes;
  form = first.takesPicture ? null : new ValuesForm(first.about.inputs, tryValues);
  labelForm.suit(first.takesPicture ? first : null);
  source.suit({ takesPicture: first.takesPicture, isDetector: lanes.some((lane) => lane.isDetector), form,
    name: chosen.model });
  camera.side = first.side;
  const samples = await api.samples(chosen.model).catch(() => []);
  if (mine !== visit) return;
  source.setSamples(samples.filter((sample) => first.takesPicture === sample.type.startsWith("image/")),
    fetchSample);
  begin(first);
}

// One's own picture stays while models change; else the first sample shows what the model does.
function begin(first) {
  const kept = first.takesPicture && picture && (!picture.isSample || source.samples.some((sample) => sample.url === picture.url)) ? picture : null;
  const start = kept ?? source.samples[0];
  if (!start) {
    saw(null, null);
    return form ? null : lanes.forEach((lane) => lane.stage.clear());
  }
  source.current = kept ? [...source.own,
    ...source.samples].find((each) => each.url === kept.url) ?? kept : start;
  source.show();
  return kept ? tryPicture(kept) : fetchSample(start);
}

async function fetchSample(sample) {
  const mine = visit;
  camera.stop();
  try {
    const response = await fetch(sample.url);
    if (!response.ok) throw new Error(`The sample ${sample.name} cannot be read.`);
    if (!sample.type.startsWith("image/")) {
      const values = await response.json();
      if (mine !== visit || !form) return;
      form.write(values);
      return await tryValues();
    }
    const blob = await response.blob();
    if (mine === visit && source.current === sample) tryPicture({ ...sample, blob, path: sample.name });
  } catch (failure) {
    complain(failure);
  }
}

async function tryPicture(given) {
  picture = given;
  const blob = given.blob;
  labelForm.wait(given);
  saw(chosen.model, blob);
  await Promise.all(lanes.map(async (lane) => {
    await lane.stage.show(given);
    if (picture !== given || !lanes.includes(lane)) return;
    if (!lane.takesPicture) return lane.fail({ message: "This model does not take one picture, so it cannot stand beside." });
    if (await lane.run(blob, { size: lane.stage.size, least: least() })) tellAnswer(lane, given);
  }));
}

function tellAnswer(lane, given) {
  tell(lane);
  if (lane === lanes[0]) labelForm.answered(given, lane.answers.suggestion);
}

// A model that somebody has left keeps silent.
function tell(lane) {
  if (lanes.includes(lane)) say(`${lane.title.textContent}: ${lane.answers.summary}.`);
}

async function tryValues() {
  const mine = [...lanes];
  saw(null, null);
  try {
    const values = await form.read();
    if (mine[0] !== lanes[0]) return;
    await Promise.all(mine.map(async (lane) => (await lane.run(values)) && tell(lane)));
  } catch (failure) {
    mine[0].fail(failure);
  }
}

async function frame(blob, size) {
  const options = { isLive: true, size, isSmooth: camera.smooth.checked, least: least() };
  saw(chosen.model, blob, true);
  await Promise.all(lanes.filter((lane) => lane.takesPicture).map((lane) => lane.run(blob, options)));
  say(lanes.map((lane) => lane.answers.summary).filter(Boolean).join("; "), true);
}

function leaveCamera() {
  source.cameraButton.textContent = "Use the camera";
  lanes.forEach((lane) => { lane.stop(); lane.answers.forget(); });
  if (lanes[0]?.takesPicture) labelForm.suit(lanes[0]);
  if (picture && lanes[0]?.takesPicture && source.current) lanes.forEach((lane) => lane.stage.show(picture));
  else lanes.forEach((lane) => lane.stage.clear());
}

const least = () => (source.least.value === "" ? null : Math.min(1,
  Math.max(0, Number(source.least.value) || 0)));
