/// The spectra of several frames at a time, combined into bands.
struct SpectrumKernel: Sendable {
  typealias Lanes = RealFourierTransform.Lanes

  /// The number of frames that are transformed at a time.
  static let laneCount = Lanes.scalarCount

  /// Memory that is used again for other frames.
  struct Memory {
    fileprivate var frames: RealFourierTransform.Complexes
    fileprivate var scratch: RealFourierTransform.Complexes
    fileprivate var spectrum: [Lanes]
    /// The bands of each frame.
    fileprivate(set) var bands: [Lanes]

    init(_ kernel: SpectrumKernel, bandCount: Int) {
      let half = kernel.transform.size / 2
      frames = RealFourierTransform.Complexes(count: half)
      scratch = frames
      spectrum = [Lanes](repeating: .zero, count: half + 1)
      bands = [Lanes](repeating: .zero, count: bandCount)
    }
  }

  private let window: [Float]
  private let transform: RealFourierTransform

  /// Creates a kernel for a window that is not longer than the supported size of the transform.
  init(window: [Float], size: Int) {
    precondition(window.count <= size)
    self.window = window
    transform = RealFourierTransform(size: size)
  }

  /// Writes the bands of frames.
  ///
  /// - Parameters:
  ///   - samples: The audio.
  ///   - start: The first sample of the first frame.
  ///   - hop: The number of samples between the starts of frames.
  ///   - frameCount: The number of frames, at most ``laneCount``.
  ///   - isEnergy: Whether energies are summed instead of magnitudes.
  ///   - filters: The filters of the bands.
  ///   - memory: The memory for the result.
  func computeBands(
    of samples: [Float], at start: Int, hop: Int, frameCount: Int, isEnergy: Bool,
    _ filters: MelFilterBank, _ memory: inout Memory
  ) {
    load(samples, start, hop, frameCount, &memory.frames)
    transform.energies(
      of: &memory.frames, scratch: &memory.scratch, into: &memory.spectrum)
    if !isEnergy {
      for index in memory.spectrum.indices {
        memory.spectrum[index] = memory.spectrum[index].squareRoot()
      }
    }
    for (index, band) in filters.bands.enumerated() {
      var sum = Lanes.zero
      for offset in 0..<band.count {
        sum += memory.spectrum[band.firstBin + offset] * filters.weights[band.firstWeight + offset]
      }
      memory.bands[index] = sum
    }
  }

  /// Loads frames, multiplied by the window and followed by zeros.
  private func load(
    _ samples: [Float], _ start: Int, _ hop: Int, _ frameCount: Int,
    _ frames: inout RealFourierTransform.Complexes
  ) {
    precondition(start >= 0 && start + (frameCount - 1) * hop + window.count <= samples.count)
    // Additional lanes repeat the last frame.
    let offsets = (0..<Self.laneCount).map { min($0, frameCount - 1) * hop + start }
    unsafe samples.withUnsafeBufferPointer { samples in
      for index in 0..<transform.size / 2 {
        frames.real[index] = unsafe gather(samples, offsets, 2 * index)
        frames.imaginary[index] = unsafe gather(samples, offsets, 2 * index + 1)
      }
    }
  }

  @inline(__always) @unsafe private func gather(
    _ samples: UnsafeBufferPointer<Float>, _ offsets: [Int], _ index: Int
  ) -> Lanes {
    guard index < window.count else { return .zero }
    var lanes = Lanes.zero
    for lane in 0..<Self.laneCount { lanes[lane] = unsafe samples[offsets[lane] + index] }
    return lanes * window[index]
  }
}
