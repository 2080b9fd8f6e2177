import TensorIOAudio

/// Readers of audio.
enum AudioReaders {
  /// The maximum number of output samples and of phases of a filter; more would slow down fuzzing.
  private static let (maxSamples, maxPhases) = (1 << 16, 1000)

  /// A WAV file has the samples that its header announces, however they are read.
  static func wav(_ bytes: [UInt8]) throws(PropertyViolation) {
    let header = unlessRejected { try WAVHeader(of: bytes) }
    let audio = unlessRejected { try AudioBuffer(decoding: bytes) }
    try verify((header == nil) == (audio == nil), "a header does not decide whether a file decodes")
    guard let header, let audio else { return }
    try verify(
      audio.frameCount == header.frameCount && audio.channelCount == header.format.channelCount
        && audio.sampleRate == header.format.sampleRate,
      "the size of the audio differs from its header")

    let mono = audio.mono()
    let read = try samples(of: bytes, sampleRate: nil)
    try verify(bits(read) == bits(mono.samples), "a reader returns other samples")
    let floats = unlessRejected { try AudioBuffer(decoding: audio.encoded(as: .float32)) }
    try verify(
      floats.map { bits($0.samples) } == bits(audio.samples), "written samples are different")
    try resample(mono, bytes)
    try split(bytes, header)
    // Without a declared size, a pipe has no end before that of the input.
    if header.declaredByteCount != nil { try stream(bytes, audio) }
  }

  /// A file has the same samples when it arrives in blocks.
  private static func stream(_ bytes: [UInt8], _ audio: AudioBuffer) throws(PropertyViolation) {
    let samples: [Float]? = unlessRejected {
      var decoder = WAVStreamDecoder(mixesToMono: false)
      var samples: [Float] = []
      for start in stride(from: 0, to: bytes.count, by: 100) {
        try decoder.append(Array(bytes[start..<min(start + 100, bytes.count)]), to: &samples)
      }
      try decoder.finish(to: &samples)
      return samples
    }
    try verify(samples.map(bits) == bits(audio.samples), "a pipe has other samples than a file")
  }

  /// Resampling in blocks and as a whole has the same result.
  private static func resample(_ mono: AudioBuffer, _ bytes: [UInt8]) throws(PropertyViolation) {
    let rate = 16_000
    guard
      let count = Resampler.outputCount(mono.frameCount, from: mono.sampleRate, to: rate),
      count <= maxSamples, mono.sampleRate.isMultiple(of: rate / maxPhases)
    else { return }
    let whole = unlessRejected { try mono.converted(toSampleRate: rate) }
    try verify(whole?.frameCount == count, "resampled audio has another length")
    let read = try samples(of: bytes, sampleRate: rate)
    try verify(
      bits(read) == whole.map { bits($0.samples) }, "blocks are resampled to other samples")
  }

  /// Raw samples do not depend on where the bytes are divided.
  private static func split(_ bytes: [UInt8], _ header: WAVHeader) throws(PropertyViolation) {
    let raw = Array(bytes[header.data.lowerBound...])
    let decoders = unlessRejected {
      let decoder = try AudioStreamDecoder(header.format, mixesToMono: false)
      return (decoder, decoder)
    }
    guard var (whole, parts) = decoders else {
      throw PropertyViolation(description: "a format of a file is rejected")
    }
    var (expected, found): ([Float], [Float]) = ([], [])
    whole.append(raw, to: &expected)
    let middle = raw.count / 3
    parts.append(raw, in: 0..<middle, to: &found)
    parts.append(raw, in: middle..<raw.count, to: &found)
    whole.finish(to: &expected)
    parts.finish(to: &found)
    try verify(bits(found) == bits(expected), "the samples depend on the blocks")
  }

  private static func samples(
    of bytes: [UInt8], sampleRate: Int?
  ) throws(PropertyViolation) -> [Float] {
    let reader = unlessRejected {
      try AudioReader(decoding: bytes, sampleRate: sampleRate, mixesToMono: true)
    }
    guard var reader else {
      throw PropertyViolation(description: "a reader rejects a file that decodes")
    }
    var samples: [Float] = []
    while reader.read(to: &samples) {}
    return samples
  }

  /// Returns the bits of samples, with one value for all NaN: the order of operands, which compilers
  /// choose, determines which NaN a sum is.
  private static func bits(_ samples: [Float]) -> [UInt32] {
    samples.map { ($0.isNaN ? Float.nan : $0).bitPattern }
  }
}
