public import TensorIOImage

/// A result as the original library returned it: a number, an array, a dictionary, a picture or
/// data, whichever the layer came to.
public enum UnwrappedValue: Sendable, Equatable {
  /// The only number of a layer. The original returned an `NSNumber`.
  case number(Double)
  /// The numbers of a layer in row-major order. The original returned a flat `NSArray`.
  case numbers([Double])
  /// The scores of a labelled layer by label; a label that occurs more than once has its highest
  /// score. The original returned an `NSDictionary`, and which score it kept was chance.
  case scores([String: Float])
  /// A picture. The original returned a `TIOPixelBuffer`.
  case picture(ImageBuffer)
  /// The bytes of a string layer. The original returned `NSData`.
  case bytes([UInt8])
  /// Texts, which the original did not have.
  case texts([String])
}

extension ModelOutput {
  /// The results by name, as the original library returned them.
  ///
  /// What type a layer has here depends on how many values it holds and whether they have labels;
  /// the order of layers and labels is lost, and so are the last digits of integers above 2⁵³.
  /// New code reads ``subscript(_:)`` or ``value(of:as:)``, which lose nothing.
  public var unwrapped: [String: UnwrappedValue] {
    Dictionary(layers.map { ($0.name, UnwrappedValue($0.value)) }, uniquingKeysWith: { $1 })
  }
}

extension UnwrappedValue {
  /// What a layer's value is in the original's terms.
  init(_ value: LayerValue) {
    switch value {
    case .numbers(let numbers):
      self = numbers.count == 1 ? .number(numbers[0]) : .numbers(numbers.doubles)
    case .classification(let classification): self = .scores(classification.dictionary)
    case .image(let image): self = .picture(image)
    case .bytes(let bytes): self = .bytes(bytes)
    case .strings(let strings): self = .texts(strings.map { String(decoding: $0, as: UTF8.self) })
    case .list(let values): self = .numbers(values.flatMap { $0.numbers?.doubles ?? [] })
    }
  }

  /// The number, when it is one.
  public var number: Double? { if case .number(let number) = self { number } else { nil } }

  /// The numbers, when there are several.
  public var numbers: [Double]? { if case .numbers(let numbers) = self { numbers } else { nil } }

  /// The scores by label, when there are labels.
  public var scores: [String: Float]? { if case .scores(let scores) = self { scores } else { nil } }

  /// The picture, when it is one.
  public var picture: ImageBuffer? { if case .picture(let image) = self { image } else { nil } }

  /// The bytes, when they are bytes.
  public var bytes: [UInt8]? { if case .bytes(let bytes) = self { bytes } else { nil } }
}
