import TensorIOSystem

/// A public key, which verifies signatures.
package struct PublicKey: Sendable, Hashable {
  /// The identifier used in signatures.
  package let id: KeyID
  let rawBytes: [UInt8]

  static let rawByteCount = 32
  private static let algorithm = Array("Ed".utf8)
  private static let byteCount = algorithm.count + KeyID.byteCount + rawByteCount

  init(id: KeyID, rawBytes: [UInt8]) {
    (self.id, self.rawBytes) = (id, rawBytes)
  }

  /// Parses a key in base64, or a minisign public key file.
  package init(_ text: [UInt8]) throws(ModelError) {
    guard let lines = MinisignFile(text) else { throw .invalidKey("not a text file, or too large") }
    let isFile = lines.text(ofLine: 0, afterPrefix: MinisignFile.untrustedCommentPrefix) != nil
    guard lines.lines.count == (isFile ? 2 : 1),
      let bytes = lines.decodedBytes(ofLine: isFile ? 1 : 0, count: Self.byteCount),
      bytes.starts(with: Self.algorithm)
    else {
      throw .invalidKey("expected a line of 56 characters that begins with RW")
    }
    let rest = bytes.dropFirst(Self.algorithm.count)
    id = KeyID(bytes: Array(rest.prefix(KeyID.byteCount)))
    rawBytes = Array(rest.dropFirst(KeyID.byteCount))
  }

  /// The key in base64.
  package var base64Text: String { StrictBase64.encode(Self.algorithm + id.bytes + rawBytes) }

  /// The contents of the minisign public key file.
  package var fileBytes: [UInt8] {
    Array("\(MinisignFile.untrustedCommentPrefix)minisign public key \(id)\n\(base64Text)\n".utf8)
  }
}

/// The eight-byte identifier of a key.
///
/// Identifiers are not unique: a key with the same identifier as another can be created.
package struct KeyID: Sendable, Hashable, CustomStringConvertible {
  static let byteCount = 8

  let bytes: [UInt8]

  /// The identifier in hexadecimal, as minisign prints it.
  package var description: String {
    let digits = bytes.reversed().hexadecimal.uppercased().drop { $0 == "0" }
    return digits.isEmpty ? "0" : String(digits)
  }
}
