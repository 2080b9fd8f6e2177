// Sound files: detection, recording, and conversion to WAV.

const MAX_SAMPLE = 32767;
const WAV_HEADER_LENGTH = 44;

/** Whether a file is sound, by its type or name. */
export const isSound = (file) =>
  file.type.startsWith("audio/") || /\.(wav|mp3|m4a|ogg|opus|flac)$/i.test(file.name);

/** Converts a file to WAV, if the browser can decode it. */
export async function toWAV(file) {
  if (/^audio\/(x-)?wav(e)?$/.test(file.type) || /\.wav$/i.test(file.name ?? "")) return file;
  const context = new AudioContext();
  try {
    return encodeWAV(await context.decodeAudioData(await file.arrayBuffer()));
  } catch {
    return file;
  } finally {
    context.close();
  }
}

/** Encodes the mean of all channels as a WAV file with 16 bits. */
function encodeWAV(sound) {
  const channels = Array.from({ length: sound.numberOfChannels }, (_, index) =>
    sound.getChannelData(index),
  );
  const view = new DataView(new ArrayBuffer(WAV_HEADER_LENGTH + 2 * sound.length));
  const text = (offset, characters) =>
    [...characters].forEach((each, index) => {
      view.setUint8(offset + index, each.charCodeAt(0));
    });
  text(0, "RIFF");
  view.setUint32(4, 36 + 2 * sound.length, true);
  text(8, "WAVEfmt ");
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, sound.sampleRate, true);
  view.setUint32(28, 2 * sound.sampleRate, true);
  view.setUint16(32, 2, true);
  view.setUint16(34, 16, true);
  text(36, "data");
  view.setUint32(40, 2 * sound.length, true);
  for (let frame = 0; frame < sound.length; frame += 1) {
    let sum = 0;
    for (const channel of channels) sum += channel[frame];
    const sample = Math.max(-1, Math.min(1, sum / channels.length));
    view.setInt16(WAV_HEADER_LENGTH + 2 * frame, Math.round(sample * MAX_SAMPLE), true);
  }
  return new Blob([view.buffer], { type: "audio/wav" });
}

/** Records the microphone until `stop` is called. */
export class Recorder {
  /** Starts recording; throws an error if there is no microphone or the user does not allow it. */
  async start() {
    if (!navigator.mediaDevices) throw new Error("This browser cannot record sound.");
    this.stream = await navigator.mediaDevices.getUserMedia({ audio: true });
    this.recorder = new MediaRecorder(this.stream);
    this.parts = [];
    this.recorder.addEventListener("dataavailable", ({ data }) => this.parts.push(data));
    this.recorder.start();
  }

  get isOn() {
    return !!this.recorder;
  }

  /** Returns the recording as a WAV file. */
  async stop() {
    const { recorder, parts, stream } = this;
    this.recorder = null;
    const ended = new Promise((resolve) => recorder.addEventListener("stop", resolve));
    recorder.stop();
    await ended;
    for (const track of stream.getTracks()) track.stop();
    return toWAV(new Blob(parts, { type: recorder.mimeType }));
  }
}
