/// The text of a paragraph: code, emphasis, links and words.
///
/// What has begun and does not end is words. Looking for ends costs no more than reading the text once.
struct MarkdownText {
  private let bytes: [UInt8]
  private let canNest: Bool
  /// Where marks were found, so that nothing is looked for twice.
  private var places: [Mark: Int] = [:]

  /// What ends a piece.
  private enum Mark: String {
    case code = "`"
    case star = "*"
    case stars = "**"
    case line = "_"
    case lines = "__"
    case address = "]("
    case parenthesis = ")"
  }

  init(_ text: String) { self.init(Array(text.utf8), canNest: true) }

  /// What stands in emphasis and in links has words and code, and no more of either.
  private init(_ bytes: [UInt8], canNest: Bool) {
    (self.bytes, self.canNest) = (bytes, canNest)
  }

  var markup: Markup {
    var text = self
    return text.read()
  }

  private mutating func read() -> Markup {
    var pieces: [Markup] = []
    var words: [UInt8] = []
    var index = 0
    while index < bytes.count {
      if bytes[index] == UInt8(ascii: "\\"), isPunctuation(index + 1) {
        words.append(bytes[index + 1])
        index += 2
      } else if let (piece, end) = piece(at: index) {
        pieces += [Markup(String(decoding: words, as: UTF8.self)), piece]
        (words, index) = ([], end)
      } else {
        words.append(bytes[index])
        index += 1
      }
    }
    return Markup(pieces + [Markup(String(decoding: words, as: UTF8.self))])
  }

  private mutating func piece(at index: Int) -> (Markup, end: Int)? {
    switch bytes[index] {
    case UInt8(ascii: "`"): code(at: index)
    case UInt8(ascii: "*") where canNest: emphasis(at: index, .star, .stars)
    case UInt8(ascii: "_") where canNest && isWordStart(index): emphasis(at: index, .line, .lines)
    case UInt8(ascii: "!") where follows(UInt8(ascii: "["), index + 1):
      link(at: index + 1, isPicture: true)
    case UInt8(ascii: "[") where canNest: link(at: index, isPicture: false)
    default: nil
    }
  }
}

// MARK: Pieces

extension MarkdownText {
  private mutating func code(at index: Int) -> (Markup, Int)? {
    guard let end = place(of: .code, from: index + 1) else { return nil }
    return (.tag("code", [:], Markup(text(index + 1..<end))), end + 1)
  }

  private mutating func emphasis(at index: Int, _ one: Mark, _ two: Mark) -> (Markup, Int)? {
    let isStrong = follows(bytes[index], index + 1)
    let mark = isStrong ? two : one
    let length = mark.rawValue.utf8.count
    let start = index + length
    guard start < bytes.count, bytes[start] > UInt8(ascii: " "),
      let end = place(of: mark, from: start), end > start
    else { return nil }
    let inside = inside(start..<end)
    return (isStrong ? .tag("strong", [:], inside) : .tag("em", [:], inside), end + length)
  }

  /// A link to the web; any other is its words, and so is a picture.
  private mutating func link(at index: Int, isPicture: Bool) -> (Markup, Int)? {
    guard let middle = place(of: .address, from: index + 1),
      let end = place(of: .parenthesis, from: middle + 2)
    else { return nil }
    let words = inside(index + 1..<middle)
    let address = text(middle + 2..<end)
    let isSafe = ["https://", "http://", "mailto:"].contains { address.lowercased().hasPrefix($0) }
    guard isSafe, !isPicture else { return (words, end + 1) }
    return (.tag("a", ["href": address, "rel": "noreferrer"], words), end + 1)
  }

  private func inside(_ range: Range<Int>) -> Markup {
    MarkdownText(Array(bytes[range]), canNest: false).markup
  }

  private func text(_ range: Range<Int>) -> String {
    String(decoding: bytes[range], as: UTF8.self)
  }
}

// MARK: Bytes

extension MarkdownText {
  private func follows(_ byte: UInt8, _ index: Int) -> Bool {
    index < bytes.count && bytes[index] == byte
  }

  private func isPunctuation(_ index: Int) -> Bool {
    guard index < bytes.count else { return false }
    let letter = Unicode.Scalar(bytes[index])
    return letter.isASCII && letter.value > 0x20 && letter.properties.isAlphabetic == false
      && !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[index])
  }

  private func isWordStart(_ index: Int) -> Bool {
    index == 0 || bytes[index - 1] <= UInt8(ascii: " ") || isPunctuation(index - 1)
  }

  /// Where a mark comes next; `nil` where it does not.
  private mutating func place(of mark: Mark, from start: Int) -> Int? {
    let known = places[mark] ?? -1
    let place = known >= start ? known : search(Array(mark.rawValue.utf8), from: start)
    places[mark] = place
    return place < bytes.count ? place : nil
  }

  private func search(_ mark: [UInt8], from start: Int) -> Int {
    var place = start
    while place + mark.count <= bytes.count {
      if bytes[place] == mark[0], mark.count == 1 || bytes[place + 1] == mark[1] { return place }
      place += 1
    }
    return bytes.count
  }
}
