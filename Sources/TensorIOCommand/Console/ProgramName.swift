/// The word that starts this program again for whoever started it: a path, or the usual name.
package struct ProgramName: Sendable {
  /// The name of an installed program, which all texts use.
  package static let usual = ProgramName(startedAs: nil)

  private static let name = "tensorio"

  /// The word as a shell takes it.
  let word: String

  /// The program that was started by a word; one without a slash was found by its name.
  package init(startedAs word: String?) {
    self.word = word.flatMap { $0.contains("/") ? $0.shellWord : nil } ?? Self.name
  }

  /// A text whose command lines begin with the word.
  func spoken(_ text: String) -> String {
    guard word != Self.name else { return text }
    let parts = text.split(separator: Self.name + " ", omittingEmptySubsequences: false)
    return parts.dropFirst().reduce(String(parts[0])) { text, part in
      text + (Self.isCommand(part) ? word : Self.name) + " " + part
    }
  }

  /// Whether what follows the name makes a command line of both.
  private static func isCommand(_ rest: Substring) -> Bool {
    let verb = rest.prefix { $0.isLetter }
    return TensorIOCommand.verbs.contains { $0.page.name == verb }
  }
}
