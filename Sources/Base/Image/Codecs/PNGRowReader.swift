import CPNGRows

/// Decodes a PNG row by row with libpng.
///
/// The corresponding C functions are `png_rows_open`, `png_rows_next` and `png_rows_close`.
@safe final class PNGRowReader {
  /// The format of the rows: ``PixelFormat/gray`` or ``PixelFormat/rgb``.
  let format: PixelFormat
  private let structure: PNGStructure
  private let handle: OpaquePointer?
  private var nextRow = 0
  /// Whether all rows so far were decoded.
  private var isIntact: Bool

  /// Starts decoding a file, whose essential chunks must outlive the reader.
  init(_ structure: PNGStructure, _ essentials: UnsafeBufferPointer<UInt8>) {
    self.structure = structure
    format = structure.isGray ? .gray : .rgb
    unsafe handle = essentials.baseAddress.flatMap { bytes in
      unsafe png_rows_open(
        bytes, essentials.count, UInt32(structure.width), UInt32(structure.height),
        structure.isGray ? 1 : 0)
    }
    isIntact = unsafe handle != nil
  }

  deinit { if let handle = unsafe handle { unsafe png_rows_close(handle) } }

  /// Decodes the rows up to `row`, and stores that row in `target`.
  ///
  /// After an error, `target` is unchanged.
  func read(row: Int, into target: UnsafeMutablePointer<UInt8>) {
    guard let handle = unsafe handle else { return }
    while isIntact, nextRow <= row {
      isIntact = unsafe png_rows_next(handle, target) != 0
      nextRow += 1
    }
  }

  /// Decodes the remaining rows, and throws if any row could not be decoded.
  func finish() throws(ImageError) {
    var row = [UInt8](repeating: 0, count: structure.width * format.bytesPerPixel)
    unsafe row.withUnsafeMutableBufferPointer { row in
      if let base = row.baseAddress { unsafe read(row: structure.height - 1, into: base) }
    }
    guard !isIntact else { return }
    guard let handle = unsafe handle else {
      throw ImageError(.unreadable(message: "out of memory"))
    }
    throw unsafe PNGCodec.error(String(cString: png_rows_message(handle)))
  }
}
