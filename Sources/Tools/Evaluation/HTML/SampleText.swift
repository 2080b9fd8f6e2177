import TensorIODrawing

/// The texts of a sample, with marks for the sections that the model has found.
struct SampleText {
  /// The number of bytes of a text that are shown.
  private static let maxBytes = 800
  /// The number of bytes before the first section of a long text that are shown.
  private static let leadingBytes = 160
  /// The number of colors of the page.
  static let colorCount = 10

  private let texts: [String]
  private let sections: [FoundSection]
  private let colors: [String: Int]

  init(_ texts: [String], _ sections: [FoundSection]) {
    (self.texts, self.sections) = (texts, sections)
    colors = Self.colors(of: sections)
  }

  /// Returns the color of each label, in the order in which they appear.
  static func colors(of sections: [FoundSection]) -> [String: Int] {
    var colors: [String: Int] = [:]
    for section in sections where colors[section.label] == nil {
      colors[section.label] = colors.count % colorCount
    }
    return colors
  }

  var markup: Markup {
    .element("div", ["class": "texts"], texts.map(paragraph))
  }

  private func paragraph(_ text: String) -> Markup {
    let bytes = Array(text.utf8)
    let found = sectionsWithoutOverlap(in: bytes)
    let shown = Self.excerpt(of: bytes, around: found.first?.range)
    var pieces = [Markup(shown.lowerBound > 0 ? "…" : "")]
    var position = shown.lowerBound
    for (section, range) in found
    where range.lowerBound >= position && range.upperBound <= shown.upperBound {
      pieces.append(Markup(Self.text(of: bytes[position..<range.lowerBound])))
      pieces.append(mark(Self.text(of: bytes[range]), section))
      position = range.upperBound
    }
    pieces.append(Markup(Self.text(of: bytes[position..<shown.upperBound])))
    pieces.append(Markup(shown.upperBound < bytes.count ? "…" : ""))
    return .element("p", [:], pieces)
  }

  private func mark(_ text: String, _ section: FoundSection) -> Markup {
    .element(
      "mark", ["style": "--color:var(--s\(colors[section.label] ?? 0))"], Markup(text),
      section.label.isEmpty
        ? .empty : .element("small", [:], Markup(section.label.displayText)))
  }

  /// Returns the sections that a text has, in its order.
  ///
  /// Where two overlap, the first of the result is marked.
  private func sectionsWithoutOverlap(
    in bytes: [UInt8]
  ) -> [(section: FoundSection, range: Range<Int>)] {
    var found: [(section: FoundSection, range: Range<Int>)] = []
    for section in sections {
      guard let start = Int(exactly: section.start), let end = Int(exactly: section.end),
        start >= 0,
        start < end, end <= bytes.count,
        section.text.map({ bytes[start..<end].elementsEqual($0.utf8) }) ?? (texts.count == 1),
        !found.contains(where: { $0.range.overlaps(start..<end) })
      else { continue }
      found.append((section, start..<end))
    }
    return found.sorted { $0.range.lowerBound < $1.range.lowerBound }
  }

  /// Returns the part of a long text that is shown, which begins and ends between characters.
  private static func excerpt(of bytes: [UInt8], around section: Range<Int>?) -> Range<Int> {
    guard bytes.count > maxBytes else { return 0..<bytes.count }
    let start = max(0, min((section?.lowerBound ?? 0) - leadingBytes, bytes.count - maxBytes))
    func boundary(_ position: Int) -> Int {
      (0...position).last { $0 == bytes.count || !UTF8.isContinuation(bytes[$0]) } ?? 0
    }
    return boundary(start)..<boundary(min(bytes.count, start + maxBytes))
  }

  private static func text(of bytes: ArraySlice<UInt8>) -> String {
    String(decoding: bytes, as: UTF8.self).singleLine
  }
}
