internal import TensorIOCore

extension LayerValue {
  /// How many numbers are written out.
  private static let shownNumbers = 4

  /// The value in a few words, to stand in a table.
  var inWords: String {
    switch self {
    case .classification(let classification):
      guard let best = classification.top(1).first else { return "nothing" }
      return "\(best.label) (\(Double(best.score).fixed(3)))"
    case .numbers(let numbers):
      let shown = numbers.doubles.prefix(Self.shownNumbers).map { $0.fixed(4) }
      let rest = numbers.count > shown.count ? " …" : ""
      return shown.joined(separator: " ") + rest
    case .strings(let texts):
      return texts.first.map { String(decoding: $0, as: UTF8.self) } ?? "nothing"
    case .image, .bytes, .list: return kindName
    }
  }
}
