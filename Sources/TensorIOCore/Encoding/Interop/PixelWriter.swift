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
    /// One multiplication and addition a pixel, by channel; in a tensor of several channels, a
    /// single scale and bias are those of all of them, in the order in which they come.
    case floats(PixelFloats)
    /// A byte for every pixel value, by channel.
    case bytes([UInt8])
    /// Sixteen bits for every pixel value, by channel.
    case halves([UInt16])
  }

  /// Fits a picture and writes it, a few rows at a time, straight into the tensor.
  func write(
    _ image: ImageBuffer, preparedBy preparation: ImagePreparation, as format: PixelFormat,
    into memory: inout MutableRawSpan
  ) throws(ImageError) -> ImageGeometry {
    let rows = try preparation.rows(of: image)
    let places = PixelPlaces(
      width: preparation.width, height: preparation.height, channels: format.bytesPerPixel, layout)
    unsafe memory.withUnsafeMutableBytes { bytes in
      rows.forEachStretch(as: format) { row, pixels in
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
        let start = places.start(of: row, 0)
        unsafe UnsafeMutableRawBufferPointer(rebasing: tensor[start..<start + pixels.count])
          .copyMemory(from: UnsafeRawBufferPointer(pixels))
      case .floats(let floats):
        unsafe write(pixels, of: row, at: places, to: tensor, floats)
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

  private func write(
    _ pixels: UnsafeBufferPointer<UInt8>, of row: Int, at places: PixelPlaces,
    to tensor: UnsafeMutableRawBufferPointer, _ floats: PixelFloats
  ) {
    let elements = unsafe tensor.bindMemory(to: Float.self)
    guard let target = elements.baseAddress, elements.count >= places.count else { return }
    if layout == .channelsFirst, floats.channels > 1 {
      unsafe floats.write(
        pixels, toPlanes: target + places.start(of: row, 0), apart: places.width * places.height)
    } else {
      unsafe floats.write(pixels, to: target + places.start(of: row, 0))
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
