import CPixelKernels
import TensorIOTestSupport
import Testing

/// The optimized kernels give the same bytes as the portable ones.
@Suite(.ownThreads) struct KernelTests {
  private static let fastForms = [PIXELS_AVX2, PIXELS_AVX512, PIXELS_NEON].filter {
    pixels_supports($0) == 1
  }

  @Test func `The fastest kernels are among those that are compared`() {
    #expect(Self.fastForms.isEmpty == (pixels_fastest_form() == PIXELS_PORTABLE))
    #expect(Self.fastForms.last ?? PIXELS_PORTABLE == pixels_fastest_form())
    #if arch(arm64)
      #expect(Self.fastForms == [PIXELS_NEON])
    #else
      #expect(!Self.fastForms.contains(PIXELS_NEON))
    #endif
  }

  @Test(arguments: [1, 3, 4], 1...4)
  func `Horizontal kernels agree with the portable implementation`(channels: Int, rows: Int) {
    var generator = SeededGenerator(seed: UInt64(channels * 10 + rows))
    for round in 0..<200 {
      let width = Int.random(in: 1...300, using: &generator)
      let length = Int.random(in: 1...90, using: &generator)
      let source = bytes(width * channels * rows, &generator)
      let taps =
        round % 4 == 0
        ? Taps(randomLength: length, over: width, &generator)
        : Taps(length: length, over: width, &generator)
      let portable = taps.run(source, rows, channels, width, PIXELS_PORTABLE)
      for form in Self.fastForms {
        #expect(taps.run(source, rows, channels, width, form) == portable)
      }
    }
  }

  @Test(arguments: [1, 3, 4])
  func `Horizontal kernels accept the largest weights`(channels: Int) {
    var generator = SeededGenerator(seed: 3)
    for weight: Int32 in [0x7F7F7F, -0x7F7F7F, 0x7F7F80, -0x7F7F80, 1 << 22, -(1 << 22), 127, 128] {
      let source = bytes(90 * channels, &generator)
      var taps = Taps(length: 31, over: 90, &generator)
      taps.weights = taps.weights.indices.map { $0 % taps.stride == 0 ? weight : 0 }
      let portable = taps.run(source, 1, channels, 90, PIXELS_PORTABLE)
      for form in Self.fastForms {
        #expect(taps.run(source, 1, channels, 90, form) == portable, "\(weight)")
      }
    }
  }

  @Test(.enabled(if: pixels_fastest_form() == PIXELS_AVX512), arguments: [1, 3, 4])
  func `Horizontal weights are packed only for the widest instruction set`(channels: Int) {
    var generator = SeededGenerator(seed: 4)
    let ordered = Taps(length: 224, over: 1_280, &generator)
    #expect(ordered.isArranged(channels, 1_280, PIXELS_AVX512))
    #expect(!ordered.isArranged(channels, 1_280, PIXELS_AVX2))
    let random = Taps(randomLength: 224, over: 1_280, &generator)
    #expect(!random.isArranged(channels, 1_280, PIXELS_AVX512))
  }

  @Test func `Vertical kernels agree with the portable implementation`() {
    var generator = SeededGenerator(seed: 5)
    for round in 0..<400 {
      let width = Int.random(in: 1...300, using: &generator)
      let count = Int.random(in: 1...(round % 40 == 0 ? 300 : 40), using: &generator)
      let source = bytes(width * count, &generator)
      var weights = (0..<count).map { _ in weight(&generator, of: count) }
      if round % 10 == 0 {
        weights = weights.map { _ in 0 }
        weights[round % count] = round % 20 == 0 ? 0x7F7F7F : -0x7F7F80
      }
      let portable = vertical(source, weights, width, PIXELS_PORTABLE)
      for form in Self.fastForms {
        #expect(vertical(source, weights, width, form) == portable)
      }
    }
  }

  @Test(arguments: [1, 3, 4], [false, true])
  func `Float conversion agrees with Swift's arithmetic`(channels: Int, planar: Bool) {
    var generator = SeededGenerator(seed: 6)
    for count in [1, 2, 15, 16, 17, 31, 48, 49, 97, 224] {
      let source = bytes(count * channels, &generator)
      let scales = (0..<channels).map { _ in Float.random(in: -3...3, using: &generator) }
      let biases = (0..<channels).map { _ in Float.random(in: -300...300, using: &generator) }
      let expected = (0..<source.count).map { index in
        let (pixel, channel) =
          planar ? (index % count, index / count) : (index / channels, index % channels)
        return Float(source[pixel * channels + channel]) * scales[channel] + biases[channel]
      }
      for form in [PIXELS_PORTABLE] + Self.fastForms {
        var target = [Float](repeating: .nan, count: source.count)
        if planar {
          unsafe pixels_planes(
            form, source, Int32(count), Int32(channels), scales, biases, &target, count)
        } else {
          unsafe pixels_floats(
            form, source, source.count, period(of: scales), period(of: biases), &target)
        }
        #expect(target == expected)
      }
    }
  }

  private func vertical(
    _ source: [UInt8], _ weights: [Int32], _ width: Int, _ form: pixels_form
  ) -> [UInt8] {
    var target = [UInt8](repeating: 0, count: width)
    unsafe source.withUnsafeBufferPointer { source in
      guard let base = source.baseAddress else { return }
      let rows = unsafe weights.indices.map { unsafe base + $0 * width }
      unsafe pixels_vertical(form, rows, Int32(weights.count), weights, &target, width)
    }
    return target
  }
}

private func bytes(_ count: Int, _ generator: inout SeededGenerator) -> [UInt8] {
  // Many bytes are black or white, so that sums exceed the range of a byte.
  (0..<count).map { _ in
    [0, 255, UInt8.random(in: 0...255, using: &generator)].randomElement(using: &generator) ?? 0
  }
}

/// Repeats the values up to the kernels' period.
private func period(of values: [Float]) -> [Float] {
  (0..<PIXELS_PERIOD).map { values[$0 % values.count] }
}

/// Returns a weight such that the sum of `count` weights fits into 32 bits.
private func weight(_ generator: inout SeededGenerator, of count: Int) -> Int32 {
  let limit = Int32(8_000_000 / max(count, 6))
  return Int32.random(in: -limit / 2...limit, using: &generator)
}

private struct Taps {
  var starts: [Int32] = []
  var counts: [Int32] = []
  var weights: [Int32] = []
  let stride = 40

  /// Windows at random positions.
  init(randomLength length: Int, over width: Int, _ generator: inout SeededGenerator) {
    for _ in 0..<length {
      let start = Int.random(in: 0..<width, using: &generator)
      append(start, Int.random(in: 1...min(stride, width - start), using: &generator), &generator)
    }
  }

  /// Windows from left to right, as filters generate them.
  init(length: Int, over width: Int, _ generator: inout SeededGenerator) {
    let longest = Int.random(in: 1...stride, using: &generator)
    for x in 0..<length {
      let start = x * width / length
      append(start, min(longest - x % min(2, longest), width - start), &generator)
    }
  }

  private mutating func append(_ start: Int, _ count: Int, _ generator: inout SeededGenerator) {
    starts.append(Int32(start))
    counts.append(Int32(count))
    weights += (0..<stride).map { $0 < count ? weight(&generator, of: count) : 0 }
  }

  func isArranged(_ channels: Int, _ width: Int, _ form: pixels_form) -> Bool {
    unsafe withTaps { taps in
      guard let arranged = unsafe pixels_arrange(form, taps, Int32(channels), Int32(width)) else {
        return false
      }
      unsafe pixels_arrangement_free(arranged)
      return true
    }
  }

  func run(
    _ source: [UInt8], _ rows: Int, _ channels: Int, _ width: Int, _ form: pixels_form
  ) -> [UInt8] {
    let rowBytes = starts.count * channels
    var target = [UInt8](repeating: 0, count: rowBytes * rows)
    unsafe withTaps { taps in
      let arranged = unsafe pixels_arrange(form, taps, Int32(channels), Int32(width))
      unsafe source.withUnsafeBufferPointer { source in
        unsafe target.withUnsafeMutableBufferPointer { target in
          guard let from = source.baseAddress, let to = target.baseAddress else { return }
          let sources = unsafe (0..<rows).map { unsafe from + $0 * width * channels }
          let targets = unsafe (0..<rows).map { unsafe to + $0 * rowBytes }
          unsafe pixels_horizontal(
            form, sources, targets, Int32(rows), Int32(channels), Int32(width), taps, arranged)
        }
      }
      if let arranged = unsafe arranged { unsafe pixels_arrangement_free(arranged) }
    }
    return target
  }

  private func withTaps<Result>(_ body: (UnsafePointer<pixels_taps>) -> Result) -> Result {
    unsafe starts.withUnsafeBufferPointer { starts in
      unsafe counts.withUnsafeBufferPointer { counts in
        unsafe weights.withUnsafeBufferPointer { weights in
          guard let start = starts.baseAddress, let count = counts.baseAddress,
            let weight = weights.baseAddress
          else { preconditionFailure("there are no windows") }
          var taps = unsafe pixels_taps(
            length: Int32(starts.count), stride: Int32(stride), starts: start, counts: count,
            weights: weight)
          return unsafe body(&taps)
        }
      }
    }
  }
}
