import CPixelKernels

/// The kernels in C, one Swift function each.
enum PixelKernels {
  /// The fastest form of the kernels that the processor has.
  static let instructionSet = pixels_fastest_form()

  /// An array whose bytes are all written by the closure.
  static func makeBytes(count: Int, _ fill: (UnsafeMutablePointer<UInt8>) -> Void) -> [UInt8] {
    unsafe [UInt8](unsafeUninitializedCapacity: count) { memory, initialized in
      if let base = memory.baseAddress { unsafe fill(base) }
      initialized = count
    }
  }

  /// Copies pixels with other channels.
  ///
  /// The corresponding functions are `pixels_rearrange` and
  /// `pixels_luma`.
  static func convert(
    _ source: UnsafePointer<UInt8>, from format: PixelFormat,
    to target: UnsafeMutablePointer<UInt8>,
    as wanted: PixelFormat, count: Int
  ) {
    if wanted == format {
      unsafe target.update(from: source, count: count * format.bytesPerPixel)
    } else if wanted == .gray {
      unsafe pixels_luma(source, format.layout, target, Int32(count))
    } else {
      unsafe pixels_rearrange(source, format.layout, target, wanted.layout, Int32(count))
    }
  }

  /// Copies upright rows.
  ///
  /// The corresponding function is `pixels_gather`.
  static func gather(
    _ walk: OrientedPixelStrides, from source: UnsafePointer<UInt8>, rows: Range<Int>,
    into target: UnsafeMutablePointer<UInt8>, bytesPerRow: Int
  ) {
    unsafe pixels_gather(
      source + walk.origin + rows.lowerBound * walk.rowStride, walk.pixelStride, walk.rowStride,
      Int32(walk.bytesPerPixel), Int32(walk.width), Int32(rows.count), target, bytesPerRow)
  }
}

extension PixelFormat {
  fileprivate var layout: pixels_layout {
    pixels_layout(
      bytes: Int32(bytesPerPixel), red: Int32(redOffset), green: Int32(greenOffset),
      blue: Int32(blueOffset), alpha: Int32(alphaOffset ?? -1))
  }
}

extension ImageBuffer {
  /// Lends the address of the first stored pixel.
  func withPixels<Result, Failure: Error>(
    _ body: (UnsafePointer<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try unsafe storage.withUnsafeBufferPointer { (memory) throws(Failure) in
      // A picture has at least one pixel, so its memory has an address.
      guard let base = memory.baseAddress else { preconditionFailure("a picture has pixels") }
      return try unsafe body(base + offset)
    }
  }
}

extension PixelKernels {
  /// Colours of inverted inks, four bytes each.
  ///
  /// The corresponding function is
  /// `pixels_inks_to_rgb`.
  static func rgb(fromInvertedCMYK inks: [UInt8]) -> [UInt8] {
    unsafe inks.withUnsafeBufferPointer { source in
      unsafe makeBytes(count: inks.count / 4 * 3) { target in
        if let base = source.baseAddress { unsafe pixels_inks_to_rgb(base, target, inks.count / 4) }
      }
    }
  }
}

/// What the processor offers to pixels.
package enum PixelKernelSupport {
  /// The features that are put to use, by their usual names.
  package static var processorFeatures: [String] {
    switch pixels_fastest_form() {
    case PIXELS_AVX512: ["avx2", "avx512vnni"]
    case PIXELS_AVX2: ["avx2"]
    default: []
    }
  }
}

/// How the bytes of pixels become floats: each times the scale of its channel, plus its bias.
package struct PixelNormalization: Sendable {
  /// How many channels are told apart.
  package let channels: Int
  // Repeated to a period, which begins with those of each channel.
  private let scales: [Float]
  private let biases: [Float]

  /// A way by the scale and bias of each channel, of which there are 1, 3 or 4.
  package init(scales: [Float], biases: [Float]) {
    precondition([1, 3, 4].contains(scales.count) && scales.count == biases.count)
    channels = scales.count
    (self.scales, self.biases) = (Self.period(of: scales), Self.period(of: biases))
  }

  private static func period(of values: [Float]) -> [Float] {
    (0..<PIXELS_PERIOD).map { values[$0 % values.count] }
  }

  /// Writes pixels whose channels stay together.
  ///
  /// The corresponding function is `pixels_floats`.
  package func write(
    _ pixels: UnsafeBufferPointer<UInt8>, to target: UnsafeMutablePointer<Float>
  ) {
    guard let source = pixels.baseAddress else { return }
    unsafe pixels_floats(
      PixelKernels.instructionSet, source, pixels.count, scales, biases, target)
  }

  /// Writes each channel of pixels into a plane of its own, all so many elements apart.
  ///
  /// The corresponding function is `pixels_planes`.
  package func write(
    _ pixels: UnsafeBufferPointer<UInt8>, toPlanes target: UnsafeMutablePointer<Float>, planeStride: Int
  ) {
    guard let source = pixels.baseAddress else { return }
    unsafe pixels_planes(
      PixelKernels.instructionSet, source, Int32(pixels.count / channels), Int32(channels), scales, biases,
      target, planeStride)
  }
}
