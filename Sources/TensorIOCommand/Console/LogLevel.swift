internal import TensorIOCore

/// How much is said besides data, as `TENSORIO_LOG` asks for.
enum LogLevel: String, CaseIterable {
  /// Errors alone, as with `--quiet`.
  case error
  /// What is doubtful, and how far a long run has come.
  case info
  /// What the runtimes print, too.
  case debug

  static let variable = "TENSORIO_LOG"

  /// The level that the environment asks for.
  init(_ console: Console) throws(CommandFailure) {
    guard let word = console.environment(Self.variable) else {
      self = .info
      return
    }
    guard let level = LogLevel(rawValue: word) else {
      let levels = Self.allCases.map(\.rawValue)
      throw .usage(
        "\(Self.variable) is \(levels.joined(separator: ", ")), not '\(word)'"
          + didYouMean(word, among: levels))
    }
    self = level
  }
}
