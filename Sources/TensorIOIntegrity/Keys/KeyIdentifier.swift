internal import TensorIOSystem

/// The eight bytes by which a key is spoken of; anybody can make another key that has them.
package struct KeyIdentifier: Sendable, Hashable, CustomStringConvertible {
  static let byteCount = 8

  let bytes: [UInt8]

  /// The number that the bytes are, as minisign writes it.
  package var description: String {
    let digits = bytes.reversed().hexadecimal.uppercased().drop { $0 == "0" }
    return digits.isEmpty ? "0" : String(digits)
  }
}
