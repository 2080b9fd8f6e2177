// What the model saw: the picture as it was prepared, whole and channel by channel.

import * as api from "./api.js";
import { byId, element, fill } from "./dom.js";
import { number } from "./words.js";

let last = null, asking = null, wasAskedAt = 0;

/** Tells of another picture; it is asked for when somebody looks, and at most once a second while live. */
export function saw(model, blob, isLive = false) {
  last = blob ? { model, blob } : null;
  byId("saw").hidden = !blob;
  if (!blob) asking?.abort();
  else if (byId("saw").open && !(isLive && (asking || performance.now() - wasAskedAt < 1000))) look();
}

/** Looks whenever the part is opened. */
export function beginSaw() {
  byId("saw").addEventListener("toggle", () => byId("saw").open && last && look());
}

async function look() {
  asking?.abort();
  const mine = (asking = new AbortController());
  wasAskedAt = performance.now();
  try {
    const { inputs } = await api.seen(last.model, last.blob, mine.signal);
    fill(byId("saw-body"), inputs.length ? inputs.map(input) : element("p.soft", {},
      "The model takes no pictures."));
  } catch (failure) {
    if (failure.name !== "AbortError") fill(byId("saw-body"), element("p.problem", {}, failure.message));
  } finally {
    if (asking === mine) asking = null;
  }
}

function input({ name, width, height, range, picture, channels, transform }) {
  const facts = transform?.channels ?? [];
  return element("div.seen", {},
    element("div.channels", {},
      channel(`${name}, ${width} × ${height}`, picture, whole(range)),
      channels.length > 1 ? channels.map((each, place) => channel(each.name, each.picture,
        span(facts[place]))) : null),
    element("p.soft", {}, how(transform, channels.length === 1 ? facts[0] : null)));
}

const channel = (name, png, note) => element("figure", {},
  element("img.tiny", { src: `data:image/png;base64,${png}`, alt: `Seen by the model: ${name}` }),
  element("figcaption", {}, element("b", {}, name), element("span.soft", {}, note)));

const whole = (range) => (range ? `numbers from ${number(range[0])} to ${number(range[1])}` : "");
const span = (fact) => (fact ? `${number(fact.min)} to ${number(fact.max)}, mean ${number(fact.mean)}` : "");

function how(transform, onlyChannel) {
  if (!transform) return "";
  const fits = { crop: "cropped in the middle", stretch: "stretched", letterbox: "fitted between bars" };
  const from = transform.picture ? `The picture of ${transform.picture.width} × ${transform.picture.height} was ` : "The picture was ";
  const parts = [`${fits[transform.fit] ?? transform.fit ?? "prepared"} and scaled with the ${transform.filter ?? "usual"} filter`];
  const scale = transform.from_picture ? Math.hypot(transform.from_picture.a, transform.from_picture.b) : null;
  if (scale) parts.push(`by ${number(scale)}`);
  const tensor = [transform.format, transform.dtype, transform.layout].filter(Boolean).join(", ");
  const mean = onlyChannel ? ` Mean ${number(onlyChannel.mean)}.` : "";
  return `${from}${parts.join(" ")}; the tensor holds ${tensor}.${mean}`;
}
