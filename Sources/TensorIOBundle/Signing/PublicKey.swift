import TensorIOSystem

/// The part of a key that everybody may have: what it signed is known by it.
package struct PublicKey: Sendable, Hashable {
  /// By what signatures name it.
  package let id: KeyID
  let rawBytes: [UInt8]

  static let rawByteCount = 32
  private static let algorithm = Array("Ed".utf8)
  private static let byteCount = algorithm.count + KeyID.byteCount + rawByteCount

  init(id: KeyID, rawBytes: [UInt8]) {
    (self.id, self.rawBytes) = (id, rawBytes)
  }

  /// Reads a key as one word, or the file that minisign keeps it in.
  package init(_ text: [UInt8]) throws(SigningError) {
    guard let lines = MinisignFile(text) else { throw .invalidKey("it is no short text") }
    let isFile = lines.text(ofLine: 0, afterPrefix: MinisignFile.untrustedCommentPrefix) != nil
    guard lines.lines.count == (isFile ? 2 : 1),
      let bytes = lines.decodedBytes(ofLine: isFile ? 1 : 0, count: Self.byteCount),
      bytes.starts(with: Self.algorithm)
    else {
      throw .invalidKey("a public key is a line of 56 letters that begins with RW")
    }
    let rest = bytes.dropFirst(Self.algorithm.count)
    id = KeyID(bytes: Array(rest.prefix(KeyID.byteCount)))
    rawBytes = Array(rest.dropFirst(KeyID.byteCount))
  }

  /// The key as one word.
  package var base64Text: String { StrictBase64.encode( Self.algorithm + id.bytes + rawBytes) }

  /// The file in which minisign looks for it.
  package var fileBytes: [UInt8] {
    Array("\(MinisignFile.untrustedCommentPrefix)minisign public key \(id)\n\(base64Text)\n".utf8)
  }
}

extension SigningError {
  static func invalidKey(_ problem: String) -> SigningError {
    SigningError(.invalidKey(detail: problem))
  }
}

/// The eight bytes by which a key is spoken of; anybody can make another key that has them.
package struct KeyID: Sendable, Hashable, CustomStringConvertible {
  static let byteCount = 8

  let bytes: [UInt8]

  /// The number that the bytes are, as minisign writes it.
  package var description: String {
    let digits = bytes.reversed().hexadecimal.uppercased().drop { $0 == "0" }
    return digits.isEmpty ? "0" : String(digits)
  }
}
