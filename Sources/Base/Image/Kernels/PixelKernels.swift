import CPixelKernels

/// Swift interfaces to the kernels in CPixelKernels.
enum PixelKernels {
  /// The fastest instruction set that the processor and the kernels support.
  static let instructionSet = pixels_fastest_form()

  /// Returns an array whose bytes are all initialized by a closure.
  static func makeBytes(count: Int, _ fill: (UnsafeMutablePointer<UInt8>) -> Void) -> [UInt8] {
    unsafe [UInt8](unsafeUninitializedCapacity: count) { memory, initialized in
      if let base = memory.baseAddress { unsafe fill(base) }
      initialized = count
    }
  }

  /// Converts pixels to another format.
  ///
  /// The corresponding C functions are `pixels_rearrange` and `pixels_luma`.
  static func convert(
    _ source: UnsafePointer<UInt8>, from format: PixelFormat,
    to target: UnsafeMutablePointer<UInt8>,
    as newFormat: PixelFormat, count: Int
  ) {
    if newFormat == format {
      unsafe target.update(from: source, count: count * format.bytesPerPixel)
    } else if newFormat == .gray {
      unsafe pixels_luma(source, format.layout, target, Int32(count))
    } else {
      unsafe pixels_rearrange(source, format.layout, target, newFormat.layout, Int32(count))
    }
  }

  /// Copies rows in upright order.
  ///
  /// The corresponding C function is `pixels_gather`.
  static func gather(
    _ strides: OrientedPixelStrides, from source: UnsafePointer<UInt8>, rows: Range<Int>,
    into target: UnsafeMutablePointer<UInt8>, bytesPerRow: Int
  ) {
    unsafe pixels_gather(
      source + strides.origin + rows.lowerBound * strides.rowStride, strides.pixelStride,
      strides.rowStride,
      Int32(strides.bytesPerPixel), Int32(strides.width), Int32(rows.count), target, bytesPerRow)
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
  /// Calls a closure with the address of the first stored pixel.
  func withPixels<Result, Failure: Error>(
    _ body: (UnsafePointer<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try unsafe storage.withUnsafeBufferPointer { (memory) throws(Failure) in
      // An image has at least one pixel, so its memory has an address.
      guard let base = memory.baseAddress else { preconditionFailure("the image has no pixels") }
      return try unsafe body(base + offset)
    }
  }
}

extension PixelKernels {
  /// Converts inverted CMYK pixels, as Adobe writes them, to RGB.
  ///
  /// The corresponding C function is `pixels_inks_to_rgb`.
  static func rgb(fromInvertedCMYK inks: [UInt8]) -> [UInt8] {
    unsafe inks.withUnsafeBufferPointer { source in
      unsafe makeBytes(count: inks.count / 4 * 3) { target in
        if let base = source.baseAddress { unsafe pixels_inks_to_rgb(base, target, inks.count / 4) }
      }
    }
  }
}

/// The processor features that the kernels use.
package enum PixelKernelSupport {
  /// The names of the features in use, such as `avx2`.
  package static var processorFeatures: [String] {
    switch pixels_fastest_form() {
    case PIXELS_AVX512: ["avx2", "avx512vnni"]
    case PIXELS_AVX2: ["avx2"]
    case PIXELS_NEON: ["neon"]
    default: []
    }
  }
}

/// The conversion of pixel bytes to floats: each byte times the scale of its channel, plus the
/// bias.
package struct PixelNormalization: Sendable {
  /// The number of channels with their own scale and bias.
  package let channels: Int
  // Repeated up to the kernels' period, so that vectors can be loaded at any offset.
  private let scales: [Float]
  private let biases: [Float]

  /// Creates a normalization from the scales and biases of 1, 3 or 4 channels.
  package init(scales: [Float], biases: [Float]) {
    precondition([1, 3, 4].contains(scales.count) && scales.count == biases.count)
    channels = scales.count
    (self.scales, self.biases) = (Self.period(of: scales), Self.period(of: biases))
  }

  private static func period(of values: [Float]) -> [Float] {
    (0..<PIXELS_PERIOD).map { values[$0 % values.count] }
  }

  /// Writes pixels with interleaved channels.
  ///
  /// The corresponding C function is `pixels_floats`.
  package func write(
    _ pixels: UnsafeBufferPointer<UInt8>, to target: UnsafeMutablePointer<Float>
  ) {
    guard let source = pixels.baseAddress else { return }
    unsafe pixels_floats(
      PixelKernels.instructionSet, source, pixels.count, scales, biases, target)
  }

  /// Writes each channel of pixels into its own plane.
  ///
  /// Planes are `planeStride` elements apart.
  ///
  /// The corresponding C function is `pixels_planes`.
  package func write(
    _ pixels: UnsafeBufferPointer<UInt8>, toPlanes target: UnsafeMutablePointer<Float>,
    planeStride: Int
  ) {
    guard let source = pixels.baseAddress else { return }
    unsafe pixels_planes(
      PixelKernels.instructionSet, source, Int32(pixels.count / channels), Int32(channels), scales,
      biases, target, planeStride)
  }
}
