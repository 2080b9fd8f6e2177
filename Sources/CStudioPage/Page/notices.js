// What went wrong or well, said once, in words.

import { byId, element, tell } from "./dom.js";

/** Shows a failure as a sentence, with status and code in small print. */
export function complain(failure) {
  if (failure?.name === "AbortError") return;
  if (failure?.code === "offline") return;
  notice(failure?.message ?? String(failure), "bad", failure?.fine);
}

/** Shows a sentence until somebody closes it, or for a while when it is good news. */
export function notice(text, kind = "good", fine = "") {
  const known = [...byId("notices").children].find((child) => child.dataset.text === text);
  if (known) return;
  const note = element(`div.notice.${kind}`, { "data-text": text, role: kind === "bad" ? "alert" : "status" },
    element("p", {}, text, fine ? element("small.soft", {}, ` (${fine})`) : null),
    element("button.plain.icon",
      { type: "button", "aria-label": "Close this notice", click: () => note.remove() }, "×"));
  byId("notices").append(note);
  if (kind === "good") setTimeout(() => note.remove(), 6000);
}

let lastSaid = 0;

/** Tells readers of the screen something; seldom enough to be listened to. */
export function say(text, isLive = false) {
  const now = performance.now();
  if (isLive && now - lastSaid < 2500) return;
  lastSaid = now;
  tell(byId("said"), text);
}
