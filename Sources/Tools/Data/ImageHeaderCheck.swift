import TensorIOImage
import TensorIOSystem

/// Checks that a file is an image by reading its header only.
enum ImageHeaderCheck {
  /// The number of bytes read first; most headers fit.
  private static let prefixBytes = 1 << 14

  /// Returns the diagnostic for an image file, or `nil` if its header is valid.
  static func diagnostic(for path: String) -> DataDiagnostic? {
    do throws(DataDiagnostic) {
      _ = try header(of: path)
      return nil
    } catch {
      return error
    }
  }

  /// Reads the header of an image file.
  static func header(of path: String) throws(DataDiagnostic) -> ImageHeader {
    let bytes = try contents { () throws(FileError) in
      try FileBytes.prefix(of: path, limit: prefixBytes)
    }
    if let header = try? header(in: bytes) { return header }
    // Long metadata can push the end of the header beyond the prefix.
    guard bytes.count == prefixBytes else { return try header(in: bytes) }
    return try header(
      in: contents { () throws(FileError) in
        try FileBytes.contents(of: path, limit: ImageLimits.maxFileBytes)
      })
  }

  private static func contents(
    _ read: () throws(FileError) -> [UInt8]
  ) throws(DataDiagnostic) -> [UInt8] {
    do throws(FileError) {
      return try read()
    } catch {
      throw DataDiagnostic(error)
    }
  }

  private static func header(in bytes: [UInt8]) throws(DataDiagnostic) -> ImageHeader {
    do throws(ImageError) {
      let header = try ImageHeader(of: bytes)
      try ImageLimits.validate(width: header.width, height: header.height)
      return header
    } catch {
      throw DataDiagnostic(error)
    }
  }
}

extension ImageHeader {
  /// The size of the image after its EXIF orientation is applied.
  var uprightSize: ImageSize {
    orientation.swapsDimensions
      ? ImageSize(width: height, height: width) : ImageSize(width: width, height: height)
  }
}

extension DataDiagnostic {
  init(_ error: ImageError) {
    self.init(code: error.code, message: error.description)
  }

  fileprivate init(_ error: FileError) {
    self =
      error == .notFound
      ? DataDiagnostic(code: "missing-image", message: "image file not found")
      : DataDiagnostic(
        code: "unreadable-image", message: "cannot read the image: \(error.message)")
  }
}

/// The width and height of an upright image, in pixels.
package struct ImageSize: Sendable, Hashable {
  /// The number of columns.
  package let width: Int
  /// The number of rows.
  package let height: Int

  /// Creates a size.
  package init(width: Int, height: Int) {
    (self.width, self.height) = (width, height)
  }
}

extension ImageSize: CustomStringConvertible {
  /// The width and height, such as `640 × 480`.
  package var description: String { "\(width) × \(height)" }
}

/// Recognizes image files by name.
package enum ImageFileName {
  /// Returns whether the file extension is one of an image.
  package static func isImage(_ name: String) -> Bool {
    name.hasFileExtension(in: ImageFileSet.pathExtensions)
  }
}
