/// The one tag of a picture's metadata that is needed to show it.
///
/// EXIF is a TIFF file without pixels: a byte order, a magic number and the position of a
/// directory of twelve-byte entries. Cameras write both byte orders.
enum EXIF {
  /// What JPEG puts before the TIFF file.
  static let jpegPrefix: [UInt8] = Array("Exif".utf8) + [0, 0]

  /// The orientation that a TIFF file tells, if it does so legibly.
  static func orientation(inTIFF tiff: ArraySlice<UInt8>) -> ImageOrientation? {
    guard let order = byteOrder(of: tiff) else { return nil }
    let reader = ByteReader(tiff, order)
    guard
      reader.uint16(at: 2) == 42, let directory = reader.uint32(at: 4).map(Int.init),
      let count = reader.uint16(at: directory)
    else { return nil }
    for entry in 0..<Int(count) {
      let position = directory + 2 + entry * 12
      guard let tag = reader.uint16(at: position) else { return nil }
      if tag == orientationTag { return value(of: position, in: reader) }
    }
    return nil
  }

  private static let orientationTag: UInt16 = 0x0112

  private static func byteOrder(of tiff: ArraySlice<UInt8>) -> ByteReader.Order? {
    if tiff.starts(with: Array("II".utf8)) { return .littleEndian }
    if tiff.starts(with: Array("MM".utf8)) { return .bigEndian }
    return nil
  }

  private static func value(of entry: Int, in reader: ByteReader) -> ImageOrientation? {
    let (short, long): (UInt16, UInt16) = (3, 4)
    let number =
      switch reader.uint16(at: entry + 2) {
      case short: reader.uint16(at: entry + 8).map(Int.init)
      case long: reader.uint32(at: entry + 8).map(Int.init)
      default: Int?.none
      }
    return number.flatMap(ImageOrientation.init(rawValue:))
  }
}
