// Keyboard shortcuts, and the help dialog that lists them.

import { byId, closeButton, element, setContent } from "./dom.js";
import { focusSelectedModel } from "./navigation.js";
import { modelNamed, navigate, selection, views, viewsOf } from "./state.js";
import { actions } from "./try.js";

const shortcuts = [
  ["1 … 6", "Try, About, Images, Evaluate, Labels, Teach"],
  ["O", "Choose images"],
  ["V", "Choose a video"],
  ["C", "Start or stop the camera"],
  ["L", "Start or stop listening to the microphone"],
  ["Space", "Pause or resume the camera or the video"],
  ["F", "Mirror the camera's image"],
  ["[  ]", "Previous or next image"],
  ["M", "Go to the list of models"],
  ["Ctrl V", "Paste an image"],
  ["?", "Help"],
  ["Esc", "Close a dialog"],
];

export function initShortcuts() {
  byId("open-help").addEventListener("click", showHelp);
  addEventListener("keydown", (event) => {
    const isIgnored = event.ctrlKey || event.metaKey || event.altKey || isTextField(event.target);
    if (isIgnored || document.querySelector("dialog[open]")) return;
    if (handleKey(event.key, event.target)) event.preventDefault();
  });
}

const isInside = (target, selector) => target instanceof HTMLElement && !!target.closest(selector);
const isTextField = (target) =>
  isInside(target, "input:not([type=checkbox]):not([type=radio]), textarea, select");
const isControl = (target) => isInside(target, "button, summary, a, input");

/** Performs the action of a key; returns whether there is one. */
function handleKey(key, target) {
  const action = actionFor(key.toLowerCase(), target);
  action?.();
  return action !== undefined;
}

/** The action of a key in the current view; undefined if there is none. */
function actionFor(key, target) {
  const view = views[Number(key) - 1];
  if (view && viewsOf(modelNamed(selection.model)).includes(view)) {
    return () => navigate(selection.model, view);
  }
  if (key === "?") return showHelp;
  if (key === "m") return focusModels;
  if (selection.view !== "try") return undefined;
  if (key === " ") {
    return actions.isMoving() && !isControl(target) ? actions.togglePause : undefined;
  }
  return {
    o: actions.chooseImages,
    c: actions.toggleCamera,
    v: actions.chooseVideo,
    f: actions.flip,
    l: actions.toggleListening,
    "[": () => actions.step(-1),
    "]": () => actions.step(1),
  }[key];
}

function focusModels() {
  if (byId("models-toggle").offsetParent) byId("models-toggle").click();
  else focusSelectedModel();
}

function showHelp() {
  const dialog = byId("help");
  const item = (title, text) => element("li", {}, element("b", {}, title), text);
  setContent(
    dialog,
    element(
      "div.dialog-header",
      {},
      element("h2", { id: "help-title" }, "Help"),
      closeButton(dialog),
    ),
    element(
      "p",
      {},
      "Select a model, then give it an image: drop it anywhere on the page, paste it, ",
      "choose a file or a sample, or use the camera. The result appears next to the image. ",
      "Images are sent only to the server that serves this page.",
    ),
    element(
      "ul",
      {},
      item(
        "Try",
        " runs the model on one input, alone or side by side with another model, and shows " +
          "the preprocessed input.",
      ),
      item("About", " shows the model's card, its inputs and outputs, and its model.json."),
      item("Evaluate", " evaluates the model on a folder of images with one subfolder per label."),
      item("Labels", " lists the labels that you gave to images."),
    ),
    element("h3", {}, "Keyboard shortcuts"),
    element(
      "table.shortcuts",
      {},
      element(
        "tbody",
        {},
        shortcuts.map(([keys, text]) =>
          element(
            "tr",
            {},
            element(
              "th",
              { scope: "row" },
              keys
                .split(" ")
                .filter(Boolean)
                .map((key) => element("kbd", {}, key)),
            ),
            element("td", {}, text),
          ),
        ),
      ),
    ),
  );
  dialog.showModal();
}
