internal import TensorIOCore

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// What a string in a client's JSON stands for: bytes or a text, never a file.
enum QuotedValue {
  private static let base64Prefix = "base64:"
  private static let dataPrefix = "data:"

  /// The value of a string for a layer.
  static func read(_ text: String, for layer: Layer) throws(ModelError) -> LayerValue {
    if text.hasPrefix(base64Prefix) { return try bytes(text.dropFirst(base64Prefix.count)) }
    switch layer.kind {
    case .image: return try bytes(encodedPicture(in: text))
    case .string: return .bytes(Array(text.utf8))
    case .array, .scalar:
      throw ModelError(.input, .wrongType(expected: "numbers", actual: "a text"))
    }
  }

  /// What is base64 in a `data:` URL, or the text as a whole.
  private static func encodedPicture(in text: String) throws(ModelError) -> Substring {
    guard text.hasPrefix(dataPrefix) else { return text[...] }
    let parts = text.split(separator: ",", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0].hasSuffix(";base64") else {
      throw ModelError(.input, .wrongType(expected: "a data: URL in base64", actual: "another"))
    }
    return parts[1]
  }

  private static func bytes(_ text: Substring) throws(ModelError) -> LayerValue {
    guard let data = Data(base64Encoded: String(text)) else {
      throw ModelError(.input, .wrongType(expected: "base64", actual: "another text"))
    }
    return .bytes([UInt8](data))
  }
}
