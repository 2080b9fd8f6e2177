internal import CWebP

/// libwebp's simple interface, which writes into memory of ours.
enum WebPCodec {
  static func decode(_ bytes: [UInt8]) throws(ImageError) -> ImageBuffer {
    let webp = try WebPStructure(bytes)
    try ImageLimits.check(width: webp.width, height: webp.height)
    let library = try WebPLibrary.standard
    let bytesPerRow = webp.width * PixelFormat.rgb.bytesPerPixel
    var isDecoded = false
    let pixels = unsafe PixelKernels.bytes(count: bytesPerRow * webp.height) { target in
      isDecoded = unsafe webp.file.withUnsafeBufferPointer { file in
        guard let start = file.baseAddress else { return false }
        return unsafe library.functions.pointee.WebPDecodeRGBInto(
          start, file.count, target, bytesPerRow * webp.height, Int32(bytesPerRow)) != nil
      }
    }
    guard isDecoded else { throw ImageError(.damaged(problem: "libwebp cannot decode it")) }
    return ImageBuffer(
      unchecked: pixels, width: webp.width, height: webp.height, format: .rgb,
      bytesPerRow: bytesPerRow, orientation: webp.orientation)
  }
}
