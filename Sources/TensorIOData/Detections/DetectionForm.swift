internal import TensorIOCore
internal import TensorIOSystem

/// One way in which files hold pictures with boxes.
protocol DetectionForm: Sendable {
  /// Which files are of this form, for messages.
  static var files: String { get }

  /// Whether what is at a path is of this form, by its name and the shape of its first record.
  static func reads(_ path: String, _ kind: FileKind) -> Bool

  /// Reads all but the pictures, and notes what is wrong and belongs to none of them.
  static func read(_ path: String, _ log: inout DataLog) throws(ModelError) -> FoundPictures
}

/// All forms; a new one is a file and its name here.
enum DetectionForms {
  static let all: [any DetectionForm.Type] = [
    AutoMLTable.self, COCOFile.self, VOCFolder.self, BoxLines.self,
  ]

  /// The form of what is at a path.
  static func form(of path: String) throws(ModelError) -> any DetectionForm.Type {
    guard let kind = FileKind(at: path) else { throw ModelError(.input, .missingFile(path)) }
    guard let form = all.first(where: { $0.reads(path, kind) }) else {
      let known = all.map { $0.files }.joined(separator: ", ")
      throw ModelError(.input, .wrongType(expected: known, actual: "something else"), file: path)
    }
    return form
  }
}

/// The beginning of a file, from which its form is told.
enum Beginning {
  /// How much is read; a first record longer than that is none that is known.
  private static let length = 1 << 16

  /// The beginning of a file; nothing when it cannot be read.
  static func bytes(of path: String) -> [UInt8] {
    (try? FileBytes.beginning(of: path, limit: length)) ?? []
  }
}
