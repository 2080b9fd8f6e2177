/// Writes WAV files.
enum WAVWriter {
  /// Returns audio as a file.
  static func encode(_ audio: AudioBuffer, as encoding: WAVEncoding) -> [UInt8] {
    let header = format(audio.sampleRate, audio.channelCount, encoding)
    var file = Array("WAVE".utf8)
    if encoding == .float32 {
      // Formats other than integers declare the number of frames.
      var frames: [UInt8] = []
      frames.append(UInt32(audio.frameCount))
      file.append(chunk: "fmt ", header)
      file.append(chunk: "fact", frames)
    } else {
      file.append(chunk: "fmt ", header)
    }
    file.append(chunk: "data", samples(of: audio, encoding))

    var result: [UInt8] = []
    result.append(chunk: "RIFF", file)
    return result
  }

  /// Returns the beginning of a file whose samples, of 16 bits, follow; its length is not known.
  static func streamHeader(sampleRate: Int, channelCount: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes += "RIFF".utf8
    bytes.append(UInt32.max)
    bytes += "WAVE".utf8
    bytes.append(chunk: "fmt ", format(sampleRate, channelCount, .int16))
    bytes += "data".utf8
    bytes.append(UInt32.max)
    return bytes
  }

  private static func format(
    _ sampleRate: Int, _ channelCount: Int, _ encoding: WAVEncoding
  ) -> [UInt8] {
    let (tag, bytesPerSample): (UInt16, Int) =
      switch encoding {
      case .int16: (1, 2)
      case .float32: (3, 4)
      }
    let frameSize = bytesPerSample * channelCount
    var header: [UInt8] = []
    header.append(tag)
    header.append(UInt16(channelCount))
    header.append(UInt32(sampleRate))
    header.append(UInt32(truncatingIfNeeded: sampleRate * frameSize))
    header.append(UInt16(frameSize))
    header.append(UInt16(bytesPerSample * 8))
    // Formats other than integers have an extension.
    if encoding == .float32 { header.append(UInt16(0)) }
    return header
  }

  /// Returns the samples of a file.
  static func samples(of audio: AudioBuffer, _ encoding: WAVEncoding) -> [UInt8] {
    var bytes: [UInt8] = []
    switch encoding {
    case .int16:
      bytes.reserveCapacity(audio.samples.count * 2)
      for sample in audio.samples { bytes.append(UInt16(bitPattern: integer(sample))) }
    case .float32:
      bytes.reserveCapacity(audio.samples.count * 4)
      for sample in audio.samples { bytes.append(sample.bitPattern) }
    }
    return bytes
  }

  /// Returns the integer nearest to a sample; zero for NaN.
  private static func integer(_ sample: Float) -> Int16 {
    guard !sample.isNaN else { return 0 }
    return Int16(min(max((sample * 32_768).rounded(), -32_768), 32_767))
  }
}

extension [UInt8] {
  /// Appends the bytes of a number, least significant first.
  fileprivate mutating func append<Number: FixedWidthInteger & UnsignedInteger>(_ number: Number) {
    for index in 0..<MemoryLayout<Number>.size {
      append(UInt8(truncatingIfNeeded: number >> (index * 8)))
    }
  }

  /// Appends a chunk, padded to an even size.
  fileprivate mutating func append(chunk identifier: String, _ content: [UInt8]) {
    append(contentsOf: identifier.utf8)
    append(UInt32(truncatingIfNeeded: content.count))
    append(contentsOf: content)
    if !content.count.isMultiple(of: 2) { append(0 as UInt8) }
  }
}
