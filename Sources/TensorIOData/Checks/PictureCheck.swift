internal import TensorIOImage
internal import TensorIOSystem

/// Whether a file is a picture, judged from its header.
enum PictureCheck {
  /// How much of a file is read at first; most headers are in it.
  private static let beginning = 1 << 14

  /// What is wrong with a picture's file; `nil` when its header is that of a picture.
  static func fault(of path: String) -> DataFault? {
    do throws(DataFault) {
      _ = try header(of: path)
      return nil
    } catch {
      return error
    }
  }

  /// The header of a picture's file.
  static func header(of path: String) throws(DataFault) -> ImageHeader {
    let bytes = try contents { () throws(FileFault) in
      try FileBytes.beginning(of: path, limit: beginning)
    }
    if let header = try? header(in: bytes) { return header }
    // The header of a picture with much text in it may end later.
    guard bytes.count == beginning else { return try header(in: bytes) }
    return try header(
      in: contents { () throws(FileFault) in
        try FileBytes.contents(of: path, limit: ImageLimits.fileBytes)
      })
  }

  private static func contents(
    _ read: () throws(FileFault) -> [UInt8]
  ) throws(DataFault) -> [UInt8] {
    do throws(FileFault) {
      return try read()
    } catch {
      throw DataFault(error)
    }
  }

  private static func header(in bytes: [UInt8]) throws(DataFault) -> ImageHeader {
    do throws(ImageError) {
      let header = try ImageHeader(of: bytes)
      try ImageLimits.check(width: header.width, height: header.height)
      return header
    } catch {
      throw DataFault(error)
    }
  }
}

extension ImageHeader {
  /// The size of the picture once it is upright.
  var uprightSize: PictureSize {
    orientation.swapsSides
      ? PictureSize(width: height, height: width) : PictureSize(width: width, height: height)
  }
}

extension DataFault {
  init(_ error: ImageError) {
    self.init(code: error.code, message: error.description.sentence)
  }

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
