// The camera: frame after frame, none before the answer to the last one.

import { button, element, fill, labelled, tell } from "./dom.js";
import { keep, recall } from "./kept.js";
import { drawing } from "./pictures.js";

const refusals = {
  NotAllowedError: "The camera was refused. Allow it for this page in the browser's settings, and try again.",
  NotFoundError: "There is no camera on this machine.",
  NotReadableError: "The camera is there, but another program uses it.",
  OverconstrainedError: "There is no camera on that side.",
  SecurityError: "This browser gives the camera only to pages on this machine, or over https.",
};

export class Camera {
  /** `frame(blob, size)` gives a promise that is kept when the next frame is wanted. */
  constructor({ started, frame, stopped, mirrored, paused, refused }) {
    Object.assign(this, { started, frame, stopped, mirrored, paused, refused });
    this.side = "user";
    this.isMirrored = false;
    this.pauseButton = button("Pause", () => this.pause());
    this.flipButton = button("Flip", () => this.flip(),
      { "aria-pressed": "false", title: "Left becomes right (F)" });
    this.delay = element("input",
      { type: "number", min: 0, max: 5000, step: 50, value: recall("delay", 0),
      change: () => keep("delay", this.wait) });
    this.smooth = element("input",
      { type: "checkbox", id: "smooth", change: () => keep("smooth", this.smooth.checked) });
    this.smooth.checked = recall("smooth", true);
    this.rate = element("p.soft.fine.rate", {}, "");
    this.element = element("div.camera", { role: "group", "aria-label": "Camera", hidden: true },
      this.pauseButton, this.flipButton,
        button("Other side", () => this.turn(), { title: "From the front camera to the back one" }),
      labelled("Least time between frames, in ms", this.delay),
      element("div.check", {}, this.smooth, element("label", { for: "smooth" }, "Smooth the scores")),
      this.rate);
  }

  get wait() {
    return Math.min(5000, Math.max(0, Number(this.delay.value) || 0));
  }

  get isOn() {
    return !!this.stream;
  }

  async start(side = this.side) {
    this.halt();
    this.side = side;
    const started = (this.starting = {});
    try {
      if (!navigator.mediaDevices) throw new DOMException("", "SecurityError");
      const stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: side,
        width: { ideal: 640 } } });
      if (this.starting !== started) return stopAll(stream);
      await this.run(stream);
    } catch (error) {
      this.end();
      this.refused(refusals[error.name] ?? "The camera cannot be used.");
    }
  }

  async run(stream) {
    this.stream = stream;
    this.isPaused = false;
    tell(this.pauseButton, "Pause");
    this.setMirrored(this.side === "user");
    this.element.hidden = false;
    this.video = element("video", { muted: true, playsinline: true });
    this.video.muted = true;
    this.video.srcObject = stream;
    stream.getVideoTracks()[0]?.addEventListener("ended", () => this.stop());
    this.started(stream);
    await this.video.play();
    this.loop(stream);
  }

  async loop(stream) {
    let before = performance.now();
    while (this.stream === stream) {
      if (this.isPaused || document.hidden || !this.video.videoWidth) {
        await sleep(100);
        continue;
      }
      const size = [this.video.videoWidth, this.video.videoHeight];
      const blob = await drawing(this.video, ...size, "image/jpeg", this.isMirrored);
      if (this.stream !== stream) return;
      await this.frame(blob, size);
      await sleep(Math.max(this.wait - (performance.now() - before), 5));
      const now = performance.now();
      tell(this.rate, `${(1000 / (now - before)).toFixed(1)} frames a second`);
      before = now;
    }
  }

  pause() {
    if (!this.isOn) return;
    this.isPaused = !this.isPaused;
    tell(this.pauseButton, this.isPaused ? "Go on" : "Pause");
    this.paused(this.isPaused);
  }

  flip() {
    if (this.isOn) this.setMirrored(!this.isMirrored);
  }

  setMirrored(isMirrored) {
    this.isMirrored = isMirrored;
    this.flipButton.setAttribute("aria-pressed", String(isMirrored));
    this.mirrored(isMirrored);
  }

  turn() {
    this.start(this.side === "user" ? "environment" : "user");
  }

  halt() {
    this.starting = null;
    stopAll(this.stream);
    this.stream = null;
    if (this.video) this.video.srcObject = null;
  }

  end() {
    this.halt();
    this.element.hidden = true;
    fill(this.rate);
  }

  stop() {
    if (!this.isOn && !this.starting) return;
    this.end();
    this.stopped();
  }
}

const sleep = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));
const stopAll = (stream) => stream?.getTracks().forEach((track) => track.stop());
