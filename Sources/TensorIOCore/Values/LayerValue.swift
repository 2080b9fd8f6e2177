public import TensorIOImage

/// A value of an application on its way into a layer, or out of one.
public enum LayerValue: Sendable, Equatable {
  /// Any amount of numbers.
  case numbers(Numbers)
  /// Memory as the tensor holds it, or an encoded picture on its way into an image layer.
  case bytes([UInt8])
  /// Texts, or other elements of differing length.
  case strings([[UInt8]])
  /// A picture.
  case image(ImageBuffer)
  /// Labels with their scores.
  case classification(Classification)
  /// Several values in order: a list of inputs, or rows that are not all of one length.
  case list([LayerValue])
}

extension LayerValue {
  /// A single number.
  public static func number(_ value: Double) -> LayerValue {
    .numbers(Numbers(.doubles([value]), shape: []))
  }

  /// A word for the kind of value, for messages.
  public var kindDescription: String {
    switch self {
    case .numbers(let numbers): numbers.count == 1 ? "a number" : "\(numbers.count) numbers"
    case .bytes(let bytes): "\(bytes.count) bytes"
    case .strings(let strings): strings.count == 1 ? "a text" : "\(strings.count) texts"
    case .image: "a picture"
    case .classification: "a classification"
    case .list(let values): "a list of \(values.count)"
    }
  }
}

extension Classification.Entry: CustomStringConvertible {
  /// The label and its score.
  public var description: String { "\(label) \(score)" }
}

extension Classification: CustomStringConvertible {
  /// The labels and their scores, highest first, so far as a line shows them.
  public var description: String { top().map(\.description).bracketedList }
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
    values.count == 1 ? "\(values[0])" : values.lazy.map { "\($0)" }.bracketedList
  }
}

extension LayerValue: CustomStringConvertible {
  /// The value in a line, without what is too long for one.
  public var description: String {
    switch self {
    case .numbers(let numbers): numbers.description
    case .classification(let classification): classification.description
    case .image(let image): image.description
    case .list(let values): values.lazy.map(\.description).bracketedList
    case .bytes, .strings: kindDescription
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
private let maxDescribedElements = 8

extension Collection where Element == String {
  /// The texts as a list, cut where it would be too long to read.
  fileprivate var bracketedList: String {
    let rest = count > maxDescribedElements ? ["… \(count) in all"] : []
    return "[" + (prefix(maxDescribedElements) + rest).joined(separator: ", ") + "]"
  }
}
