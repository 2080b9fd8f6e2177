import TensorIOBundle
import TensorIOCore
import TensorIOJSON
import TensorIOSystem

/// Reads files beside a model that has no bundle yet.
enum CompanionFile {
  /// The maximum size of a JSON file.
  static let maxJSONBytes = 32 << 20

  /// Returns the JSON of a file; `nil` if there is none.
  static func json(at path: String) -> JSONValue? {
    bytes(at: path, limit: maxJSONBytes).flatMap { bytes in
      try? JSONDocument(
        parsing: bytes, limits: JSONLimits(bytes: maxJSONBytes), dialect: .byteOrderMark
      ).root.value
    }
  }

  /// Returns the contents of a file; `nil` if it cannot be read.
  static func bytes(at path: String, limit: Int) -> [UInt8]? {
    try? FileBytes.read(path, named: path, limit: limit)
  }
}
