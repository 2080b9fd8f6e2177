// The entry point: initializes all parts of the page.

import * as api from "./api.js";
import { button, byId, element, setContent } from "./dom.js";
import { initEvaluate } from "./evaluate.js";
import { initImages, runOnImages } from "./image-grid.js";
import { importFile, initImport, isImportable } from "./import.js";
import { initFileDrop } from "./input-source.js";
import { initLabels } from "./labels.js";
import { initAbout } from "./metadata.js";
import { initModels, initTabs } from "./navigation.js";
import { notify, showError } from "./notifications.js";
import { initPreprocessed } from "./preprocessed.js";
import { initSettings } from "./settings.js";
import { initShortcuts } from "./shortcuts.js";
import { applyLocation, navigate, onChange, refresh, selection } from "./state.js";
import { initTeach } from "./teach.js";
import { addFiles, initTry } from "./try.js";

const RECONNECT_INTERVAL = 2000;

initSettings();
initModels();
initTabs();
initAbout();
initTry(runOnImages);
initPreprocessed();
initImages();
initEvaluate();
initLabels();
initTeach();
initImport();
initShortcuts();
initFileDrop(handleFiles);
initReconnect();
onChange("view", closeDialogs);
addEventListener("popstate", applyLocation);
addEventListener("hashchange", applyLocation);
start();

async function start() {
  try {
    await refresh();
    applyLocation();
  } catch (error) {
    showError(error);
  }
}

function closeDialogs() {
  for (const dialog of document.querySelectorAll("dialog[open]")) dialog.close();
}

function handleFiles(files, target) {
  const model = files.find(isImportable);
  if (model) return importFile(model);
  if (selection.view !== "try" && selection.model) navigate(selection.model, "try");
  return addFiles(files, target);
}

// While the server is not responding, it is contacted every two seconds.
function initReconnect() {
  const banner = byId("offline-banner");
  const pingServer = () => api.checkHealth().catch(() => {});
  let timer;
  api.connection.addEventListener("offline", () => {
    setContent(
      banner,
      element("p", {}, "The server is not responding. Reconnecting every two seconds."),
      button("Reconnect now", pingServer),
    );
    banner.hidden = false;
    timer = setInterval(pingServer, RECONNECT_INTERVAL);
  });
  api.connection.addEventListener("online", () => {
    clearInterval(timer);
    banner.hidden = true;
    notify("The server is responding again.");
    if (!selection.model && !selection.problem) start();
  });
}
