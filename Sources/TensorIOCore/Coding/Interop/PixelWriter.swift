import TensorIOBundle
import TensorIOImage

/// Writes rows of prepared pixels into a tensor.
struct PixelWriter: Sendable {
  /// How a pixel becomes an element.
  let conversion: Conversion
  /// Whether the channels lie together or in planes.
  let layout: ImageLayout

  /// What happens to a pixel depends on nothing but its value and its channel, so that everything
  /// but floats is looked up in a table of 256 elements a channel.
  enum Conversion: Sendable {
    /// The pixels as they are, in the order in which they come.
    case copy
    /// One multiplication and addition a pixel, by channel; in a tensor of several channels, a
    /// single scale and bias are those of all of them, in the order in which they come.
    case float32(PixelNormalization)
    /// A byte for every pixel value, by channel.
    case byteTable([UInt8])
    /// Sixteen bits for every pixel value, by channel.
    case float16Table([UInt16])
  }

  /// Fits a picture and writes it, a few rows at a time, straight into the tensor.
  func write(
    _ image: ImageBuffer, preparedBy preparation: ImagePreparation, as format: PixelFormat,
    into memory: inout MutableRawSpan
  ) throws(ImageError) -> ImageGeometry {
    let rows = try preparation.rows(of: image)
    let places = PixelStrides(
      width: preparation.width, height: preparation.height, channels: format.bytesPerPixel, layout)
    unsafe memory.withUnsafeMutableBytes { bytes in
      rows.forEachContiguousRun(as: format) { row, pixels in
        unsafe write(pixels, of: row, at: places, to: bytes)
      }
    }
    return rows.geometry
  }

  private func write(
    _ pixels: Span<UInt8>, of row: Int, at places: PixelStrides,
    to tensor: UnsafeMutableRawBufferPointer
  ) {
    unsafe pixels.withUnsafeBufferPointer { pixels in
      switch conversion {
      case .copy:
        let start = places.offset(row: row, channel: 0)
        unsafe UnsafeMutableRawBufferPointer(rebasing: tensor[start..<start + pixels.count])
          .copyMemory(from: UnsafeRawBufferPointer(pixels))
      case .float32(let floats):
        unsafe write(pixels, of: row, at: places, to: tensor, floats)
      case .byteTable(let table):
        unsafe Self.write(pixels, of: row, at: places, to: tensor) { (pixel, channel) -> UInt8 in
          table[channel * 256 + Int(pixel)]
        }
      case .float16Table(let table):
        unsafe Self.write(pixels, of: row, at: places, to: tensor) { (pixel, channel) -> UInt16 in
          table[channel * 256 + Int(pixel)]
        }
      }
    }
  }

  private func write(
    _ pixels: UnsafeBufferPointer<UInt8>, of row: Int, at places: PixelStrides,
    to tensor: UnsafeMutableRawBufferPointer, _ floats: PixelNormalization
  ) {
    let elements = unsafe tensor.bindMemory(to: Float.self)
    guard let target = elements.baseAddress, elements.count >= places.count else { return }
    if layout == .channelsFirst, floats.channels > 1 {
      unsafe floats.write(
        pixels, toPlanes: target + places.offset(row: row, channel: 0), planeStride: places.width * places.height)
    } else {
      unsafe floats.write(pixels, to: target + places.offset(row: row, channel: 0))
    }
  }

  @inline(__always)
  private static func write<Element: BitwiseCopyable>(
    _ pixels: UnsafeBufferPointer<UInt8>, of row: Int, at places: PixelStrides,
    to tensor: UnsafeMutableRawBufferPointer, _ element: (UInt8, Int) -> Element
  ) {
    let elements = unsafe tensor.bindMemory(to: Element.self)
    for channel in 0..<places.channels {
      var place = places.offset(row: row, channel: channel)
      for index in stride(from: channel, to: pixels.count, by: places.channels) {
        unsafe elements[place] = unsafe element(pixels[index], channel)
        place += places.pixelStride
      }
    }
  }
}
