/// The header of an image file, read without decoding pixels.
package struct ImageHeader: Sendable, Hashable {
  /// The format of the file.
  package let fileFormat: ImageFileFormat
  /// The width of the stored image.
  package let width: Int
  /// The height of the stored image.
  package let height: Int
  /// The transformation that makes the stored image upright.
  package let orientation: ImageOrientation

  /// Reads the header of an image file in memory.
  ///
  /// ``ImageLimits`` is not checked.
  package init(of bytes: [UInt8]) throws(ImageError) {
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
      let pnm = try PNMStructure(bytes)
      (width, height, orientation) = (pnm.width, pnm.height, .up)
    }
  }

  /// Reads the header of an image file.
  package init(contentsOf path: String) throws(ImageError) {
    do throws(ImageError) {
      try self.init(of: ImageFile.read(path))
    } catch {
      throw error.with(file: path)
    }
  }
}

/// The image file formats that can be read.
package enum ImageFileFormat: String, Sendable, Hashable, CaseIterable {
  case jpeg, png, bmp, webp
  /// A portable pixmap or graymap in binary form (`P6` or `P5`).
  case ppm

  /// Detects the format from the first bytes of a file; `nil` if it is unknown.
  package init?(beginningOf bytes: [UInt8]) {
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
