/// The text of a paragraph: code, emphasis, links and words.
struct MarkdownText {
  /// So far is looked for the end of what has begun.
  private static let reach = 2_000

  private let letters: [Character]
  private let canNest: Bool

  init(_ text: String) { self.init(Array(text), canNest: true) }

  /// What stands in emphasis and in links has words and code, and no more of either.
  private init(_ letters: [Character], canNest: Bool) {
    (self.letters, self.canNest) = (letters, canNest)
  }

  var markup: Markup {
    var pieces: [Markup] = []
    var words = ""
    var index = 0
    while index < letters.count {
      if letters[index] == "\\", index + 1 < letters.count, letters[index + 1].isPunctuation {
        words.append(letters[index + 1])
        index += 2
      } else if let (piece, end) = piece(at: index) {
        pieces += [Markup(words), piece]
        (words, index) = ("", end)
      } else {
        words.append(letters[index])
        index += 1
      }
    }
    return Markup(pieces + [Markup(words)])
  }

  private func piece(at index: Int) -> (Markup, end: Int)? {
    switch letters[index] {
    case "`": code(at: index)
    case "*" where canNest: emphasis(at: index, "*")
    case "_" where canNest && isWordStart(index): emphasis(at: index, "_")
    case "!" where follows("[", index + 1): link(at: index + 1, isPicture: true)
    case "[" where canNest: link(at: index, isPicture: false)
    default: nil
    }
  }
}

// MARK: Pieces

extension MarkdownText {
  private func code(at index: Int) -> (Markup, Int)? {
    guard let end = end(of: ["`"], from: index + 1) else { return nil }
    return (.tag("code", [:], Markup(String(letters[index + 1..<end]))), end + 1)
  }

  private func emphasis(at index: Int, _ sign: Character) -> (Markup, Int)? {
    let isStrong = follows(sign, index + 1)
    let mark = isStrong ? [sign, sign] : [sign]
    let start = index + mark.count
    guard start < letters.count, !letters[start].isWhitespace,
      let end = end(of: mark, from: start), end > start
    else { return nil }
    let inside = inside(start..<end)
    return (isStrong ? .tag("strong", [:], inside) : .tag("em", [:], inside), end + mark.count)
  }

  /// A link to the web; any other is its words, and so is a picture.
  private func link(at index: Int, isPicture: Bool) -> (Markup, Int)? {
    guard let middle = end(of: ["]", "("], from: index + 1),
      let end = end(of: [")"], from: middle + 2)
    else { return nil }
    let words = inside(index + 1..<middle)
    let address = String(letters[middle + 2..<end])
    let isSafe = ["https://", "http://", "mailto:"].contains { address.lowercased().hasPrefix($0) }
    guard isSafe, !isPicture else { return (words, end + 1) }
    return (.tag("a", ["href": address, "rel": "noreferrer"], words), end + 1)
  }

  private func inside(_ range: Range<Int>) -> Markup {
    MarkdownText(Array(letters[range]), canNest: false).markup
  }
}

// MARK: Letters

extension MarkdownText {
  private func follows(_ letter: Character, _ index: Int) -> Bool {
    index < letters.count && letters[index] == letter
  }

  private func isWordStart(_ index: Int) -> Bool {
    index == 0 || letters[index - 1].isWhitespace || letters[index - 1].isPunctuation
  }

  /// Where some letters come next, within reach.
  private func end(of mark: [Character], from start: Int) -> Int? {
    let last = min(letters.count, start + Self.reach) - mark.count
    guard start <= last else { return nil }
    return (start...last).first { place in
      mark.indices.allSatisfy { letters[place + $0] == mark[$0] }
    }
  }
}
