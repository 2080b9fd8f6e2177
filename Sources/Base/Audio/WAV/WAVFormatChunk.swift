/// The `fmt ` chunk of a WAV file.
struct WAVFormatChunk {
  /// The format of the samples.
  let format: AudioFormat

  /// The values of the format tag.
  private enum Tag {
    static let integers: UInt16 = 1
    static let floats: UInt16 = 3
    static let aLaw: UInt16 = 6
    static let muLaw: UInt16 = 7
    static let extensible: UInt16 = 0xFFFE
  }

  /// The minimum size of the chunk, and its size with the fields of the extensible format.
  private static let (minSize, extensibleSize): (UInt32, UInt32) = (16, 40)

  /// The bytes that follow the format tag in the identifiers of the extensible format.
  private static let subformatSuffix: [UInt8] = [
    0x00, 0x00, 0x00, 0x00, 0x10, 0x00, 0x80, 0x00, 0x00, 0xAA, 0x00, 0x38, 0x9B, 0x71,
  ]
  private static let bigEndianSubformatSuffix: [UInt8] = [
    0x00, 0x00, 0x00, 0x10, 0x80, 0x00, 0x00, 0xAA, 0x00, 0x38, 0x9B, 0x71,
  ]

  init(_ chunk: RIFFContainer.Chunk, in container: RIFFContainer) throws(AudioError) {
    let (reader, start) = (container.reader, chunk.start)
    guard chunk.size >= Self.minSize else {
      throw AudioError(.corrupt(message: "the format chunk has \(chunk.size) bytes instead of 16"))
    }
    guard
      let tag = reader.uint16(at: start), let channels = reader.uint16(at: start + 2),
      let rate = reader.uint32(at: start + 4), let frameSize = reader.uint16(at: start + 12),
      let bits = reader.uint16(at: start + 14)
    else { throw AudioError(.truncated) }
    let kind = tag == Tag.extensible ? try Self.subformat(of: chunk, in: reader) : tag
    let bytes = try Self.bytesPerSample(
      bits: Int(bits), frameSize: Int(frameSize), channels: Int(channels))
    guard rate > 0 else { throw AudioError(.corrupt(message: "the sample rate is 0")) }
    guard rate <= AudioLimits.maxSampleRate else {
      throw AudioError(.unsupported("a sample rate of \(rate) Hz"))
    }
    guard let encoding = Self.encoding(kind, bytes, isBigEndian: reader.isBigEndian) else {
      throw AudioError(.unsupported("the WAV format \(kind) with \(bits) bits per sample"))
    }
    format = try AudioFormat(
      encoding: encoding, sampleRate: Int(rate), channelCount: Int(channels))
  }

  /// Returns the format tag at the start of the identifier of an extensible format.
  private static func subformat(
    of chunk: RIFFContainer.Chunk, in reader: AudioByteReader
  ) throws(AudioError) -> UInt16 {
    guard chunk.size >= extensibleSize else {
      throw AudioError(.corrupt(message: "the extensible format chunk has \(chunk.size) bytes"))
    }
    let start = chunk.start + 24
    guard start + 16 <= reader.count else { throw AudioError(.truncated) }
    let identifier = Array(reader.bytes[start..<start + 16])
    // In RIFX, the first three fields of an identifier are big-endian.
    if reader.isBigEndian, identifier[0..<2] == [0, 0],
      Array(identifier[4...]) == bigEndianSubformatSuffix
    {
      return UInt16(identifier[2]) << 8 | UInt16(identifier[3])
    }
    guard Array(identifier[2...]) == subformatSuffix else {
      throw AudioError(.unsupported("an unknown extensible WAV format"))
    }
    return UInt16(identifier[0]) | UInt16(identifier[1]) << 8
  }

  /// Returns the number of bytes of a sample.
  ///
  /// Samples with fewer bits than fit in their bytes are stored in the upper bits.
  private static func bytesPerSample(
    bits: Int, frameSize: Int, channels: Int
  ) throws(AudioError) -> Int {
    guard channels > 0 else { throw AudioError(.corrupt(message: "there are no channels")) }
    guard channels <= AudioLimits.maxChannels else {
      throw AudioError(.unsupported("\(channels) channels"))
    }
    guard bits > 0, frameSize.isMultiple(of: channels), frameSize * 8 >= bits * channels else {
      throw AudioError(
        .corrupt(
          message: "a frame of \(channels) channels with \(bits) bits has \(frameSize) bytes"))
    }
    return frameSize / channels
  }

  private static func encoding(
    _ kind: UInt16, _ bytes: Int, isBigEndian: Bool
  ) -> AudioEncoding? {
    switch (kind, bytes) {
    case (Tag.integers, 1): .uint8
    case (Tag.integers, 2): isBigEndian ? .int16BigEndian : .int16
    case (Tag.integers, 3): isBigEndian ? .int24BigEndian : .int24
    case (Tag.integers, 4): isBigEndian ? .int32BigEndian : .int32
    case (Tag.floats, 4): isBigEndian ? .float32BigEndian : .float32
    case (Tag.floats, 8): isBigEndian ? .float64BigEndian : .float64
    case (Tag.aLaw, 1): .aLaw
    case (Tag.muLaw, 1): .muLaw
    default: nil
    }
  }
}
