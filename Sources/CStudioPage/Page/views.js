// The four tabs.

import { byId } from "./dom.js";
import { choose, chosen, modelNamed, when } from "./state.js";

export function beginViews() {
  const tabs = [...document.querySelectorAll("[role=tab]")];
  for (const tab of tabs) {
    tab.addEventListener("click", () => choose(chosen.model, tab.dataset.view));
    tab.addEventListener("keydown", (event) => move(event, tabs));
  }
  when("view", () => tabs.forEach(show));
}

function show(tab) {
  const isBroken = !!modelNamed(chosen.model)?.broken;
  const view = isBroken ? "about" : chosen.view;
  const isChosen = tab.dataset.view === view;
  tab.setAttribute("aria-selected", String(isChosen));
  tab.tabIndex = isChosen ? 0 : -1;
  tab.hidden = isBroken && !isChosen;
  byId(`view-${tab.dataset.view}`).hidden = !isChosen;
}

function move(event, tabs) {
  const steps = { ArrowRight: 1, ArrowLeft: -1, Home: -tabs.length, End: tabs.length };
  if (!(event.key in steps)) return;
  event.preventDefault();
  const shown = tabs.filter((tab) => !tab.hidden);
  const at = shown.indexOf(event.target) + steps[event.key];
  const next = Math.abs(steps[event.key]) > 1 ? Math.min(shown.length - 1,
    Math.max(0, at)) : (at + shown.length) % shown.length;
  shown[next].focus();
  shown[next].click();
}
