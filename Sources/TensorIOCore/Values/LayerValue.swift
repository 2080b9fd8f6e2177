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
  public var kindName: String {
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
