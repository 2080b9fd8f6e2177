/// The inner loop of resampling.
enum ResamplingKernel {
  private typealias Lanes = SIMD8<Float>

  /// The number of weights of a phase is a multiple of this number.
  static let step = 2 * Lanes.scalarCount

  /// The position in the input of the next output.
  struct Position {
    /// The index of the first sample that has an influence.
    var start: Int
    /// The phase of the filter.
    var phase: Int
  }

  /// Writes consecutive outputs to the end of an array.
  ///
  /// - Parameters:
  ///   - count: The number of outputs.
  ///   - filter: The filter.
  ///   - position: The position of the first output, and then of the one after the last.
  ///   - samples: The input.
  ///   - output: The array to which the outputs are appended.
  static func append(
    _ count: Int, filter: ResamplingFilter, position: inout Position, samples: [Float],
    to output: inout [Float]
  ) {
    guard count > 0 else { return }
    let old = output.count
    output.append(contentsOf: repeatElement(0, count: count))
    unsafe output.withUnsafeMutableBufferPointer { output in
      unsafe samples.withUnsafeBufferPointer { samples in
        unsafe filter.weights.withUnsafeBufferPointer { weights in
          unsafe run(
            count, filter, &position, UnsafeRawBufferPointer(samples),
            UnsafeRawBufferPointer(weights), output.extracting(old...))
        }
      }
    }
  }

  @unsafe private static func run(
    _ count: Int, _ filter: ResamplingFilter, _ position: inout Position,
    _ samples: UnsafeRawBufferPointer, _ weights: UnsafeRawBufferPointer,
    _ output: UnsafeMutableBufferPointer<Float>
  ) {
    guard let input = samples.baseAddress, let weights = weights.baseAddress else { return }
    let (up, taps) = (filter.up, filter.tapCount)
    let (wholeStep, phaseStep) = (filter.down / up, filter.down % up)
    var (start, phase) = (position.start, position.phase)
    let size = MemoryLayout<Float>.size
    for index in 0..<count {
      precondition(start >= 0 && (start + taps) * size <= samples.count)
      unsafe output[index] = dot(input + start * size, weights + phase * taps * size, taps * size)
      start += wholeStep
      phase += phaseStep
      if phase >= up {
        phase -= up
        start += 1
      }
    }
    position = Position(start: start, phase: phase)
  }

  /// Returns the sum of products, always in the same order.
  @inline(__always) @unsafe private static func dot(
    _ left: UnsafeRawPointer, _ right: UnsafeRawPointer, _ byteCount: Int
  ) -> Float {
    var (even, odd) = (Lanes.zero, Lanes.zero)
    let size = MemoryLayout<Lanes>.size
    var offset = 0
    while offset < byteCount {
      unsafe even +=
        left.loadUnaligned(fromByteOffset: offset, as: Lanes.self)
        * right.loadUnaligned(fromByteOffset: offset, as: Lanes.self)
      unsafe odd +=
        left.loadUnaligned(fromByteOffset: offset + size, as: Lanes.self)
        * right.loadUnaligned(fromByteOffset: offset + size, as: Lanes.self)
      offset += 2 * size
    }
    let sums = even + odd
    let four = sums.lowHalf + sums.highHalf
    let two = four.lowHalf + four.highHalf
    return two[0] + two[1]
  }
}
