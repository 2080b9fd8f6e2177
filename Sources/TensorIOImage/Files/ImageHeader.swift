/// What the header of a picture says, without any pixel decoded.
public struct ImageHeader: Sendable, Hashable {
  /// The format of the file.
  public let fileFormat: ImageFileFormat
  /// The width of the stored picture.
  public let width: Int
  /// The height of the stored picture.
  public let height: Int
  /// What must be done to show the stored picture upright.
  public let orientation: ImageOrientation

  /// The header of a picture whose file is in memory.
  ///
  /// A picture that is larger than ``ImageLimits`` allows has a header like any other.
  public init(of bytes: [UInt8]) throws(ImageError) {
    guard let fileFormat = ImageFileFormat(beginningOf: bytes) else {
      throw ImageError(.unknownFormat)
    }
    self.fileFormat = fileFormat
    switch fileFormat {
    case .jpeg:
      let jpeg = try JPEGStructure(bytes)
      (width, height, orientation) = (jpeg.width, jpeg.height, jpeg.orientation)
    case .png:
      let png = try PNGStructure(bytes)
      (width, height, orientation) = (png.width, png.height, png.orientation)
    case .bmp:
      let bmp = try BMPStructure(bytes)
      (width, height, orientation) = (bmp.width, bmp.height, .up)
    case .webp:
      let webp = try WebPStructure(bytes)
      (width, height, orientation) = (webp.width, webp.height, webp.orientation)
    case .ppm:
      let portable = try PNMStructure(bytes)
      (width, height, orientation) = (portable.width, portable.height, .up)
    }
  }

  /// The header of a picture's file.
  public init(contentsOf path: String) throws(ImageError) {
    do throws(ImageError) {
      try self.init(of: ImageFile.read( path))
    } catch {
      throw error.with(file: path)
    }
  }
}

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
    } else if WebPStructure.matches(bytes) {
      self = .webp
    } else if PNMStructure.matches(bytes) {
      self = .ppm
    } else {
      return nil
    }
  }
}
