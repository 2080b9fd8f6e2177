internal import TensorIOImage
internal import TensorIOSystem

/// Whether a file is a picture, judged from its header.
enum PictureCheck {
  /// How much of a file is read at first; most headers are in it.
  private static let beginning = 1 << 14

  /// What is wrong with a picture's file; `nil` when its header is that of a picture.
  static func fault(of path: String) -> DataFault? {
    do throws(FileFault) {
      let bytes = try FileBytes.beginning(of: path, limit: beginning)
      // The header of a picture with much text in it may end later.
      guard fault(in: bytes) != nil, bytes.count == beginning else { return fault(in: bytes) }
      return fault(in: try FileBytes.contents(of: path, limit: ImageLimits.fileBytes))
    } catch {
      return DataFault(error)
    }
  }

  private static func fault(in bytes: [UInt8]) -> DataFault? {
    do throws(ImageError) {
      let header = try ImageHeader(of: bytes)
      try ImageLimits.check(width: header.width, height: header.height)
      return nil
    } catch {
      return DataFault(code: error.code, message: error.description.sentence)
    }
  }
}

extension DataFault {
  fileprivate init(_ fault: FileFault) {
    self =
      fault == .missing
      ? DataFault(code: "missing-picture", message: "There is no such picture.")
      : DataFault(code: "unreadable-picture", message: "It cannot be read: \(fault.problem).")
  }
}

extension String {
  /// The text with a capital at its beginning and a full stop at its end.
  fileprivate var sentence: String { prefix(1).uppercased() + dropFirst() + "." }
}
