/// Where a picture that is brought lies: in the folder of its label, under its own name.
struct ItemPath: Sendable, Hashable {
  let label: String
  let file: String

  /// What it is called in the data.
  var text: String { "\(label)/\(file)" }

  private static let longestWord = 200

  /// The place that a text such as `cat/7.jpg` names; `nil` for all that is not exactly that.
  init?(_ text: String) {
    let words = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard words.count == 2, words.allSatisfy(Self.isName) else { return nil }
    (label, file) = (words[0], words[1])
  }

  /// Whether a word can be the name of a file on any system, and is hidden on none.
  private static func isName(_ word: String) -> Bool {
    !word.isEmpty && !word.hasPrefix(".") && word.utf8.count <= longestWord
      && word.unicodeScalars.allSatisfy {
        $0.properties.generalCategory != .control && $0 != "\\" && $0 != ":"
      }
  }
}
