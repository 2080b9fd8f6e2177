// Listening to the microphone: the server transcribes the sound while it is recorded.

import * as api from "./api.js";
import { button, element, setText } from "./dom.js";
import { formatTime } from "./format.js";
import { announce } from "./notifications.js";
import { openMicrophone, toIntegers, wavFile } from "./sound.js";
import { drawPeaks } from "./sound-player.js";
import { LiveTranscriptView } from "./transcript.js";

/** Sound that arrives while the model works is sent as one piece afterwards. */
const PIECE_SECONDS = 0.5;
const MAX_PIECE_SAMPLES = 1 << 21;
/** The waveform shows the last ten seconds. */
const PEAK_SECONDS = 0.05;
const PEAK_COUNT = 200;
/** Quieter sound is drawn as such, not as loud as speech. */
const MIN_DRAWN_PEAK = 0.05;
const SILENT_SECONDS = 3;

/** The transcript that ends when the page is left. */
let current = null;
addEventListener("pagehide", () => current?.leave());

/** Transcribes the microphone with the model of a panel, which shows the texts. */
export class Listening {
  /**
   * `onStart()` is called before the microphone is opened, and `onEnd(recording, record)` afterwards: with the sound as a
   * WAV file, if there is any, and the result, unless an error has ended it.
   */
  constructor(panel, { onStart, onEnd }) {
    Object.assign(this, { panel, onStart, onEnd });
    this.button = button("Listen", () => this.toggle(), {
      kind: "button.listen-toggle",
      title: "Transcribe the microphone while you speak (L)",
    });
    this.error = element("p.error-message", { role: "alert", hidden: true });
    this.canvas = element("canvas", { "aria-hidden": "true" });
    this.note = element("p.muted.fine-print");
    this.live = element("div", { hidden: true }, this.canvas, this.note);
    this.element = element(
      "div.listening",
      { role: "group", "aria-label": "Microphone" },
      this.error,
      this.live,
    );
  }

  get isOn() {
    return !!this.session;
  }

  toggle() {
    if (this.isOn) this.stop();
    else this.start();
  }

  start() {
    if (this.isOn) return;
    const session = { pending: [], pendingCount: 0, parts: [], sentBytes: 0, segmentCount: 0 };
    Object.assign(session, { peaks: Array(PEAK_COUNT).fill([0, 0]), sampleCount: 0, loudest: 0 });
    this.session = session;
    current = this;
    this.error.hidden = true;
    this.onStart();
    setText(this.button, "Stop");
    session.end = this.run(session);
  }

  async run(session) {
    let record = null;
    try {
      session.microphone = await openMicrophone(
        (samples) => this.add(session, samples),
        () => this.stop(),
      );
      if (this.session !== session) return session.microphone.close();
      this.show(session);
      const { id } = await api.transcripts.create(this.panel.name, session.microphone.sampleRate);
      session.id = id;
      if (this.session !== session) return api.transcripts.close(id).catch(() => {});
      await this.send(session);
      if (this.session === session) record = await api.transcripts.finish(id);
    } catch (error) {
      if (this.session === session) this.showError(error);
    }
    if (this.session !== session) return undefined;
    const recording = recordingOf(session);
    this.release();
    return this.onEnd(recording, record);
  }

  /** Shows the waveform, and the place of the texts. */
  show(session) {
    session.view = new LiveTranscriptView();
    this.panel.showView(session.view.element);
    this.panel.result.setAttribute("aria-busy", "true");
    this.live.hidden = false;
    announce("Listening.");
    const draw = () => {
      if (this.session !== session) return;
      this.draw(session);
      requestAnimationFrame(draw);
    };
    draw();
  }

  // MARK: Sound

  add(session, samples) {
    if (this.session !== session || session.isStopping) return;
    session.pending.push(toIntegers(samples));
    session.pendingCount += samples.length;
    this.measure(session, samples);
    session.wake?.();
  }

  /** Notes the extremes of the sound, which are drawn. */
  measure(session, samples) {
    const length = Math.round(PEAK_SECONDS * session.microphone.sampleRate);
    for (const sample of samples) {
      if (session.sampleCount % length === 0) {
        session.peaks.push([0, 0]);
        session.peaks.shift();
      }
      const last = session.peaks.at(-1);
      last[0] = Math.min(last[0], sample);
      last[1] = Math.max(last[1], sample);
      session.loudest = Math.max(session.loudest, Math.abs(sample));
      session.sampleCount += 1;
    }
  }

  draw({ peaks, sampleCount, microphone, loudest, isStopping }) {
    const seconds = sampleCount / microphone.sampleRate;
    const state = isStopping ? "Transcribing the rest" : "Listening";
    const isSilent = seconds > SILENT_SECONDS && loudest === 0;
    const hint = isSilent ? "; no sound arrives from the microphone" : "";
    setText(this.note, `${state}, ${formatTime(Math.floor(seconds))}${hint}`);
    const { clientWidth: width, clientHeight: height } = this.canvas;
    const ratio = window.devicePixelRatio || 1;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    const context = this.canvas.getContext("2d");
    context.scale(ratio, ratio);
    const style = getComputedStyle(document.documentElement);
    const largest = Math.max(MIN_DRAWN_PEAK, ...peaks.flat().map(Math.abs));
    const color = (name) => style.getPropertyValue(name);
    drawPeaks({ context, width, height, color }, { peaks, largest });
  }

  /** Sends one piece after another, until the end of the sound has been sent. */
  async send(session) {
    const length = PIECE_SECONDS * session.microphone.sampleRate;
    while (this.session === session) {
      if (session.pendingCount >= length || (session.isStopping && session.pendingCount)) {
        const update = await this.sendPiece(session);
        if (this.session !== session) return;
        session.segmentCount += update.segments.length;
        session.view.update(update);
      } else if (session.isStopping) {
        return;
      } else {
        await new Promise((resolve) => {
          session.wake = resolve;
        });
      }
    }
  }

  async sendPiece(session) {
    const { id, sentBytes, segmentCount, pending } = session;
    const parts = [];
    for (let count = 0; pending.length && count < MAX_PIECE_SAMPLES; ) {
      const part = pending.shift();
      parts.push(part);
      count += part.length;
      session.pendingCount -= part.length;
    }
    const piece = new Blob(parts);
    session.parts.push(piece);
    session.sentBytes += piece.size;
    return api.retryWhileOverloaded(() =>
      api.transcripts.append(id, sentBytes, segmentCount, piece),
    );
  }

  // MARK: Ending

  /** Ends the recording; the promise is resolved when the transcript is shown. */
  async stop() {
    const { session } = this;
    if (!session) return undefined;
    if (!session.microphone) return this.cancel();
    if (!session.isStopping) {
      this.button.disabled = true;
      await session.microphone.close();
      session.isStopping = true;
      session.wake?.();
    }
    return session.end;
  }

  /** Ends the recording without a transcript. */
  cancel() {
    const { session } = this;
    if (!session) return;
    const hasTexts = !!session.view;
    this.release();
    if (hasTexts) this.panel.showPlaceholder();
    this.onEnd(null, null);
  }

  /** Cancels the transcript when the page is left. */
  leave() {
    if (this.session?.id) api.transcripts.close(this.session.id, true).catch(() => {});
  }

  release() {
    const { session } = this;
    this.session = null;
    session.microphone?.close();
    session.wake?.();
    if (session.id) api.transcripts.close(session.id).catch(() => {});
    this.panel.result.removeAttribute("aria-busy");
    this.live.hidden = true;
    this.button.disabled = false;
    setText(this.button, "Listen");
  }

  showError(error) {
    this.error.hidden = false;
    setText(this.error, error.message);
  }
}

/** Returns all sound of a session, also what was not sent, as a WAV file; null if there is none. */
const recordingOf = ({ parts, pending, sampleCount, microphone }) =>
  sampleCount ? wavFile([...parts, ...pending], microphone.sampleRate) : null;
