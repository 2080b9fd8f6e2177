// The Try tab: runs one model, or two side by side, on images, camera frames or values.

import * as api from "./api.js";
import { BoxForm } from "./box-form.js";
import { Camera } from "./camera.js";
import { conversationWith } from "./chat.js";
import { byId, setContent } from "./dom.js";
import { InputSource } from "./input-source.js";
import { LabelForm } from "./labels.js";
import { MaskForm } from "./mask-form.js";
import { ModelPanel } from "./model-panel.js";
import { missingRuntimeNotice } from "./missing-runtime.js";
import { announce, notify, showError } from "./notifications.js";
import { showPreprocessed } from "./preprocessed.js";
import { modelNamed, onChange, selection } from "./state.js";
import { ValuesForm } from "./values-form.js";
import { VideoRun } from "./video.js";

/** Longer inputs are not stored with a label. */
const MAX_LABELED_VALUES = 4000;

let panels = [],
  comparisonModel = null,
  form = null,
  conversation = null,
  currentImage = null;
// Identifies the latest build, so that results of earlier ones are discarded.
let buildID = 0,
  building = Promise.resolve();

const camera = new Camera({
  onStart: (stream) => {
    video.close();
    source.cameraButton.textContent = "Stop the camera";
    attachForms(null);
    for (const panel of panels) {
      panel.inputView.showStream(stream, camera.isMirrored);
      panel.outputs.resetHistory();
      panel.latency.reset();
    }
  },
  onFrame: runFrame,
  onStop: handleCameraStopped,
  onMirror: (isMirrored) => {
    for (const panel of panels) panel.inputView.setMirrored(isMirrored);
  },
  onPause: (isPaused) => {
    for (const panel of panels) panel.inputView.setPaused(isPaused);
  },
  onError: (message) => {
    handleCameraStopped();
    notify(message, "error");
  },
});

const video = new VideoRun({
  onOpen: () => {
    camera.stop();
    attachForms(null);
    showPreprocessed(null, null);
    source.current = null;
    source.render();
    for (const panel of panels) {
      panel.cancel();
      panel.inputView.clear();
      panel.latency.reset();
    }
    panels[1]?.showError({ message: "A video is run by the first model only." });
  },
  onFrame: async (image, record) => {
    const [panel] = panels;
    await panel?.inputView.showFrame(image);
    panel?.showFrame(record, source.options);
  },
  onClose: showStill,
  onReturn: () => showInitialInput(true),
  options: () => ({
    min_score: source.options.minScore,
    top: panels[0]?.labelCount ? source.options.top : null,
  }),
});

const source = new InputSource({
  camera,
  video,
  onSelect: (image) => {
    camera.stop();
    video.close();
    runImage(image);
  },
  onCompare: (name) => {
    comparisonModel = name;
    building = build();
  },
  onOptionsChange: () => {
    if (form) runValues();
    else if (video.isOpen) video.restart();
    else if (currentImage) runImage(currentImage);
  },
});

const labelForm = new LabelForm();
/** The forms in which the user draws on the image. */
const drawingForms = [new BoxForm(), new MaskForm()];

/** Moves the forms for correct labels below the result of a panel, or removes them. */
function attachForms(panel) {
  for (const each of [labelForm, ...drawingForms]) each.attach(panel);
}

/** Builds the tab, and rebuilds it when another model is selected; `onMany` runs many images. */
export function initTry(onMany) {
  source.onMany = onMany;
  source.onVideo = (file) => video.open(selection.model, file);
  byId("input-source").append(source.element);
  onChange("model", () => {
    comparisonModel = null;
    building = build();
  });
  onChange("state", updateComparison);
  onChange("view", () => {
    if (selection.view === "try") return;
    camera.stop();
    video.pause();
    form?.listening?.stop();
  });
}

/** Adds dropped or pasted files, once the model's inputs are known. */
export async function addFiles(files, target) {
  await building;
  const slots = form?.inputs.filter((input) => input.setFile) ?? [];
  const slot = slots.find((input) => input.element.contains(target)) ?? slots[0];
  const firstFile = slot && files.find((file) => slot.accepts(file));
  if (firstFile) return slot.setFile(firstFile);
  if (!panels[0]?.acceptsImage) {
    return notify("This model does not take images; fill in the form instead.", "error");
  }
  return source.add(files);
}

/** The actions of this tab's keyboard shortcuts. */
export const actions = {
  chooseImages: () => source.chooseButton.click(),
  chooseVideo: () => source.videoButton.click(),
  toggleCamera: () => source.cameraButton.click(),
  togglePause: () => (video.isOpen ? video.togglePlay() : camera.togglePause()),
  flip: () => camera.flip(),
  toggleListening: () => form?.listening?.button.click(),
  step: (offset) => source.step(offset),
  isMoving: () => camera.isOn || video.isOpen,
};

// Imports and removals change the models that can be compared.
function updateComparison() {
  const isRemoved = comparisonModel && !modelNamed(comparisonModel);
  if (isRemoved) comparisonModel = null;
  source.setComparisonModels(selection.model, comparisonModel);
  if (isRemoved) building = build();
}

async function build() {
  const id = ++buildID;
  const model = modelNamed(selection.model);
  camera.stop();
  video.close();
  for (const panel of panels) panel.cancel();
  form?.listening?.cancel();
  form = null;
  conversation?.stop();
  conversation = null;
  source.setComparisonModels(selection.model, comparisonModel);
  if (!model || model.error) {
    return showWithoutPanels();
  }
  if (model.missing_runtime) return showWithoutPanels(missingRuntimeNotice(model));
  panels = [selection.model, comparisonModel].filter(Boolean).map((name) => new ModelPanel(name));
  const newPanels = panels;
  byId("input-source").hidden = false;
  setContent(
    byId("model-panels"),
    newPanels.map((panel) => panel.element),
  );
  byId("model-panels").classList.toggle("comparing", newPanels.length === 2);
  try {
    await Promise.all(newPanels.map((panel) => panel.load()));
    if (id === buildID) await showInputs(id);
  } catch (error) {
    if (id === buildID) newPanels[0].showError(error);
  }
}

// Without panels there is nothing to give images to.
function showWithoutPanels(notice) {
  panels = [];
  showPreprocessed(null, null);
  byId("input-source").hidden = true;
  return setContent(byId("model-panels"), notice);
}

async function showInputs(id) {
  const [first] = panels;
  if (first.writesText) return showConversation(first, id);
  const { acceptsImage } = first;
  const listener = panels.length === 1 && first.transcribes ? first : null;
  // A change of the form of an earlier model is reported after a delay.
  const runIfCurrent = () => form === values && runValues();
  const values = acceptsImage
    ? null
    : new ValuesForm(first.metadata.inputs, runIfCurrent, listener);
  form = values;
  attachForms(first);
  source.configure({
    acceptsImage,
    // Two models share the fields, which are above both.
    form: panels.length === 2 ? form : null,
    hasMinimumScore: panels.some((panel) => panel.hasMinimumScore),
    defaultMinScore: first.defaultMinScore,
    labelCount: Math.max(...panels.map((panel) => panel.labelCount)),
    name: selection.model,
  });
  // The sound shows what the first model has found.
  if (form) first.useForm(form, panels.length === 2);
  camera.facingMode = first.cameraFacing;
  const samples = await api.getSamples(selection.model).catch(() => []);
  if (id !== buildID) return;
  source.setSamples(
    samples.filter((sample) => acceptsImage === sample.type.startsWith("image/")),
    fetchSample,
  );
  showInitialInput(acceptsImage);
}

// A text is written when it is sent, not while the prompt is typed.
async function showConversation(panel, id) {
  const samples = await api.getSamples(panel.name).catch(() => []);
  if (id !== buildID) return;
  showWithoutPanels();
  conversation = conversationWith(panel, samples);
  setContent(byId("model-panels"), conversation.element);
}

// The user's own image stays when another model is selected; otherwise the first sample is run.
function showInitialInput(acceptsImage) {
  const isAvailable =
    currentImage &&
    (!currentImage.isSample || source.samples.some((sample) => sample.url === currentImage.url));
  const retained = acceptsImage && isAvailable ? currentImage : null;
  const initial = retained ?? source.samples[0];
  if (!initial) {
    showPreprocessed(null, null);
    if (!form) for (const panel of panels) panel.inputView.clear();
    return null;
  }
  source.current = retained
    ? (source.allImages.find((image) => image.url === retained.url) ?? retained)
    : initial;
  source.render();
  return retained ? runImage(retained) : fetchSample(initial);
}

async function fetchSample(sample) {
  const id = buildID;
  camera.stop();
  video.close();
  try {
    const response = await fetch(sample.url);
    if (!response.ok) throw new Error(`The sample ${sample.name} cannot be read.`);
    if (sample.type.startsWith("audio/")) {
      const blob = await response.blob();
      const slot = form?.inputs.find((input) => input.setFile);
      if (id === buildID && slot) await slot.setFile(new File([blob], sample.name, blob));
      return;
    }
    if (!sample.type.startsWith("image/")) {
      const isText = sample.type.startsWith("text/plain");
      const values = await (isText ? response.text() : response.json());
      if (id !== buildID || !form) return;
      form.setValues(values);
      await runValues();
      return;
    }
    const blob = await response.blob();
    if (id === buildID && source.current === sample) {
      runImage({ ...sample, blob, path: sample.name });
    }
  } catch (error) {
    showError(error);
  }
}

async function runImage(image) {
  currentImage = image;
  for (const each of [labelForm, ...drawingForms]) each.setImage(image);
  showPreprocessed(selection.model, image.blob);
  await Promise.all(
    panels.map(async (panel) => {
      await panel.inputView.showImage(image);
      if (currentImage !== image || !panels.includes(panel)) return;
      if (!panel.acceptsImage) {
        panel.showError({
          message: "This model doesn't take a single image and can't be compared side by side.",
        });
        return;
      }
      const options = { size: panel.inputView.size, ...source.options };
      if (await panel.run(image.blob, options)) announceImageResult(panel, image);
    }),
  );
}

function announceImageResult(panel, image) {
  announceResult(panel);
  if (panel !== panels[0]) return;
  labelForm.setPrediction(image, panel.outputs.topLabel ?? panel.outputs.number);
  for (const each of drawingForms) each.setPrediction(image);
}

function announceValues(panel, values) {
  announceResult(panel);
  if (panel !== panels[0]) return;
  const columns = columnsOf(values, panel.metadata.inputs);
  const path = columns && JSON.stringify(Object.values(columns));
  if (path?.length > MAX_LABELED_VALUES) labelForm.setImage(null);
  else if (path) {
    const prediction = panel.outputs.topLabel ?? panel.outputs.number;
    labelForm.setPrediction({ path: path.slice(1, -1), values: columns }, prediction);
  }
}

/** Returns values as columns of a table: those of the features of one input, or one for each input. */
function columnsOf(values, inputs) {
  const [{ name, features }] = inputs;
  if (inputs.length === 1 && features && features.length === values[name]?.length) {
    return Object.fromEntries(features.map((feature, index) => [feature, values[name][index]]));
  }
  const isFile = (value) => typeof value === "string" && value.startsWith("base64:");
  if (Object.values(values).flat().some(isFile)) return null;
  const cell = (value) => (Array.isArray(value) ? JSON.stringify(value) : value);
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, cell(value)]));
}

// Results of a panel that has been replaced are not announced.
function announceResult(panel) {
  if (panels.includes(panel)) announce(`${panel.title.textContent}: ${panel.outputs.summary}.`);
}

async function runValues() {
  const runPanels = [...panels];
  showPreprocessed(null, null);
  try {
    const values = await form.values();
    if (runPanels[0] !== panels[0]) return;
    await Promise.all(
      runPanels.map(
        async (panel) => (await panel.run(values, source.options)) && announceValues(panel, values),
      ),
    );
  } catch (error) {
    runPanels[0].showError(error);
  }
}

async function runFrame(blob, size) {
  const options = {
    isLive: true,
    size,
    isSmooth: camera.smoothScores.checked,
    ...source.options,
  };
  showPreprocessed(selection.model, blob, true);
  await Promise.all(
    panels.filter((panel) => panel.acceptsImage).map((panel) => panel.run(blob, options)),
  );
  announce(
    panels
      .map((panel) => panel.outputs.summary)
      .filter(Boolean)
      .join("; "),
    true,
  );
}

function handleCameraStopped() {
  source.cameraButton.textContent = "Use the camera";
  for (const panel of panels) {
    panel.cancel();
    panel.outputs.resetHistory();
  }
  showStill();
}

/** Shows the current image again, after the camera or a video. */
function showStill() {
  const acceptsImage = panels[0]?.acceptsImage;
  if (acceptsImage) attachForms(panels[0]);
  if (currentImage && acceptsImage && source.current) {
    for (const panel of panels) panel.inputView.showImage(currentImage);
  } else {
    for (const panel of panels) panel.inputView.clear();
  }
}
