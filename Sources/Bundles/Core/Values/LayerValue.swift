public import TensorIOAudio
public import TensorIOImage

/// The value of one input or output layer.
public enum LayerValue: Sendable, Equatable {
  /// Numbers with a shape.
  case numbers(Numbers)
  /// Memory in the tensor's own layout; for an image or audio layer, an encoded image or sound.
  case bytes([UInt8])
  /// Strings, or other elements of varying length.
  case strings(Strings)
  /// A text that a tokenizer converted to numbers.
  case tokens(TokenizedText)
  /// An image.
  case image(ImageBuffer)
  /// Sound.
  case audio(AudioBuffer)
  /// Labels with their scores.
  case classification(Classification)
  /// Several values in order: a list of inputs, or rows of different lengths.
  case list([LayerValue])
}

extension LayerValue {
  /// Returns a single number.
  public static func number(_ value: Double) -> LayerValue {
    .numbers(Numbers(.doubles([value]), shape: []))
  }

  /// The kind of value, for messages.
  public var kindDescription: String {
    switch self {
    case .numbers(let numbers): numbers.count == 1 ? "a number" : "\(numbers.count) numbers"
    case .bytes(let bytes): "\(bytes.count) bytes"
    case .strings(let strings): strings.count == 1 ? "a string" : "\(strings.count) strings"
    case .tokens(let text): text.count == 1 ? "a token" : "\(text.count) tokens"
    case .image: "an image"
    case .audio: "sound"
    case .classification: "a classification"
    case .list(let values):
      values.count == 1 ? "a list of 1 value" : "a list of \(values.count) values"
    }
  }
}

extension Classification.Entry: CustomStringConvertible {
  /// The label and its score.
  public var description: String { "\(label) \(score)" }
}

extension Classification: CustomStringConvertible {
  /// The labels with the highest scores, on one line.
  public var description: String { top().map(\.description).bracketedList }
}

extension Numbers: CustomStringConvertible {
  /// The numbers on one line, shortened if there are many.
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

extension Strings {
  /// The elements as text; one that is not UTF-8 as its number of bytes.
  package var elementTexts: [String] {
    bytes.map { String(validating: $0, as: UTF8.self) ?? "\($0.count) bytes" }
  }
}

extension Strings: CustomStringConvertible {
  /// The strings in quotation marks on one line, shortened if there are many; an element that is not
  /// UTF-8 as its number of bytes.
  public var description: String {
    let texts = bytes.lazy.map { bytes in
      String(validating: bytes, as: UTF8.self).map { "\"\($0)\"" } ?? "\(bytes.count) bytes"
    }
    return count == 1 ? texts[0] : texts.bracketedList
  }
}

extension LayerValue: CustomStringConvertible {
  /// The value on one line, shortened if it is long.
  public var description: String {
    switch self {
    case .numbers(let numbers): numbers.description
    case .classification(let classification): classification.description
    case .image(let image): image.description
    case .list(let values): values.lazy.map(\.description).bracketedList
    case .strings(let strings): strings.description
    case .bytes, .tokens, .audio: kindDescription
    }
  }
}

extension ModelOutput: CustomStringConvertible {
  /// The layers and their values, one line per layer.
  public var description: String {
    layers.map { "\($0.name): \($0.value)" }.joined(separator: "\n")
  }
}

/// The maximum number of elements in a description.
private let maxDescribedElements = 8

extension Collection where Element == String {
  /// The elements in brackets, shortened if there are many.
  fileprivate var bracketedList: String {
    let rest = count > maxDescribedElements ? ["… \(count) in total"] : []
    return "[" + (prefix(maxDescribedElements) + rest).joined(separator: ", ") + "]"
  }
}
