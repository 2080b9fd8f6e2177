internal import TensorIOCore
internal import TensorIOSystem

/// Where the bundle is that a word on the command line means.
enum BundleLocation {
  /// The folders in which bundles are found by name.
  static let variable = "TENSORIO_MODELS"

  /// The word itself when it is a path; else the bundle of that name in a library's folder; else
  /// the word, so that what is missing is reported by the name that the user knows.
  static func path(for word: String, _ console: Console) -> String {
    guard !exists(word), !word.contains("/") else { return word }
    let folders = console.environment(variable)?.split(separator: ":").map(String.init) ?? []
    let candidates = folders.flatMap { ["\($0)/\(word)", "\($0)/\(word).tiobundle"] }
    return candidates.first(where: exists) ?? word
  }

  private static func exists(_ path: String) -> Bool { FileKind(at: path) != nil }
}
