// A sound with its waveform, on which the sections that a model has found are drawn. A click plays from there.

import { element, setText } from "./dom.js";
import { formatTime } from "./format.js";

/** Enough for the extremes of a waveform; sounds are decoded at this rate to be drawn. */
const DRAWN_RATE = 16_000;
/** Larger files are played, but not drawn. */
const MAX_DRAWN_BYTES = 256 << 20;
const MAX_BUCKETS = 4000;
const AXIS_HEIGHT = 16;
const MIN_TICK_DISTANCE = 64;
const TICK_STEPS = [0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 300, 600, 3600];

/** Dispatches "time" while the sound plays, and when another position is chosen. */
export class SoundPlayer extends EventTarget {
  constructor(name) {
    super();
    this.name = name;
    this.timeline = { sections: [], marks: [], curve: null };
    this.audio = element("audio", { controls: true, hidden: true });
    this.canvas = element("canvas", { "aria-hidden": "true" });
    this.note = element("p.muted.fine-print", { hidden: true });
    this.waveform = element(
      "div.waveform",
      {
        role: "slider",
        tabindex: "0",
        "aria-label": `Position in ${name}`,
        "aria-valuemin": "0",
        hidden: true,
        click: (event) => this.play(this.timeAt(event)),
        keydown: (event) => this.handleKey(event),
      },
      this.canvas,
    );
    this.element = element("div.sound-player", {}, this.waveform, this.note, this.audio);
    this.audio.addEventListener("play", () => this.follow());
    for (const event of ["seeked", "pause"]) {
      this.audio.addEventListener(event, () => this.update());
    }
    new ResizeObserver(() => this.draw()).observe(this.waveform);
    new MutationObserver(() => this.draw()).observe(document.documentElement, {
      attributeFilter: ["data-theme"],
    });
  }

  get time() {
    return this.audio.currentTime;
  }

  /** Loads a sound, without the sections of the one before. */
  async load(blob) {
    if (this.url) URL.revokeObjectURL(this.url);
    this.url = URL.createObjectURL(blob);
    this.audio.src = this.url;
    this.audio.hidden = false;
    this.setTimeline();
    const url = this.url;
    const decoded = blob.size > MAX_DRAWN_BYTES ? null : await decode(blob);
    if (this.url !== url) return;
    this.duration = decoded?.duration;
    this.peaks = decoded ? peaksOf(decoded) : null;
    this.waveform.hidden = !decoded;
    this.note.hidden = !!decoded;
    setText(this.note, decoded ? "" : "The browser cannot draw the waveform of this sound.");
    this.update();
  }

  /** Sets what is drawn over the waveform: `{sections: [{start, end, title, color}], marks, curve}`. */
  setTimeline(timeline = { sections: [], marks: [], curve: null }) {
    this.timeline = timeline;
    this.draw();
  }

  /** Plays from a time on, up to another one if there is one. */
  async play(start, end = null) {
    this.audio.currentTime = start;
    this.end = end;
    // Another position may be chosen before the sound begins.
    await this.audio.play().catch(() => {});
  }

  toggle() {
    if (this.audio.paused) this.play(this.time);
    else this.audio.pause();
  }

  // The position follows the frames of the screen, as the events of the sound are too rare for words.
  follow() {
    if (this.audio.paused) return;
    if (this.end !== null && this.time >= this.end) {
      this.audio.pause();
      this.end = null;
      return;
    }
    this.update();
    requestAnimationFrame(() => this.follow());
  }

  update() {
    const { waveform, time, duration = 0 } = this;
    waveform.setAttribute("aria-valuemax", duration.toFixed(1));
    waveform.setAttribute("aria-valuenow", time.toFixed(1));
    waveform.setAttribute("aria-valuetext", `${formatTime(time)} of ${formatTime(duration)}`);
    this.draw();
    this.dispatchEvent(new Event("time"));
  }

  timeAt({ clientX }) {
    const { left, width } = this.waveform.getBoundingClientRect();
    return Math.max(0, Math.min(1, (clientX - left) / width)) * this.duration;
  }

  handleKey(event) {
    const step = Math.min(1, this.duration / 20);
    const target = {
      ArrowLeft: this.time - step,
      ArrowRight: this.time + step,
      Home: 0,
      End: this.duration,
    }[event.key];
    if (target !== undefined) {
      this.audio.currentTime = Math.max(0, Math.min(this.duration, target));
    } else if (event.key === " " || event.key === "Enter") {
      this.toggle();
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  draw() {
    const { clientWidth: width, clientHeight: height } = this.waveform;
    if (!width || !this.peaks || !this.duration) return;
    const ratio = window.devicePixelRatio || 1;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    const context = this.canvas.getContext("2d");
    context.scale(ratio, ratio);
    context.font = "11px system-ui, sans-serif";
    const style = getComputedStyle(document.documentElement);
    const color = (name) => (name.startsWith("--") ? style.getPropertyValue(name) : name);
    const plot = { context, width, height: height - AXIS_HEIGHT, color, duration: this.duration };
    drawSections(plot, this.timeline.sections);
    drawPeaks(plot, this.peaks);
    if (this.timeline.curve) drawCurve(plot, this.timeline.curve);
    drawMarks(plot, this.timeline.marks);
    drawAxis(plot);
    context.fillStyle = color("--text");
    context.fillRect((this.time / this.duration) * width - 1, 0, 2, plot.height);
  }
}

async function decode(blob) {
  try {
    const context = new OfflineAudioContext(1, 1, DRAWN_RATE);
    return await context.decodeAudioData(await blob.arrayBuffer());
  } catch {
    return null;
  }
}

/** Draws the waveform of a sound; returns whether the browser can decode it. */
export async function drawOutline(canvas, blob) {
  const decoded = await decode(blob);
  if (!decoded) return false;
  const { width, height } = canvas;
  const color = (name) => getComputedStyle(document.documentElement).getPropertyValue(name);
  drawPeaks({ context: canvas.getContext("2d"), width, height, color }, peaksOf(decoded));
  return true;
}

/** Returns the lowest and highest value of each of many equal parts of a sound. */
function peaksOf(sound) {
  const values = sound.getChannelData(0);
  const count = Math.min(MAX_BUCKETS, values.length);
  const start = (index) => Math.floor((index * values.length) / count);
  let largest = 0;
  const peaks = Array.from({ length: count }, (_, index) => {
    let [low, high] = [0, 0];
    for (let frame = start(index); frame < start(index + 1); frame += 1) {
      low = Math.min(low, values[frame]);
      high = Math.max(high, values[frame]);
    }
    largest = Math.max(largest, -low, high);
    return [low, high];
  });
  return { peaks, largest: largest || 1 };
}

function drawSections({ context, width, height, color, duration }, sections) {
  for (const section of sections) {
    const [left, right] = [section.start, section.end].map((time) => (time / duration) * width);
    context.fillStyle = color(section.color);
    context.globalAlpha = 0.22;
    context.fillRect(left, 0, Math.max(1, right - left), height);
    context.globalAlpha = 1;
    context.fillRect(left, height - 3, Math.max(1, right - left - 1), 3);
    if (context.measureText(section.title).width + 8 > right - left) continue;
    context.fillStyle = color("--text");
    context.textBaseline = "top";
    context.fillText(section.title, left + 4, 3);
  }
}

/** Draws the lowest and highest values of equal parts of a sound; `largest` fills the height. */
export function drawPeaks({ context, width, height, color }, { peaks, largest }) {
  context.fillStyle = color("--border-strong");
  const middle = height / 2;
  for (let x = 0; x < width; x += 1) {
    const first = Math.floor((x * peaks.length) / width);
    const end = Math.max(first + 1, Math.floor(((x + 1) * peaks.length) / width));
    let [low, high] = [0, 0];
    for (const [least, most] of peaks.slice(first, end)) {
      low = Math.min(low, least);
      high = Math.max(high, most);
    }
    const [top, bottom] = [high, low].map((each) => middle - (each / largest) * (middle - 4));
    context.fillRect(x, top, 1, Math.max(1, bottom - top));
  }
}

/** Draws values between 0 and 1, such as probabilities, with a time between them. */
function drawCurve({ context, width, height, color, duration }, { values, hop }) {
  context.strokeStyle = color("--accent-secondary");
  context.lineWidth = 1.5;
  context.beginPath();
  for (const [index, value] of values.entries()) {
    context.lineTo((((index + 0.5) * hop) / duration) * width, height - 3 - value * (height - 6));
  }
  context.stroke();
}

function drawMarks({ context, width, height, color, duration }, marks) {
  for (const mark of marks) {
    const x = (mark.time / duration) * width;
    context.fillStyle = color(mark.color);
    context.fillRect(x - 1, 0, 2, height);
    context.beginPath();
    context.arc(x, 5, 4, 0, 2 * Math.PI);
    context.fill();
  }
}

function drawAxis({ context, width, height, color, duration }) {
  const count = Math.max(1, width / MIN_TICK_DISTANCE);
  const step = TICK_STEPS.find((each) => duration / each <= count) ?? TICK_STEPS.at(-1);
  context.fillStyle = color("--text-muted");
  context.textBaseline = "alphabetic";
  for (let index = 0; index * step <= duration; index += 1) {
    const x = (index * step * width) / duration;
    context.fillRect(x, height, 1, 4);
    const text = formatTime(index * step);
    if (x + 4 + context.measureText(text).width < width) {
      context.fillText(text, x + 4, height + AXIS_HEIGHT - 4);
    }
  }
}
