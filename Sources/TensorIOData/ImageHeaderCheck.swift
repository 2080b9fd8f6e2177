import TensorIOImage
import TensorIOSystem

/// Whether a file is a picture, judged from its header.
enum ImageHeaderCheck {
  /// How much of a file is read at first; most headers are in it.
  private static let prefixBytes = 1 << 14

  /// What is wrong with a picture's file; `nil` when its header is that of a picture.
  static func diagnostic(for path: String) -> DataDiagnostic? {
    do throws(DataDiagnostic) {
      _ = try header(of: path)
      return nil
    } catch {
      return error
    }
  }

  /// The header of a picture's file.
  static func header(of path: String) throws(DataDiagnostic) -> ImageHeader {
    let bytes = try contents { () throws(FileError) in
      try FileBytes.prefix(of: path, limit: prefixBytes)
    }
    if let header = try? header(in: bytes) { return header }
    // The header of a picture with much text in it may end later.
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
  /// The size of the picture once it is upright.
  var uprightSize: ImageSize {
    orientation.swapsDimensions
      ? ImageSize(width: height, height: width) : ImageSize(width: width, height: height)
  }
}

extension DataDiagnostic {
  init(_ error: ImageError) {
    self.init(code: error.code, message: error.description.sentence)
  }

  fileprivate init(_ fault: FileError) {
    self =
      fault == .notFound
      ? DataDiagnostic(code: "missing-picture", message: "There is no such picture.")
      : DataDiagnostic(code: "unreadable-picture", message: "It cannot be read: \(fault.message).")
  }
}

extension String {
  /// The text with a capital at its beginning and a full stop at its end.
  fileprivate var sentence: String { prefix(1).uppercased() + dropFirst() + "." }
}

/// The width and height of an upright picture, in pixels.
public struct ImageSize: Sendable, Hashable {
  /// How many columns.
  public let width: Int
  /// How many rows.
  public let height: Int

  /// A size by its sides.
  public init(width: Int, height: Int) {
    (self.width, self.height) = (width, height)
  }
}

extension ImageSize: CustomStringConvertible {
  /// The sides, such as `640 × 480`.
  public var description: String { "\(width) × \(height)" }
}

/// The names of files that data takes for pictures.
package enum ImageFileName {
  /// Whether a file of this name is one.
  package static func isImage(_ name: String) -> Bool { name.hasFileExtension(in: ImageFolderFormat.imageExtensions) }
}
