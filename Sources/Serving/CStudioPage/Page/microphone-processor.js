// Passes the sound of the microphone to the page, from the thread of the browser that processes sound.

class MicrophoneProcessor extends AudioWorkletProcessor {
  /** Sends the mean of all channels. */
  process([channels]) {
    if (!channels.length) return true;
    const samples = new Float32Array(channels[0].length);
    for (const channel of channels) {
      for (const [index, sample] of channel.entries()) samples[index] += sample / channels.length;
    }
    this.port.postMessage(samples, [samples.buffer]);
    return true;
  }
}

registerProcessor("microphone", MicrophoneProcessor);
