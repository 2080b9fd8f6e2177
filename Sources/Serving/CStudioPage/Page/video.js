// A video file: the server runs the model on its frames, which are shown as they are processed and can be played again.

import * as api from "./api.js";
import { button, download, element, setText } from "./dom.js";
import { formatBytes, formatTime, pluralize } from "./format.js";
import { loadLocal, saveLocal } from "./storage.js";

const PART_BYTES = 4 << 20;
const POLL_INTERVAL = 200;
/** Frames that are kept in memory, and those that are loaded before they are played. */
const MAX_LOADED_FRAMES = 60;
const FRAMES_AHEAD = 4;
/** The frames per second of a video that declares none. */
const DEFAULT_FRAME_RATE = 25;

export const isVideo = (file) =>
  file.type.startsWith("video/") || /\.(mkv|avi|mov)$/i.test(file.name);

export class VideoRun {
  /**
   * `onOpen(file)` prepares the panel, `onFrame(image, record)` shows a frame, an image with its result, and returns a promise.
   * `options()` returns those of a run. `onClose()` is called when the video is closed, and then `onReturn()` if nothing is
   * shown in its place.
   */
  constructor({ onOpen, onFrame, onClose, onReturn, options }) {
    Object.assign(this, { onOpen, onFrame, onClose, onReturn, options });
    this.note = element("p.video-note", { role: "status" });
    this.bar = element("progress", { max: 1, "aria-label": "Progress of the video" });
    this.error = element("p.error-message", { role: "alert", hidden: true });
    this.playButton = button("Play", () => this.togglePlay(), { title: "Play or pause (Space)" });
    this.position = element("input.video-position", {
      type: "range",
      min: 0,
      max: 0,
      step: 1,
      value: 0,
      "aria-label": "Frame",
      input: () => this.seek(Number(this.position.value)),
    });
    this.time = element("span.muted.video-time");
    this.tracking = this.option("Number objects", "video-tracking", true);
    this.classAgnostic = this.option(
      "Objects can change their class",
      "video-class-agnostic",
      false,
    );
    this.exportButton = button("Export the results", () => this.export());
    this.element = element(
      "div.video-run",
      { role: "group", "aria-label": "Video", hidden: true },
      element(
        "div.row",
        {},
        this.note,
        button("Close the video", () => {
          this.close();
          this.onReturn();
        }),
      ),
      this.bar,
      this.error,
      element("div.row.video-controls", {}, this.playButton, this.position, this.time),
      element("div.row", {}, this.tracking.element, this.classAgnostic.element, this.exportButton),
    );
    addEventListener("pagehide", () => this.leave());
  }

  /** Returns a check box whose change runs the model again. */
  option(text, key, initial) {
    const box = element("input", {
      type: "checkbox",
      checked: loadLocal(key, initial),
      change: () => {
        saveLocal(key, box.checked);
        this.restart();
      },
    });
    return { box, element: element("label.checkbox-field", {}, box, text) };
  }

  get isOpen() {
    return !!this.session;
  }

  /** Uploads a file and runs a model on it. */
  async open(model, file) {
    this.close();
    const session = { model, name: file.name, frames: new Map(), count: 0 };
    this.session = session;
    this.element.hidden = false;
    this.showControls(false);
    this.error.hidden = true;
    this.showProgress(0, `Uploading ${file.name}`);
    this.onOpen(file);
    try {
      const { id, tracks } = await api.videos.create(model);
      session.id = id;
      if (this.session !== session) return await api.videos.close(id);
      this.tracking.element.hidden = !tracks;
      this.classAgnostic.element.hidden = !tracks;
      session.tracks = tracks;
      for (let offset = 0; offset < file.size; offset += PART_BYTES) {
        const part = file.slice(offset, offset + PART_BYTES);
        await api.retryWhileOverloaded(() => api.videos.append(id, offset, part));
        if (this.session !== session) return undefined;
        const sent = Math.min(file.size, offset + PART_BYTES);
        const amounts = `${formatBytes(sent)} of ${formatBytes(file.size)}`;
        this.showProgress(sent / file.size, `Uploading ${file.name}: ${amounts}`);
      }
      session.isUploaded = true;
      return await this.start(session);
    } catch (error) {
      return this.fail(session, error);
    }
  }

  /** Runs the model on the uploaded video, also again with other options. */
  async start(session) {
    this.pause();
    clearFrames(session);
    // Its signal ends the requests of the pass.
    const pass = new AbortController();
    Object.assign(session, { pass, count: 0, index: null, isFollowing: true, isFinished: false });
    this.error.hidden = true;
    try {
      const tracking = session.tracks && this.tracking.box.checked;
      this.classAgnostic.box.disabled = !tracking;
      const options = {
        ...this.options(),
        tracking,
        class_agnostic: this.classAgnostic.box.checked,
      };
      await api.videos.start(session.id, options);
      await this.follow(session, pass);
    } catch (error) {
      if (session.pass === pass) this.fail(session, error);
    }
  }

  /** Runs the model again, if the video has been uploaded. */
  restart() {
    if (this.session?.isUploaded) this.start(this.session);
  }

  // Also while a frame is shown, so that the server knows that the page is open.
  async follow(session, pass) {
    for (;;) {
      const status = await api.retryWhileOverloaded(() =>
        api.videos.status(session.id, pass.signal),
      );
      if (this.session !== session || session.pass !== pass) return;
      session.count = status.frames;
      session.rate = status.frame_rate ?? DEFAULT_FRAME_RATE;
      session.isFinished = status.state !== "running";
      this.position.max = Math.max(0, status.frames - 1);
      this.showControls(status.frames > 0);
      this.showStatus(session, status);
      if (session.isFollowing && status.frames) {
        await this.show(session, status.frames - 1);
      }
      if (session.isFinished) return;
      await delay(POLL_INTERVAL);
    }
  }

  showStatus(session, { state, frames, truncated, error }) {
    const count = pluralize(frames, "frame");
    const text = {
      running: `${session.name}: ${count} processed`,
      completed: `${session.name}: ${count}${truncated ? ", the most that are processed" : ""}`,
      cancelled: `Canceled after ${count}`,
      failed: frames ? `${session.name} ends after ${count}` : `${session.name} cannot be played`,
    }[state];
    this.showProgress(session.isFinished ? 1 : null, text);
    if (!error) return;
    this.error.hidden = false;
    setText(this.error, api.asSentence(error));
  }

  // MARK: Frames

  /** Returns a frame: its image and its record. */
  frame(session, index) {
    if (!session.frames.has(index)) {
      session.frames.set(index, loadFrame(session, index));
      const [oldest] = session.frames.keys();
      if (session.frames.size > MAX_LOADED_FRAMES) removeFrame(session, oldest);
    }
    return session.frames.get(index);
  }

  /** Shows a frame, unless another one has been chosen before it is loaded. */
  async show(session, index) {
    session.index = index;
    const { pass } = session;
    const loaded = await this.frame(session, index).catch((error) => ({ error }));
    if (this.session !== session || session.pass !== pass || session.index !== index) return;
    if (loaded.error) {
      removeFrame(session, index);
      throw loaded.error;
    }
    this.position.value = index;
    const seconds = loaded.record.time_s ?? index / session.rate;
    setText(this.time, `${formatTime(seconds)}, frame ${index + 1} of ${session.count}`);
    this.position.setAttribute("aria-valuetext", this.time.textContent);
    await this.onFrame({ url: loaded.url, name: `Frame ${index + 1}` }, loaded.record);
  }

  seek(index) {
    this.pause();
    this.session.isFollowing = false;
    this.show(this.session, index).catch((error) => this.fail(this.session, error));
  }

  togglePlay() {
    if (!this.session?.count) return;
    if (this.session.play) this.pause();
    else this.play(this.session);
  }

  pause() {
    if (this.session) this.session.play = null;
    setText(this.playButton, "Play");
  }

  /** Plays the frames in their own time; frames that take too long to load are left out. */
  async play(session) {
    const first = session.index >= session.count - 1 ? 0 : (session.index ?? 0);
    const play = {};
    Object.assign(session, { play, isFollowing: false });
    setText(this.playButton, "Pause");
    const start = performance.now();
    try {
      let shown = -1;
      while (session.play === play && this.session === session) {
        const elapsed = (performance.now() - start) / 1000;
        const index = Math.min(session.count - 1, first + Math.floor(elapsed * session.rate));
        if (index !== shown) {
          for (let next = index + 1; next <= index + FRAMES_AHEAD; next += 1) {
            if (next < session.count) this.frame(session, next).catch(() => {});
          }
          await this.show(session, index);
          shown = index;
        }
        if (index >= session.count - 1) break;
        await new Promise(requestAnimationFrame);
      }
    } catch (error) {
      this.fail(session, error);
    }
    if (session.play === play) this.pause();
  }

  // MARK: Ending

  async export() {
    const { id, name } = this.session;
    try {
      download(
        `${name.replace(/\.[^.]*$/, "")}.ndjson`,
        "application/x-ndjson",
        await api.videos.lines(id),
      );
    } catch (error) {
      this.fail(this.session, error);
    }
  }

  /** Closes the video, and cancels its run. */
  close() {
    const { session } = this;
    if (!session) return;
    this.session = null;
    session.play = null;
    clearFrames(session);
    this.element.hidden = true;
    if (session.id) api.videos.close(session.id).catch(() => {});
    this.onClose();
  }

  /** Cancels the run when the page is left. */
  leave() {
    if (this.session?.id) api.videos.close(this.session.id, true).catch(() => {});
  }

  fail(session, error) {
    if (this.session !== session) return;
    this.pause();
    session.isFinished = true;
    this.showProgress(1, session.name);
    this.error.hidden = false;
    setText(this.error, error.message);
  }

  showProgress(fraction, text) {
    setText(this.note, text);
    this.bar.hidden = fraction === 1;
    if (fraction === null) this.bar.removeAttribute("value");
    else this.bar.value = fraction;
  }

  showControls(hasFrames) {
    this.playButton.disabled = !hasFrames;
    this.position.disabled = !hasFrames;
    this.exportButton.disabled = !hasFrames;
    if (!hasFrames) setText(this.time, "");
  }
}

async function loadFrame({ id, pass: { signal } }, index) {
  const [record, image] = await Promise.all([
    api.retryWhileOverloaded(() => api.videos.frame(id, index, signal)),
    api.retryWhileOverloaded(() => api.videos.image(id, index, signal)),
  ]);
  return { record, url: URL.createObjectURL(image) };
}

function removeFrame(session, index) {
  const frame = session.frames.get(index);
  session.frames.delete(index);
  // A frame may be shown until the next one is.
  frame?.then(({ url }) => setTimeout(() => URL.revokeObjectURL(url), 1000)).catch(() => {});
}

/** Ends the requests of the latest pass, and removes its frames. */
function clearFrames(session) {
  session.pass?.abort();
  for (const index of [...session.frames.keys()]) removeFrame(session, index);
}

const delay = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
