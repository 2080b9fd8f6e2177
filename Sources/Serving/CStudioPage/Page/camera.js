// The camera. A frame is captured only after the previous one has been processed.

import { button, element, labeledField, setContent, setText } from "./dom.js";
import { encodeImage } from "./images.js";
import { loadLocal, saveLocal } from "./storage.js";

const MAX_FRAME_INTERVAL = 5000;

const errorMessages = {
  NotAllowedError:
    "Access to the camera was denied. Allow it in the browser's settings, and try again.",
  NotFoundError: "This machine has no camera.",
  NotReadableError: "The camera is in use by another program.",
  OverconstrainedError: "This machine has no such camera.",
  SecurityError: "This browser permits the camera only for pages from this machine or over https.",
};

export class Camera {
  /** `onFrame(blob, size)` returns a promise; the next frame is captured when it resolves. */
  constructor({ onStart, onFrame, onStop, onMirror, onPause, onError }) {
    Object.assign(this, { onStart, onFrame, onStop, onMirror, onPause, onError });
    this.facingMode = "user";
    this.isMirrored = false;
    this.pauseButton = button("Pause", () => this.togglePause());
    this.flipButton = button("Flip", () => this.flip(), {
      "aria-pressed": "false",
      title: "Mirror the image (F)",
    });
    this.minFrameIntervalField = element("input", {
      type: "number",
      min: 0,
      max: MAX_FRAME_INTERVAL,
      step: 50,
      value: loadLocal("delay", 0),
      change: () => saveLocal("delay", this.minFrameInterval),
    });
    this.smoothScores = element("input", {
      type: "checkbox",
      id: "smooth",
      change: () => saveLocal("smooth", this.smoothScores.checked),
    });
    this.smoothScores.checked = loadLocal("smooth", true);
    this.frameRate = element("p.muted.fine-print.frame-rate", {}, "");
    this.element = element(
      "div.camera",
      { role: "group", "aria-label": "Camera", hidden: true },
      this.pauseButton,
      this.flipButton,
      button("Switch camera", () => this.switchFacing(), {
        title: "Switch between the front and back cameras",
      }),
      labeledField("Minimum frame interval, in ms", this.minFrameIntervalField),
      element(
        "div.checkbox-field",
        {},
        this.smoothScores,
        element("label", { for: "smooth" }, "Smooth the scores"),
      ),
      this.frameRate,
    );
  }

  get minFrameInterval() {
    return Math.min(MAX_FRAME_INTERVAL, Math.max(0, Number(this.minFrameIntervalField.value) || 0));
  }

  get isOn() {
    return !!this.stream;
  }

  async start(facingMode = this.facingMode) {
    this.releaseStream();
    this.facingMode = facingMode;
    const attempt = {};
    this.startAttempt = attempt;
    try {
      if (!navigator.mediaDevices) throw new DOMException("", "SecurityError");
      const stream = await navigator.mediaDevices.getUserMedia({
        video: { facingMode, width: { ideal: 640 } },
      });
      if (this.startAttempt !== attempt) return stopTracks(stream);
      await this.run(stream);
    } catch (error) {
      this.hide();
      this.onError(errorMessages[error.name] ?? "The camera cannot be used.");
    }
  }

  async run(stream) {
    this.stream = stream;
    this.isPaused = false;
    setText(this.pauseButton, "Pause");
    this.setMirrored(this.facingMode === "user");
    this.element.hidden = false;
    this.video = element("video", { muted: true, playsinline: true });
    this.video.muted = true;
    this.video.srcObject = stream;
    stream.getVideoTracks()[0]?.addEventListener("ended", () => this.stop());
    this.onStart(stream);
    await this.video.play();
    this.captureFrames(stream);
  }

  async captureFrames(stream) {
    let frameStart = performance.now();
    while (this.stream === stream) {
      if (this.isPaused || document.hidden || !this.video.videoWidth) {
        await delay(100);
        continue;
      }
      const size = [this.video.videoWidth, this.video.videoHeight];
      const blob = await encodeImage(this.video, ...size, "image/jpeg", this.isMirrored);
      if (this.stream !== stream) return;
      await this.onFrame(blob, size);
      await delay(Math.max(this.minFrameInterval - (performance.now() - frameStart), 5));
      const now = performance.now();
      setText(this.frameRate, `${(1000 / (now - frameStart)).toFixed(1)} frames per second`);
      frameStart = now;
    }
  }

  togglePause() {
    if (!this.isOn) return;
    this.isPaused = !this.isPaused;
    setText(this.pauseButton, this.isPaused ? "Resume" : "Pause");
    this.onPause(this.isPaused);
  }

  flip() {
    if (this.isOn) this.setMirrored(!this.isMirrored);
  }

  setMirrored(isMirrored) {
    this.isMirrored = isMirrored;
    this.flipButton.setAttribute("aria-pressed", String(isMirrored));
    this.onMirror(isMirrored);
  }

  switchFacing() {
    this.start(this.facingMode === "user" ? "environment" : "user");
  }

  releaseStream() {
    this.startAttempt = null;
    stopTracks(this.stream);
    this.stream = null;
    if (this.video) this.video.srcObject = null;
  }

  hide() {
    this.releaseStream();
    this.element.hidden = true;
    setContent(this.frameRate);
  }

  stop() {
    if (!this.isOn && !this.startAttempt) return;
    this.hide();
    this.onStop();
  }
}

const delay = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const stopTracks = (stream) => {
  for (const track of stream?.getTracks() ?? []) track.stop();
};
