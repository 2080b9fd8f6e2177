// What this browser remembers between visits.

const PREFIX = "tensorio-studio.";

/** What was kept under a name; the fallback where there is nothing, or nothing that can be read. */
export function recall(name, fallback) {
  try {
    const text = localStorage.getItem(PREFIX + name);
    return text === null ? fallback : JSON.parse(text);
  } catch {
    return fallback;
  }
}

/** Keeps something; false where the browser refuses, for there is no room or it keeps nothing. */
export function keep(name, value) {
  try {
    localStorage.setItem(PREFIX + name, JSON.stringify(value));
    return true;
  } catch {
    return false;
  }
}
