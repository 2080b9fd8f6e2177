internal import TensorIOImage

/// Writes rows of prepared pixels into a tensor.
///
/// What happens to a pixel depends on nothing but its value and its channel, so that everything
/// but floats is looked up in a table of 256 elements a channel.
enum PixelWriter: Sendable {
  /// The pixels as they are.
  case copy
  /// One multiplication and addition a pixel; the same for all channels.
  case uniform(PixelCode)
  /// One multiplication and addition a pixel, by channel.
  case floats([PixelCode])
  /// A byte for every pixel value, by channel.
  case bytes([UInt8], channels: Int)
  /// Sixteen bits for every pixel value, by channel.
  case halves([UInt16], channels: Int)

  /// Fits a picture and writes it, row by row, straight into the tensor.
  func write(
    _ image: ImageBuffer, preparedBy preparation: ImagePreparation, as format: PixelFormat,
    into memory: inout MutableRawSpan
  ) throws(ImageError) -> ImageGeometry {
    let rows = try preparation.rows(of: image)
    unsafe memory.withUnsafeMutableBytes { bytes in
      let rowLength = bytes.count / preparation.height
      rows.forEach(as: format) { row, pixels in
        let start = row * rowLength
        let target = unsafe UnsafeMutableRawBufferPointer(
          rebasing: bytes[start..<start + rowLength])
        unsafe write(pixels, to: target)
      }
    }
    return rows.geometry
  }

  private func write(_ pixels: Span<UInt8>, to row: UnsafeMutableRawBufferPointer) {
    unsafe pixels.withUnsafeBufferPointer { pixels in
      switch self {
      case .copy:
        unsafe row.copyMemory(from: UnsafeRawBufferPointer(pixels))
      case .uniform(let code):
        unsafe Self.write(pixels, to: row.bindMemory(to: Float.self), code)
      case .floats(let codes):
        unsafe Self.write(pixels, to: row.bindMemory(to: Float.self), codes)
      case .bytes(let table, let channels):
        unsafe Self.write(pixels, to: row.bindMemory(to: UInt8.self), table, channels)
      case .halves(let table, let channels):
        unsafe Self.write(pixels, to: row.bindMemory(to: UInt16.self), table, channels)
      }
    }
  }

  private static func write(
    _ pixels: UnsafeBufferPointer<UInt8>, to row: UnsafeMutableBufferPointer<Float>,
    _ code: PixelCode
  ) {
    let (scale, bias) = (code.scale, code.bias)
    for index in 0..<min(pixels.count, row.count) {
      unsafe row[index] = unsafe Float(pixels[index]) * scale + bias
    }
  }

  private static func write(
    _ pixels: UnsafeBufferPointer<UInt8>, to row: UnsafeMutableBufferPointer<Float>,
    _ codes: [PixelCode]
  ) {
    let channels = codes.count
    for channel in 0..<channels {
      let (scale, bias) = (codes[channel].scale, codes[channel].bias)
      for index in stride(from: channel, to: min(pixels.count, row.count), by: channels) {
        unsafe row[index] = unsafe Float(pixels[index]) * scale + bias
      }
    }
  }

  private static func write<Element: BitwiseCopyable>(
    _ pixels: UnsafeBufferPointer<UInt8>, to row: UnsafeMutableBufferPointer<Element>,
    _ table: [Element], _ channels: Int
  ) {
    unsafe table.withUnsafeBufferPointer { table in
      for channel in 0..<channels {
        for index in stride(from: channel, to: min(pixels.count, row.count), by: channels) {
          unsafe row[index] = unsafe table[channel * 256 + Int(pixels[index])]
        }
      }
    }
  }
}
