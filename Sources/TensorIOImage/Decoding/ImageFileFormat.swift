/// The formats of picture files that can be read.
public enum ImageFileFormat: String, Sendable, Hashable, CaseIterable {
  case jpeg, png, bmp, webp
  /// A portable pixmap or graymap, with binary numbers.
  case ppm

  /// The format whose files begin like these bytes.
  public init?(beginningOf bytes: [UInt8]) {
    if bytes.starts(with: [0xFF, 0xD8, 0xFF]) {
      self = .jpeg
    } else if bytes.starts(with: PNGStructure.signature) {
      self = .png
    } else if bytes.starts(with: [0x42, 0x4D]) {  // "BM"
      self = .bmp
    } else if WebPStructure.begins(bytes) {
      self = .webp
    } else if PortableStructure.begins(bytes) {
      self = .ppm
    } else {
      return nil
    }
  }
}
