internal import TensorIOImage

extension Classification.Entry: CustomStringConvertible {
  /// The label and its score.
  public var description: String { "\(label) \(score)" }
}

extension Classification: CustomStringConvertible {
  /// The labels and their scores, highest first, so far as a line shows them.
  public var description: String { top().map(\.description).listed }
}

extension Numbers: CustomStringConvertible {
  /// The number, or so many of the numbers as a line shows.
  public var description: String {
    switch elements {
    case .floats(let values): text(values)
    case .doubles(let values): text(values)
    case .integers(let values): text(values)
    case .booleans(let values): text(values)
    }
  }

  private func text<Value>(_ values: [Value]) -> String {
    values.count == 1 ? "\(values[0])" : values.lazy.map { "\($0)" }.listed
  }
}

extension LayerValue: CustomStringConvertible {
  /// The value in a line, without what is too long for one.
  public var description: String {
    switch self {
    case .numbers(let numbers): numbers.description
    case .classification(let classification): classification.description
    case .image(let image): image.description
    case .list(let values): values.lazy.map(\.description).listed
    case .bytes, .strings: kindName
    }
  }
}

extension ModelOutput: CustomStringConvertible {
  /// The layers and their values, a line each.
  public var description: String {
    layers.map { "\($0.name): \($0.value)" }.joined(separator: "\n")
  }
}

/// As many elements as a line shows of a list.
private let shownElements = 8

extension Collection where Element == String {
  /// The texts as a list, cut where it would be too long to read.
  fileprivate var listed: String {
    let rest = count > shownElements ? ["… \(count) in all"] : []
    return "[" + (prefix(shownElements) + rest).joined(separator: ", ") + "]"
  }
}
