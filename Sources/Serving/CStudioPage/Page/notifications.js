// Notifications, and announcements to screen readers.

import { byId, element, setText } from "./dom.js";

/** Shows an error, with its status and code in the fine print. */
export function showError(error) {
  if (error?.name === "AbortError") return;
  if (error?.code === "offline") return;
  notify(error?.message ?? String(error), "error", error?.detail);
}

/** Shows a notification. Errors stay until they are closed; others disappear after a while. */
export function notify(text, kind = "success", detail = "") {
  const existing = [...byId("notifications").children].find((child) => child.dataset.text === text);
  if (existing) return;
  const node = element(
    `div.notification.${kind}`,
    { "data-text": text, role: kind === "error" ? "alert" : "status" },
    element("p", {}, text, detail ? element("small.muted", {}, ` (${detail})`) : null),
    element(
      "button.button-plain.button-icon",
      { type: "button", "aria-label": "Close this notification", click: () => node.remove() },
      "×",
    ),
  );
  byId("notifications").append(node);
  if (kind === "success") setTimeout(() => node.remove(), 6000);
}

/** Copies a text to the clipboard. */
export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    notify("Copied.");
  } catch {
    notify(
      "The browser denied access to the clipboard; select and copy the text instead.",
      "error",
    );
  }
}

let lastAnnouncement = 0;

/** Announces a text to screen readers. Live results are announced at most every 2.5 seconds. */
export function announce(text, isLive = false) {
  const now = performance.now();
  if (isLive && now - lastAnnouncement < 2500) return;
  lastAnnouncement = now;
  setText(byId("live-region"), text);
}
