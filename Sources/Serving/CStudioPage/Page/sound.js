// Sound: files, the microphone, and conversion to WAV.

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
  const samples = new Float32Array(sound.length);
  for (let index = 0; index < sound.numberOfChannels; index += 1) {
    for (const [frame, sample] of sound.getChannelData(index).entries()) {
      samples[frame] += sample / sound.numberOfChannels;
    }
  }
  return wavFile([toIntegers(samples)], sound.sampleRate);
}

/** Returns samples as integers of 16 bits. */
export const toIntegers = (samples) =>
  Int16Array.from(samples, (sample) => Math.round(Math.max(-1, Math.min(1, sample)) * MAX_SAMPLE));

/** Creates a WAV file of parts of one channel with 16 bits: arrays of integers, or blobs of them. */
export function wavFile(parts, sampleRate) {
  const content = new Blob(parts);
  const view = new DataView(new ArrayBuffer(WAV_HEADER_LENGTH));
  const text = (offset, characters) =>
    [...characters].forEach((each, index) => {
      view.setUint8(offset + index, each.charCodeAt(0));
    });
  text(0, "RIFF");
  view.setUint32(4, 36 + content.size, true);
  text(8, "WAVEfmt ");
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, sampleRate, true);
  view.setUint32(28, 2 * sampleRate, true);
  view.setUint16(32, 2, true);
  view.setUint16(34, 16, true);
  text(36, "data");
  view.setUint32(40, content.size, true);
  return new Blob([view.buffer, content], { type: "audio/wav" });
}

const microphoneErrors = {
  NotAllowedError: "The microphone is not allowed.",
  NotFoundError: "This machine has no microphone.",
  NotReadableError: "The microphone is in use by another program.",
};

/** Returns the stream of the microphone; throws an error with a readable message. */
async function microphoneStream() {
  if (!navigator.mediaDevices) {
    throw new Error("This browser records sound only for pages from this machine or over https.");
  }
  try {
    return await navigator.mediaDevices.getUserMedia({ audio: true });
  } catch (error) {
    throw new Error(microphoneErrors[error.name] ?? "The microphone cannot be used.");
  }
}

const stopTracks = (stream) => {
  for (const track of stream.getTracks()) track.stop();
};

/**
 * Passes the samples of the microphone to a function until it is closed, and calls `onEnd` if the device is removed.
 * Throws an error if there is no microphone or the user does not allow it.
 */
export async function openMicrophone(onSamples, onEnd) {
  const stream = await microphoneStream();
  const context = new AudioContext();
  const close = async () => {
    stopTracks(stream);
    if (context.state !== "closed") await context.close();
  };
  try {
    await context.audioWorklet.addModule("/studio/microphone-processor.js");
    const node = new AudioWorkletNode(context, "microphone");
    node.port.addEventListener("message", ({ data }) => onSamples(data));
    node.port.start();
    // Nothing is heard: the processor has no output. Without a destination, some browsers do not run it.
    context.createMediaStreamSource(stream).connect(node).connect(context.destination);
    for (const track of stream.getTracks()) track.addEventListener("ended", onEnd);
    await context.resume();
  } catch {
    await close();
    throw new Error("The microphone cannot be used.");
  }
  return { sampleRate: context.sampleRate, close };
}

/** Records the microphone until `stop` is called. */
export class Recorder {
  /** Starts recording; throws an error if there is no microphone or the user does not allow it. */
  async start() {
    this.stream = await microphoneStream();
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
    stopTracks(stream);
    return toWAV(new Blob(parts, { type: recorder.mimeType }));
  }
}
