import CPixelKernels
import TensorIOTestSupport
import Testing

/// The fast forms of the kernels give the bytes of the portable ones.
@Suite struct `Kernels` {
  @Test(arguments: [1, 3, 4], 1...4)
  func `along rows agree with their portable form`(channels: Int, rows: Int) {
    var generator = SeededGenerator(seed: UInt64(channels * 10 + rows))
    for _ in 0..<200 {
      let width = Int.random(in: 1...70, using: &generator)
      let length = Int.random(in: 1...50, using: &generator)
      let source = bytes(width * channels * rows, &generator)
      let taps = Taps(width: width, length: length, &generator)
      let fast = unsafe taps.run(source, rows, channels, width) {
        unsafe pixels_horizontal($0, $1, $2, $3, $4, $5)
      }
      let portable = unsafe taps.run(source, rows, channels, width) {
        unsafe pixels_horizontal_portable($0, $1, $2, $3, $4, $5)
      }
      #expect(fast == portable)
    }
  }

  @Test func `down columns agree with their portable form`() {
    var generator = SeededGenerator(seed: 5)
    for _ in 0..<400 {
      let width = Int.random(in: 1...200, using: &generator)
      let count = Int.random(in: 1...40, using: &generator)
      let source = bytes(width * count, &generator)
      let weights = (0..<count).map { _ in weight(&generator) }
      let fast = unsafe down(source, weights, width) { unsafe pixels_vertical($0, $1, $2, $3, $4) }
      let portable = unsafe down(source, weights, width) {
        unsafe pixels_vertical_portable($0, $1, $2, $3, $4)
      }
      #expect(fast == portable)
    }
  }

  private func down(
    _ source: [UInt8], _ weights: [Int32], _ width: Int,
    _ kernel: (
      UnsafePointer<UnsafePointer<UInt8>>, Int32, UnsafePointer<Int32>, UnsafeMutablePointer<UInt8>,
      Int
    ) -> Void
  ) -> [UInt8] {
    var target = [UInt8](repeating: 0, count: width)
    unsafe source.withUnsafeBufferPointer { source in
      guard let base = source.baseAddress else { return }
      let rows = unsafe weights.indices.map { unsafe base + $0 * width }
      unsafe kernel(rows, Int32(weights.count), weights, &target, width)
    }
    return target
  }
}

private func bytes(_ count: Int, _ generator: inout SeededGenerator) -> [UInt8] {
  // Many black and white ones, so that sums leave the range of a byte.
  (0..<count).map { _ in
    [0, 255, UInt8.random(in: 0...255, using: &generator)].randomElement(using: &generator) ?? 0
  }
}

private func weight(_ generator: inout SeededGenerator) -> Int32 {
  Int32.random(in: -600_000...1_300_000, using: &generator)
}

private struct Taps {
  var starts: [Int32] = []
  var counts: [Int32] = []
  var weights: [Int32] = []
  let stride = 40

  init(width: Int, length: Int, _ generator: inout SeededGenerator) {
    for _ in 0..<length {
      let start = Int.random(in: 0..<width, using: &generator)
      let count = Int.random(in: 1...min(stride, width - start), using: &generator)
      starts.append(Int32(start))
      counts.append(Int32(count))
      weights += (0..<stride).map { $0 < count ? weight(&generator) : 0 }
    }
  }

  func run(
    _ source: [UInt8], _ rows: Int, _ channels: Int, _ width: Int,
    _ kernel: (
      UnsafePointer<UnsafePointer<UInt8>>, UnsafePointer<UnsafeMutablePointer<UInt8>>, Int32, Int32,
      Int32, UnsafePointer<CPixelKernels.pixels_taps>
    ) -> Void
  ) -> [UInt8] {
    let rowBytes = starts.count * channels
    var target = [UInt8](repeating: 0, count: rowBytes * rows)
    unsafe source.withUnsafeBufferPointer { source in
      unsafe target.withUnsafeMutableBufferPointer { target in
        unsafe starts.withUnsafeBufferPointer { starts in
          unsafe counts.withUnsafeBufferPointer { counts in
            unsafe weights.withUnsafeBufferPointer { weights in
              guard let from = source.baseAddress, let to = target.baseAddress,
                let start = starts.baseAddress, let count = counts.baseAddress,
                let weight = weights.baseAddress
              else { return }
              var taps = unsafe CPixelKernels.pixels_taps(
                length: Int32(starts.count), stride: Int32(stride), starts: start, counts: count,
                weights: weight)
              let sources = unsafe (0..<rows).map { unsafe from + $0 * width * channels }
              let targets = unsafe (0..<rows).map { unsafe to + $0 * rowBytes }
              unsafe kernel(sources, targets, Int32(rows), Int32(channels), Int32(width), &taps)
            }
          }
        }
      }
    }
    return target
  }
}
