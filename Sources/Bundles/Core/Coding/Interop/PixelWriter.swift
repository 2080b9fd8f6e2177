import TensorIOBundle
import TensorIOImage

/// Writes rows of preprocessed pixels into a tensor.
struct PixelWriter: Sendable {
  /// The conversion of pixels to elements.
  let conversion: Conversion
  /// Whether the channels are interleaved or planar.
  let layout: ImageLayout

  /// A conversion that depends only on a pixel's value and channel, so that all but floats use a
  /// table of 256 elements per channel.
  enum Conversion: Sendable {
    /// Copies the pixels unchanged, in their order.
    case copy
    /// Applies a scale and bias per channel. A single scale and bias apply to all channels of
    /// interleaved pixels.
    case float32(PixelNormalization)
    /// Maps each pixel value to a byte, by channel.
    case byteTable([UInt8])
    /// Maps each pixel value to 16 bits, by channel.
    case float16Table([UInt16])
  }

  /// Fits an image and writes it directly into the tensor, a few rows at a time.
  ///
  /// What the image leaves of a longer frame is zero.
  func write(
    _ image: ImageBuffer, preparedBy preparation: ImagePreparation, as format: PixelFormat,
    frame: (width: Int, height: Int), into memory: inout MutableRawSpan
  ) throws(ImageError) -> ImageGeometry {
    let rows =
      if let sides = preparation.sides {
        try preparation.rows(of: image, sides, in: frame)
      } else {
        try preparation.rows(of: image)
      }
    let strides = PixelStrides(
      width: frame.width, height: frame.height, channels: format.bytesPerPixel, layout)
    guard rows.width == frame.width, rows.height == frame.height else {
      unsafe memory.withUnsafeMutableBytes { bytes in
        unsafe bytes.initializeMemory(as: UInt8.self, repeating: 0)
        rows.forEach(as: format) { row, pixels in
          unsafe write(pixels, of: row, at: strides, to: bytes)
        }
      }
      return rows.geometry
    }
    unsafe memory.withUnsafeMutableBytes { bytes in
      rows.forEachContiguousRun(as: format) { row, pixels in
        unsafe write(pixels, of: row, at: strides, to: bytes)
      }
    }
    return rows.geometry
  }

  private func write(
    _ pixels: Span<UInt8>, of row: Int, at strides: PixelStrides,
    to tensor: UnsafeMutableRawBufferPointer
  ) {
    unsafe pixels.withUnsafeBufferPointer { pixels in
      switch conversion {
      case .copy:
        let start = strides.offset(row: row, channel: 0)
        unsafe UnsafeMutableRawBufferPointer(rebasing: tensor[start..<start + pixels.count])
          .copyMemory(from: UnsafeRawBufferPointer(pixels))
      case .float32(let floats):
        unsafe write(pixels, of: row, at: strides, to: tensor, floats)
      case .byteTable(let table):
        unsafe Self.write(pixels, of: row, at: strides, to: tensor) { (pixel, channel) -> UInt8 in
          table[channel * 256 + Int(pixel)]
        }
      case .float16Table(let table):
        unsafe Self.write(pixels, of: row, at: strides, to: tensor) { (pixel, channel) -> UInt16 in
          table[channel * 256 + Int(pixel)]
        }
      }
    }
  }

  private func write(
    _ pixels: UnsafeBufferPointer<UInt8>, of row: Int, at strides: PixelStrides,
    to tensor: UnsafeMutableRawBufferPointer, _ floats: PixelNormalization
  ) {
    let elements = unsafe tensor.bindMemory(to: Float.self)
    guard let target = elements.baseAddress, elements.count >= strides.count else { return }
    if layout == .channelsFirst, floats.channels > 1 {
      unsafe floats.write(
        pixels, toPlanes: target + strides.offset(row: row, channel: 0),
        planeStride: strides.width * strides.height)
    } else {
      unsafe floats.write(pixels, to: target + strides.offset(row: row, channel: 0))
    }
  }

  @inline(__always)
  private static func write<Element: BitwiseCopyable>(
    _ pixels: UnsafeBufferPointer<UInt8>, of row: Int, at strides: PixelStrides,
    to tensor: UnsafeMutableRawBufferPointer, _ element: (UInt8, Int) -> Element
  ) {
    let elements = unsafe tensor.bindMemory(to: Element.self)
    for channel in 0..<strides.channels {
      var offset = strides.offset(row: row, channel: channel)
      for index in stride(from: channel, to: pixels.count, by: strides.channels) {
        unsafe elements[offset] = unsafe element(pixels[index], channel)
        offset += strides.pixelStride
      }
    }
  }
}
