internal import TensorIOImage

/// Writes rows of prepared pixels into a tensor.
struct PixelWriter: Sendable {
  /// How a pixel becomes an element.
  let code: Code
  /// Whether the channels lie together or in planes.
  let layout: ImageLayout

  /// What happens to a pixel depends on nothing but its value and its channel, so that everything
  /// but floats is looked up in a table of 256 elements a channel.
  enum Code: Sendable {
    /// The pixels as they are, in the order in which they come.
    case copy
    /// One multiplication and addition a pixel, the same for all channels, in the order in which
    /// they come.
    case uniform(PixelCode)
    /// One multiplication and addition a pixel, by channel.
    case floats([PixelCode])
    /// A byte for every pixel value, by channel.
    case bytes([UInt8])
    /// Sixteen bits for every pixel value, by channel.
    case halves([UInt16])
  }

  /// Fits a picture and writes it, row by row, straight into the tensor.
  func write(
    _ image: ImageBuffer, preparedBy preparation: ImagePreparation, as format: PixelFormat,
    into memory: inout MutableRawSpan
  ) throws(ImageError) -> ImageGeometry {
    let rows = try preparation.rows(of: image)
    let places = PixelPlaces(
      width: preparation.width, height: preparation.height, channels: format.bytesPerPixel, layout)
    unsafe memory.withUnsafeMutableBytes { bytes in
      rows.forEach(as: format) { row, pixels in
        unsafe write(pixels, of: row, at: places, to: bytes)
      }
    }
    return rows.geometry
  }

  private func write(
    _ pixels: Span<UInt8>, of row: Int, at places: PixelPlaces,
    to tensor: UnsafeMutableRawBufferPointer
  ) {
    unsafe pixels.withUnsafeBufferPointer { pixels in
      switch code {
      case .copy:
        let start = row * pixels.count
        unsafe UnsafeMutableRawBufferPointer(rebasing: tensor[start..<start + pixels.count])
          .copyMemory(from: UnsafeRawBufferPointer(pixels))
      case .uniform(let code):
        unsafe Self.write(pixels, from: row * pixels.count, to: tensor, code)
      case .floats(let codes):
        unsafe Self.write(pixels, of: row, at: places, to: tensor) { (pixel, channel) -> Float in
          codes[channel](pixel)
        }
      case .bytes(let table):
        unsafe Self.write(pixels, of: row, at: places, to: tensor) { (pixel, channel) -> UInt8 in
          table[channel * 256 + Int(pixel)]
        }
      case .halves(let table):
        unsafe Self.write(pixels, of: row, at: places, to: tensor) { (pixel, channel) -> UInt16 in
          table[channel * 256 + Int(pixel)]
        }
      }
    }
  }

  private static func write(
    _ pixels: UnsafeBufferPointer<UInt8>, from start: Int,
    to tensor: UnsafeMutableRawBufferPointer, _ code: PixelCode
  ) {
    let (scale, bias) = (code.scale, code.bias)
    let elements = unsafe tensor.bindMemory(to: Float.self)
    for index in 0..<min(pixels.count, elements.count - start) {
      unsafe elements[start + index] = unsafe Float(pixels[index]) * scale + bias
    }
  }

  @inline(__always)
  private static func write<Element: BitwiseCopyable>(
    _ pixels: UnsafeBufferPointer<UInt8>, of row: Int, at places: PixelPlaces,
    to tensor: UnsafeMutableRawBufferPointer, _ element: (UInt8, Int) -> Element
  ) {
    let elements = unsafe tensor.bindMemory(to: Element.self)
    for channel in 0..<places.channels {
      var place = places.start(of: row, channel)
      for index in stride(from: channel, to: pixels.count, by: places.channels) {
        unsafe elements[place] = unsafe element(pixels[index], channel)
        place += places.step
      }
    }
  }
}
