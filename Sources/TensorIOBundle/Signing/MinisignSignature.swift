#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// A signature of a file, with a comment that is signed as well.
package struct MinisignSignature: Sendable, Hashable {
  /// What was signed: the digest of the file, or, as minisign once did, the file itself.
  enum Algorithm: String, CaseIterable, Sendable {
    case prehashed = "ED"
    case legacy = "Ed"
  }

  /// The key that it claims to be of.
  package let keyID: KeyID
  /// What the signer said of it.
  package let comment: String
  let algorithm: Algorithm
  let bytes: [UInt8]
  /// The signature of the signature and the comment.
  let commentSignature: [UInt8]

  static let byteCount = 64
  private static let algorithmBytes = 2
  private static let trustedCommentPrefix = "trusted comment: "
  /// What the name of a file's signature ends in.
  package static let pathExtension = "minisig"

  init(
    _ kind: Algorithm, by key: KeyID, _ bytes: [UInt8], comment: String,
    commentSignature: [UInt8]
  ) {
    (self.algorithm, self.keyID, self.bytes) = (kind, key, bytes)
    (self.comment, self.commentSignature) = (comment, commentSignature)
  }

  /// Reads a file of minisign's.
  package init(_ file: [UInt8]) throws(SigningError) {
    let count = Self.algorithmBytes + KeyID.byteCount + Self.byteCount
    guard let lines = MinisignFile(file), lines.lines.count == 4,
      lines.text(ofLine: 0, afterPrefix: MinisignFile.untrustedCommentPrefix) != nil,
      let content = lines.decodedBytes(ofLine: 1, count: count),
      let kind = Algorithm(rawValue: String(decoding: content.prefix(Self.algorithmBytes), as: UTF8.self)),
      let comment = lines.text(ofLine: 2, afterPrefix: Self.trustedCommentPrefix), comment == comment.onSingleLine,
      let commentSignature = lines.decodedBytes(ofLine: 3, count: Self.byteCount)
    else { throw .invalidSignature("it is no file of minisign's, or damaged") }
    let rest = content.dropFirst(Self.algorithmBytes)
    self.init(
      kind, by: KeyID(bytes: Array(rest.prefix(KeyID.byteCount))),
      Array(rest.dropFirst(KeyID.byteCount)), comment: comment,
      commentSignature: commentSignature)
  }

  /// The file as minisign reads it.
  package var fileBytes: [UInt8] {
    let lines = [
      MinisignFile.untrustedCommentPrefix + "signature by the key \(keyID)",
      StrictBase64.encode( Array(algorithm.rawValue.utf8) + keyID.bytes + bytes),
      Self.trustedCommentPrefix + comment,
      StrictBase64.encode( commentSignature),
    ]
    return Array(lines.map { $0 + "\n" }.joined().utf8)
  }

  /// What the second signature is of.
  var signedCommentBytes: [UInt8] { bytes + comment.utf8 }
}

extension SigningError {
  static func invalidSignature(_ problem: String) -> SigningError {
    SigningError(.invalidSignature(detail: problem))
  }
}

extension SecretKey {
  /// Signs a file, and a comment with it.
  package func sign(_ file: [UInt8], comment: String) throws(SigningError) -> MinisignSignature {
    let library = try Libsodium.standard
    let comment = comment.onSingleLine
    let digest = library.digest(of: file)
    let bytes = library.sign(digest, with: self)
    // A key without a password has no checksum, and one that is damaged would sign for nobody.
    guard library.verify(digest, signature: bytes, key: publicKey) else {
      throw .invalidKey("its two halves do not fit each other")
    }
    return MinisignSignature(
      .prehashed, by: publicKey.id, bytes, comment: comment,
      commentSignature: library.sign(bytes + comment.utf8, with: self))
  }
}

extension MinisignSignature {
  /// Sees that a file, and the comment, were signed with one of several keys, and returns that.
  package func verify(_ file: [UInt8], trustedKeys: [PublicKey]) throws(SigningError) -> PublicKey {
    let named = trustedKeys.filter { $0.id == keyID }
    guard !named.isEmpty else { throw SigningError(.untrustedKey(keyID)) }
    let library = try Libsodium.standard
    let message = algorithm == .prehashed ? library.digest(of: file) : file
    guard let signer = named.first(where: { library.verify(message, signature: bytes, key: $0) }) else {
      throw .invalidSignature("it is not the key's for this file")
    }
    guard library.verify(signedCommentBytes, signature: commentSignature, key: signer) else {
      throw .invalidSignature("its comment is not the one that was signed")
    }
    return signer
  }
}

/// The lines of a file of minisign's.
struct MinisignFile {
  /// The lines, without what ends them.
  let lines: [String]

  /// Nothing of the kind is longer.
  static let maxBytes = 1 << 14

  /// Reads a file; `nil` when it is no text, or longer than any.
  init?(_ bytes: [UInt8]) {
    guard bytes.count <= Self.maxBytes, let text = String(validating: bytes, as: UTF8.self) else {
      return nil
    }
    // As scalars: a carriage return and a line feed are one character.
    var lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
    if lines.last?.isEmpty == true { lines.removeLast() }
    self.lines = lines.map { String(Substring($0.last == "\r" ? $0.dropLast() : $0)) }
  }

  /// What follows the beginning of a line; `nil` when the line begins otherwise or is not there.
  func text(ofLine index: Int, afterPrefix beginning: String) -> String? {
    guard index < lines.count, lines[index].utf8.starts(with: beginning.utf8) else { return nil }
    return String(Substring(lines[index].unicodeScalars.dropFirst(beginning.unicodeScalars.count)))
  }

  /// The bytes that a line stands for; `nil` unless they are so many.
  func decodedBytes(ofLine index: Int, count: Int) -> [UInt8]? {
    guard index < lines.count, let bytes = StrictBase64.decode( lines[index]), bytes.count == count
    else { return nil }
    return bytes
  }

  /// What the first line of every file begins with, which nobody has signed.
  static let untrustedCommentPrefix = "untrusted comment: "
}

extension String {
  /// The text in one line.
  var onSingleLine: String {
    String(
      String.UnicodeScalarView(
        unicodeScalars.map { $0.properties.generalCategory == .control && $0 != "\t" ? " " : $0 }))
  }
}

/// Bytes as letters, in the one way in which they are written.
enum StrictBase64 {
  static func encode(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }

  /// The bytes of a text; `nil` when it is written otherwise, were it by a bit that means nothing.
  static func decode(_ text: some StringProtocol) -> [UInt8]? {
    let text = String(text)
    guard let data = Data(base64Encoded: text),
      data.base64EncodedString().utf8.elementsEqual(text.utf8)
    else { return nil }
    return [UInt8](data)
  }
}
