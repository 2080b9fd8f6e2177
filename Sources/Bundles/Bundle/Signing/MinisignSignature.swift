#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// A minisign signature of a file, with a signed comment.
package struct MinisignSignature: Sendable, Hashable {
  /// The signed data: the digest of the file, or the file itself in minisign's legacy format.
  enum Algorithm: String, CaseIterable, Sendable {
    case prehashed = "ED"
    case legacy = "Ed"
  }

  /// The identifier of the key, as claimed by the signature.
  package let keyID: KeyID
  /// The signed comment.
  package let comment: String
  let algorithm: Algorithm
  let bytes: [UInt8]
  /// The signature over the signature and the comment.
  let commentSignature: [UInt8]

  static let byteCount = 64
  private static let algorithmBytes = 2
  private static let trustedCommentPrefix = "trusted comment: "
  /// The path extension of signature files.
  package static let pathExtension = "minisig"

  init(
    _ algorithm: Algorithm, by keyID: KeyID, _ bytes: [UInt8], comment: String,
    commentSignature: [UInt8]
  ) {
    (self.algorithm, self.keyID, self.bytes) = (algorithm, keyID, bytes)
    (self.comment, self.commentSignature) = (comment, commentSignature)
  }

  /// Parses a minisign signature file.
  package init(_ file: [UInt8]) throws(ModelError) {
    let count = Self.algorithmBytes + KeyID.byteCount + Self.byteCount
    guard let lines = MinisignFile(file), lines.lines.count == 4,
      lines.text(ofLine: 0, afterPrefix: MinisignFile.untrustedCommentPrefix) != nil,
      let content = lines.decodedBytes(ofLine: 1, count: count),
      let algorithm = Algorithm(
        rawValue: String(decoding: content.prefix(Self.algorithmBytes), as: UTF8.self)),
      let comment = lines.text(ofLine: 2, afterPrefix: Self.trustedCommentPrefix),
      comment == comment.onSingleLine,
      let commentSignature = lines.decodedBytes(ofLine: 3, count: Self.byteCount)
    else { throw .invalidSignature("not a minisign signature, or corrupt") }
    let rest = content.dropFirst(Self.algorithmBytes)
    self.init(
      algorithm, by: KeyID(bytes: Array(rest.prefix(KeyID.byteCount))),
      Array(rest.dropFirst(KeyID.byteCount)), comment: comment,
      commentSignature: commentSignature)
  }

  /// The contents of the signature file.
  package var fileBytes: [UInt8] {
    let lines = [
      MinisignFile.untrustedCommentPrefix + "signature by the key \(keyID)",
      StrictBase64.encode(Array(algorithm.rawValue.utf8) + keyID.bytes + bytes),
      Self.trustedCommentPrefix + comment,
      StrictBase64.encode(commentSignature),
    ]
    return Array(lines.map { $0 + "\n" }.joined().utf8)
  }

  /// The data covered by the comment's signature.
  var signedCommentBytes: [UInt8] { bytes + comment.utf8 }
}

extension SecretKey {
  /// Returns a signature of a file and a comment.
  package func sign(_ file: [UInt8], comment: String) throws(ModelError) -> MinisignSignature {
    let library = try Libsodium.standard
    let comment = comment.onSingleLine
    let digest = library.digest(of: file)
    let bytes = library.sign(digest, with: self)
    // An unencrypted key has no checksum, so a corrupt one is detected by verifying the signature.
    guard library.verify(digest, signature: bytes, key: publicKey) else {
      throw .invalidKey("public and secret part do not match")
    }
    return MinisignSignature(
      .prehashed, by: publicKey.id, bytes, comment: comment,
      commentSignature: library.sign(bytes + comment.utf8, with: self))
  }
}

extension MinisignSignature {
  /// Verifies the signature of a file and the comment, and returns the key that signed them.
  package func verify(_ file: [UInt8], trustedKeys: [PublicKey]) throws(ModelError) -> PublicKey {
    let candidates = trustedKeys.filter { $0.id == keyID }
    guard !candidates.isEmpty else { throw ModelError(.runtime, .untrustedKey("\(keyID)")) }
    let library = try Libsodium.standard
    let message = algorithm == .prehashed ? library.digest(of: file) : file
    let signer = candidates.first { library.verify(message, signature: bytes, key: $0) }
    guard let signer else {
      throw .invalidSignature("it does not match the file and key")
    }
    guard library.verify(signedCommentBytes, signature: commentSignature, key: signer) else {
      throw .invalidSignature("its comment was changed")
    }
    return signer
  }
}

/// The lines of a minisign file.
struct MinisignFile {
  /// The lines without their line endings.
  let lines: [String]

  /// The maximum size of a file in bytes.
  static let maxBytes = 1 << 14

  /// Splits a file into lines, or returns `nil` if it is not UTF-8 or too large.
  init?(_ bytes: [UInt8]) {
    guard bytes.count <= Self.maxBytes, let text = String(validating: bytes, as: UTF8.self) else {
      return nil
    }
    // Split by scalars, because a carriage return and a line feed are one character.
    var lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
    if lines.last?.isEmpty == true { lines.removeLast() }
    self.lines = lines.map { String(Substring($0.last == "\r" ? $0.dropLast() : $0)) }
  }

  /// Returns the rest of a line after a prefix, or `nil` if there is no such line or prefix.
  func text(ofLine index: Int, afterPrefix prefix: String) -> String? {
    guard index < lines.count, lines[index].utf8.starts(with: prefix.utf8) else { return nil }
    return String(Substring(lines[index].unicodeScalars.dropFirst(prefix.unicodeScalars.count)))
  }

  /// Returns the bytes of a base64 line, or `nil` if the line is invalid or the count differs.
  func decodedBytes(ofLine index: Int, count: Int) -> [UInt8]? {
    guard index < lines.count, let bytes = StrictBase64.decode(lines[index]), bytes.count == count
    else { return nil }
    return bytes
  }

  /// The prefix of the first line of every file, which is not signed.
  static let untrustedCommentPrefix = "untrusted comment: "
}

extension String {
  /// The text with control characters other than tabs replaced by spaces.
  var onSingleLine: String {
    String(
      String.UnicodeScalarView(
        unicodeScalars.map { $0.properties.generalCategory == .control && $0 != "\t" ? " " : $0 }))
  }
}

/// Base64 in canonical form only.
enum StrictBase64 {
  static func encode(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }

  /// Returns the decoded bytes, or `nil` if the text is not canonical, including unused bits.
  static func decode(_ text: some StringProtocol) -> [UInt8]? {
    let text = String(text)
    guard let data = Data(base64Encoded: text),
      data.base64EncodedString().utf8.elementsEqual(text.utf8)
    else { return nil }
    return [UInt8](data)
  }
}
