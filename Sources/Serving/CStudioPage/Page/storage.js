// Values stored in this browser between visits.

const PREFIX = "tensorio-studio.";

/** Returns a stored value, or the fallback if there is none or it cannot be read. */
export function loadLocal(name, fallback) {
  try {
    const text = localStorage.getItem(PREFIX + name);
    return text === null ? fallback : JSON.parse(text);
  } catch {
    return fallback;
  }
}

/** Stores a value; returns false if the browser's storage is full or disabled. */
export function saveLocal(name, value) {
  try {
    localStorage.setItem(PREFIX + name, JSON.stringify(value));
    return true;
  } catch {
    return false;
  }
}
