#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// How a client says what it knows, in the field `Authorization`.
enum Credentials {
  /// What a client is told that could say nothing, or something else.
  ///
  /// A person at a browser is asked for a password, which is the token; the name is anything.
  static let challenges = ["Bearer", #"Basic realm="TensorIO", charset="UTF-8""#]

  /// The token in a field such as `Bearer secret`; `nil` where there is none.
  static func token(in field: String) -> String? {
    let words = field.split(separator: " ", maxSplits: 1).map(String.init)
    guard words.count == 2 else { return nil }
    if words[0].isSameWord(as: "Bearer") { return words[1] }
    return words[0].isSameWord(as: "Basic") ? password(in: words[1]) : nil
  }

  /// What stands behind the colon of `name:password` in base64.
  private static func password(in text: String) -> String? {
    guard let data = Data(base64Encoded: text),
      let pair = String(validating: data, as: UTF8.self),
      let colon = pair.firstIndex(of: ":")
    else { return nil }
    return String(pair[pair.index(after: colon)...])
  }
}
