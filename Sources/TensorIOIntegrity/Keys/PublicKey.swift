/// The part of a key that everybody may have: what it signed is known by it.
package struct PublicKey: Sendable, Hashable {
  /// By what signatures name it.
  package let id: KeyIdentifier
  let point: [UInt8]

  static let pointBytes = 32
  private static let algorithm = Array("Ed".utf8)
  private static let byteCount = algorithm.count + KeyIdentifier.byteCount + pointBytes

  init(id: KeyIdentifier, point: [UInt8]) {
    (self.id, self.point) = (id, point)
  }

  /// Reads a key as one word, or the file that minisign keeps it in.
  package init(_ text: [UInt8]) throws(IntegrityError) {
    guard let lines = TextLines(text) else { throw .noKey("it is no short text") }
    let isFile = lines.rest(of: 0, after: TextLines.untrusted) != nil
    guard lines.lines.count == (isFile ? 2 : 1),
      let bytes = lines.bytes(of: isFile ? 1 : 0, count: Self.byteCount),
      bytes.starts(with: Self.algorithm)
    else {
      throw .noKey("a public key is a line of 56 letters that begins with RW")
    }
    let rest = bytes.dropFirst(Self.algorithm.count)
    id = KeyIdentifier(bytes: Array(rest.prefix(KeyIdentifier.byteCount)))
    point = Array(rest.dropFirst(KeyIdentifier.byteCount))
  }

  /// The key as one word.
  package var word: String { Base64.text(of: Self.algorithm + id.bytes + point) }

  /// The file in which minisign looks for it.
  package var file: [UInt8] {
    Array("\(TextLines.untrusted)minisign public key \(id)\n\(word)\n".utf8)
  }
}

extension IntegrityError {
  static func noKey(_ problem: String) -> IntegrityError {
    IntegrityError(.invalidKey(problem: problem))
  }
}
