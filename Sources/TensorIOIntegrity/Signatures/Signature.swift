/// A signature of a file, with a comment that is signed as well.
package struct Signature: Sendable, Hashable {
  /// What was signed: the digest of the file, or, as minisign once did, the file itself.
  enum Kind: String, CaseIterable, Sendable {
    case digest = "ED"
    case file = "Ed"
  }

  /// The key that it claims to be of.
  package let key: KeyIdentifier
  /// What the signer said of it.
  package let comment: String
  let kind: Kind
  let bytes: [UInt8]
  /// The signature of the signature and the comment.
  let commentSignature: [UInt8]

  static let byteCount = 64
  private static let kindBytes = 2
  private static let trusted = "trusted comment: "
  /// What the name of a file's signature ends in.
  package static let pathExtension = "minisig"

  init(
    _ kind: Kind, by key: KeyIdentifier, _ bytes: [UInt8], comment: String,
    commentSignature: [UInt8]
  ) {
    (self.kind, self.key, self.bytes) = (kind, key, bytes)
    (self.comment, self.commentSignature) = (comment, commentSignature)
  }

  /// Reads a file of minisign's.
  package init(_ file: [UInt8]) throws(IntegrityError) {
    let count = Self.kindBytes + KeyIdentifier.byteCount + Self.byteCount
    guard let lines = TextLines(file), lines.lines.count == 4,
      lines.rest(of: 0, after: TextLines.untrusted) != nil,
      let content = lines.bytes(of: 1, count: count),
      let kind = Kind(rawValue: String(decoding: content.prefix(Self.kindBytes), as: UTF8.self)),
      let comment = lines.rest(of: 2, after: Self.trusted), comment == comment.inOneLine,
      let commentSignature = lines.bytes(of: 3, count: Self.byteCount)
    else { throw .badSignature("it is no file of minisign's, or damaged") }
    let rest = content.dropFirst(Self.kindBytes)
    self.init(
      kind, by: KeyIdentifier(bytes: Array(rest.prefix(KeyIdentifier.byteCount))),
      Array(rest.dropFirst(KeyIdentifier.byteCount)), comment: comment,
      commentSignature: commentSignature)
  }

  /// The file as minisign reads it.
  package var file: [UInt8] {
    let lines = [
      TextLines.untrusted + "signature by the key \(key)",
      Base64.text(of: Array(kind.rawValue.utf8) + key.bytes + bytes),
      Self.trusted + comment,
      Base64.text(of: commentSignature),
    ]
    return Array(lines.map { $0 + "\n" }.joined().utf8)
  }

  /// What the second signature is of.
  var signedComment: [UInt8] { bytes + comment.utf8 }
}

extension IntegrityError {
  static func badSignature(_ problem: String) -> IntegrityError {
    IntegrityError(.badSignature(problem: problem))
  }
}
