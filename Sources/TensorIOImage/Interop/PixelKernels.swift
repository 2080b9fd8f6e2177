import CPixelKernels

/// The kernels in C, one Swift function each.
enum PixelKernels {
  /// The fastest form of the kernels that the processor has.
  static let form = pixels_fastest_form()

  /// An array whose bytes are all written by the closure.
  static func bytes(count: Int, _ fill: (UnsafeMutablePointer<UInt8>) -> Void) -> [UInt8] {
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
    _ walk: UprightWalk, from source: UnsafePointer<UInt8>, rows: Range<Int>,
    into target: UnsafeMutablePointer<UInt8>, bytesPerRow: Int
  ) {
    unsafe pixels_gather(
      source + walk.origin + rows.lowerBound * walk.stepY, walk.stepX, walk.stepY,
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
  static func colors(ofInks inks: [UInt8]) -> [UInt8] {
    unsafe inks.withUnsafeBufferPointer { source in
      unsafe bytes(count: inks.count / 4 * 3) { target in
        if let base = source.baseAddress { unsafe pixels_inks_to_rgb(base, target, inks.count / 4) }
      }
    }
  }
}
