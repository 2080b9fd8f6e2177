/// Loops over samples.
enum SampleKernels {
  /// Returns the samples in a range of bytes.
  static func decode(
    _ bytes: [UInt8], at range: Range<Int>, _ encoding: AudioEncoding
  ) -> [Float] {
    precondition(range.lowerBound >= 0 && range.upperBound <= bytes.count)
    let count = range.count / encoding.bytesPerSample
    guard count > 0 else { return [] }
    return unsafe [Float](unsafeUninitializedCapacity: count) { target, initialized in
      unsafe bytes.withUnsafeBytes { source in
        guard let from = source.baseAddress, let target = target.baseAddress else { return }
        unsafe decode(from + range.lowerBound, count, encoding, into: target)
        initialized = count
      }
    }
  }

  /// Appends the samples in a range of bytes to an array.
  static func append(
    _ bytes: borrowing Span<UInt8>, at range: Range<Int>, _ encoding: AudioEncoding,
    to samples: inout [Float]
  ) {
    precondition(range.lowerBound >= 0 && range.upperBound <= bytes.count)
    let (old, count) = (samples.count, range.count / encoding.bytesPerSample)
    guard count > 0 else { return }
    samples.append(contentsOf: repeatElement(0, count: count))
    unsafe samples.withUnsafeMutableBufferPointer { target in
      unsafe bytes.withUnsafeBytes { source in
        guard let from = source.baseAddress, let target = target.baseAddress else { return }
        unsafe decode(from + range.lowerBound, count, encoding, into: target + old)
      }
    }
  }

  /// Returns the mean of the channels of each frame.
  static func mean(ofInterleaved samples: [Float], channelCount: Int) -> [Float] {
    precondition(channelCount > 0)
    let frames = samples.count / channelCount
    guard frames > 0 else { return [] }
    return unsafe [Float](unsafeUninitializedCapacity: frames) { target, initialized in
      unsafe samples.withUnsafeBufferPointer { source in
        guard let target = target.baseAddress, let source = source.baseAddress else { return }
        unsafe writeMeans(source, channelCount, frames, to: target)
      }
      initialized = frames
    }
  }

  /// Replaces the channels of each frame by their mean.
  static func mixToMono(_ samples: inout [Float], channelCount: Int) {
    precondition(channelCount > 0)
    let frames = samples.count / channelCount
    unsafe samples.withUnsafeMutableBufferPointer { memory in
      guard let base = memory.baseAddress else { return }
      // A mean is written before or at the first sample that the next one reads.
      unsafe writeMeans(base, channelCount, frames, to: base)
    }
    samples.removeLast(samples.count - frames)
  }

  @unsafe private static func writeMeans(
    _ source: UnsafePointer<Float>, _ channels: Int, _ frames: Int,
    to target: UnsafeMutablePointer<Float>
  ) {
    if channels == 2 {
      for frame in 0..<frames {
        unsafe target[frame] = (source[2 * frame] + source[2 * frame + 1]) / 2
      }
      return
    }
    for frame in 0..<frames {
      var sum: Float = 0
      for channel in 0..<channels { unsafe sum += source[frame * channels + channel] }
      unsafe target[frame] = sum / Float(channels)
    }
  }

  @unsafe private static func decode(
    _ source: UnsafeRawPointer, _ count: Int, _ encoding: AudioEncoding,
    into target: UnsafeMutablePointer<Float>
  ) {
    switch encoding {
    case .uint8:
      for index in 0..<count {
        let byte = unsafe source.load(fromByteOffset: index, as: UInt8.self)
        unsafe target[index] = (Float(byte) - 128) / 128
      }
    case .aLaw: unsafe decode(source, count, Companding.aLaw, into: target)
    case .muLaw: unsafe decode(source, count, Companding.muLaw, into: target)
    case .int16:
      for index in 0..<count {
        unsafe target[index] = Float(Int16(littleEndian: load(source, index))) / 0x1p15
      }
    case .int16BigEndian:
      for index in 0..<count {
        unsafe target[index] = Float(Int16(bigEndian: load(source, index))) / 0x1p15
      }
    case .int24: unsafe decode24(source, count, (0, 1, 2), into: target)
    case .int24BigEndian: unsafe decode24(source, count, (2, 1, 0), into: target)
    case .int32:
      for index in 0..<count {
        unsafe target[index] = Float(Int32(littleEndian: load(source, index))) / 0x1p31
      }
    case .int32BigEndian:
      for index in 0..<count {
        unsafe target[index] = Float(Int32(bigEndian: load(source, index))) / 0x1p31
      }
    case .float32:
      for index in 0..<count {
        unsafe target[index] = Float(bitPattern: UInt32(littleEndian: load(source, index)))
      }
    case .float32BigEndian:
      for index in 0..<count {
        unsafe target[index] = Float(bitPattern: UInt32(bigEndian: load(source, index)))
      }
    case .float64:
      for index in 0..<count {
        unsafe target[index] = Float(Double(bitPattern: UInt64(littleEndian: load(source, index))))
      }
    case .float64BigEndian:
      for index in 0..<count {
        unsafe target[index] = Float(Double(bitPattern: UInt64(bigEndian: load(source, index))))
      }
    }
  }

  @inline(__always) @unsafe private static func load<Number: BitwiseCopyable>(
    _ source: UnsafeRawPointer, _ index: Int
  ) -> Number {
    unsafe source.loadUnaligned(
      fromByteOffset: index * MemoryLayout<Number>.size, as: Number.self)
  }

  @inline(__always) @unsafe private static func decode24(
    _ source: UnsafeRawPointer, _ count: Int, _ order: (low: Int, middle: Int, high: Int),
    into target: UnsafeMutablePointer<Float>
  ) {
    for index in 0..<count {
      let low = unsafe source.load(fromByteOffset: index * 3 + order.low, as: UInt8.self)
      let middle = unsafe source.load(fromByteOffset: index * 3 + order.middle, as: UInt8.self)
      let high = unsafe source.load(fromByteOffset: index * 3 + order.high, as: Int8.self)
      let number = Int32(high) << 16 | Int32(middle) << 8 | Int32(low)
      unsafe target[index] = Float(number) / 0x1p23
    }
  }

  @unsafe private static func decode(
    _ source: UnsafeRawPointer, _ count: Int, _ table: [Float],
    into target: UnsafeMutablePointer<Float>
  ) {
    for index in 0..<count {
      let byte = unsafe source.load(fromByteOffset: index, as: UInt8.self)
      unsafe target[index] = table[Int(byte)]
    }
  }
}
