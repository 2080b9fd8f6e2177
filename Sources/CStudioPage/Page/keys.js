// Shortcuts, and the page that tells of them.

import { byId, element, fill } from "./dom.js";
import { focusChosen } from "./models.js";
import { closer } from "./settings.js";
import { choose, chosen } from "./state.js";
import { acts } from "./try.js";

const shortcuts = [
  ["1 2 3 4", "Try it, About, Evaluate, Labels"],
  ["O", "Choose pictures"],
  ["C", "Camera on and off"],
  ["Space", "Pause the camera, and go on"],
  ["F", "Flip the camera's picture"],
  ["[  ]", "The picture before, the next one"],
  ["M", "Go to the list of models"],
  ["Ctrl V", "Paste a picture"],
  ["?", "This page"],
  ["Esc", "Close what is open"],
];

const views = ["try", "about", "evaluate", "labels"];

export function beginKeys() {
  byId("open-help").addEventListener("click", help);
  addEventListener("keydown", (event) => {
    const isForOthers = event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target);
    if (isForOthers || document.querySelector("dialog[open]")) return;
    if (press(event.key, event.target)) event.preventDefault();
  });
}

const isIn = (target, kinds) => target instanceof HTMLElement && !!target.closest(kinds);
const isTyping = (target) => isIn(target, "input:not([type=checkbox]):not([type=radio]), textarea, select");
const isControl = (target) => isIn(target, "button, summary, a, input");

function press(key, target) {
  const view = views[Number(key) - 1];
  if (view && chosen.model) return choose(chosen.model, view), true;
  if (key === "?") return help(), true;
  if (key.toLowerCase() === "m") return focusModels(), true;
  if (chosen.view !== "try") return false;
  const doing = {
    o: acts.choose, c: acts.camera, f: acts.flip, "[": () => acts.step(-1), "]": () => acts.step(1),
  }[key.toLowerCase()];
  if (doing) return doing(), true;
  if (key === " " && acts.isLive() && !isControl(target)) return acts.pause(), true;
  return false;
}

function focusModels() {
  if (byId("models-toggle").offsetParent) byId("models-toggle").click();
  else focusChosen();
}

function help() {
  fill(byId("help"), element("div.dialog-head", {}, element("h2", { id: "help-title" }, "How this works"),
    closer(byId("help"))),
    element("p", {}, "Choose a model, then give it a picture: drop it anywhere, paste it, choose a file, ",
      "take a sample, or use the camera. The answer appears beside it. ",
      "Everything stays between this page and the server that it came from."),
    element("ul", {},
      element("li", {}, element("b", {}, "Try it"),
        " answers for one input, alone or side by side with another model, and shows what the model saw."),
      element("li", {}, element("b", {}, "About"),
        " has the model's card, its inputs and outputs, and its description."),
      element("li", {}, element("b", {}, "Evaluate"),
        " judges the model on a folder of pictures whose names of folders are their right answers."),
      element("li", {}, element("b", {}, "Labels"), " lists the right answers that you gave by hand.")),
    element("h3", {}, "Keys"),
    element("table.keys", {}, element("tbody", {},
      shortcuts.map(([key, what]) => element("tr", {},
      element("th", { scope: "row" }, key.split(" ").filter(Boolean).map((each) => element("kbd", {}, each))),
      element("td", {}, what))))));
  byId("help").showModal();
}
