internal import TensorIOCore
internal import TensorIOSystem
internal import TensorIOTasks

/// The model that is run when the command line of `run` names none.
enum DefaultModel {
  /// The command line with the default model before its words, where there is one and the first word
  /// can mean nothing but an input.
  static func completed(
    _ arguments: ParsedArguments, _ words: [String], _ console: Console
  ) throws(CommandFailure) -> ParsedArguments {
    guard arguments.words.first.map(isInput) ?? true else { return arguments }
    let settings = try Settings(console)
    guard let model = settings.model else { return arguments }
    console.note("tensorio: running '\(model)', the default model")
    let threads = settings.threads.map { ["--threads", "\($0)"] } ?? []
    let top = settings.top.map { ["--top", "\($0)"] } ?? []
    return try ParsedArguments(threads + top + [model] + words, flags: RunVerb.page.allFlags)
  }

  private static let beginningsOfValues = ["base64:", "@", "[", "{"]

  /// Whether a word is no bundle's: a file that is no zip, or a value.
  private static func isInput(_ word: String) -> Bool {
    if FileKind(at: word) == .file { return !word.lowercased().hasSuffix(".zip") }
    return word == ValueReader.standardInput || beginningsOfValues.contains(where: word.hasPrefix)
  }
}
