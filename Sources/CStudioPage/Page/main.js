// The page, put together.

import * as api from "./api.js";
import { beginAbout } from "./about.js";
import { beginImport, importFile } from "./bundles.js";
import { button, byId, element, fill } from "./dom.js";
import { beginEvaluating } from "./evaluate.js";
import { beginKeys } from "./keys.js";
import { beginLabels } from "./labels.js";
import { beginModels } from "./models.js";
import { complain, notice } from "./notices.js";
import { isPacked } from "./pictures.js";
import { beginSaw } from "./saw.js";
import { beginSettings } from "./settings.js";
import { beginDrops } from "./source.js";
import { choose, chosen, follow, refresh } from "./state.js";
import { beginTrying, give } from "./try.js";
import { beginViews } from "./views.js";

beginSettings();
beginModels();
beginViews();
beginAbout();
beginTrying();
beginSaw();
beginEvaluating();
beginLabels();
beginImport();
beginKeys();
beginDrops(take);
beginWaiting();
addEventListener("popstate", follow);
addEventListener("hashchange", follow);
start();

async function start() {
  try {
    await refresh();
    follow();
  } catch (failure) {
    complain(failure);
  }
}

function take(files, target) {
  const packed = files.find(isPacked);
  if (packed) return importFile(packed);
  if (chosen.view !== "try" && chosen.model) choose(chosen.model, "try");
  return give(files, target);
}

// While the server does not answer, it is asked every other second whether it is back.
function beginWaiting() {
  const banner = byId("offline");
  let waiting;
  const again = () => api.isAlive().catch(() => {});
  api.connection.addEventListener("lost", () => {
    fill(banner, element("p", {}, "The server does not answer. It is asked again every two seconds."),
      button("Ask now", again));
    banner.hidden = false;
    waiting = setInterval(again, 2000);
  });
  api.connection.addEventListener("found", () => {
    clearInterval(waiting);
    banner.hidden = true;
    notice("The server is back.");
    if (!chosen.model) start();
  });
}
