import TensorIOAudio
public import TensorIOCore
public import TensorIOImage

/// The value of an output as TensorIO for iOS returned it.
public enum LegacyValue: Sendable, Equatable {
  /// A single number; an `NSNumber` in TensorIO for iOS.
  case number(Double)
  /// Numbers in row-major order; a flat `NSArray` in TensorIO for iOS.
  case numbers([Double])
  /// Scores by label; an `NSDictionary` in TensorIO for iOS. A label that occurs more than once has
  /// its highest score here, and an arbitrary one in TensorIO for iOS.
  case scores([String: Float])
  /// An image; a `TIOPixelBuffer` in TensorIO for iOS.
  case image(ImageBuffer)
  /// The bytes of a string layer; `NSData` in TensorIO for iOS.
  case bytes([UInt8])
  /// Strings, which TensorIO for iOS does not support.
  case strings([String])
}

extension ModelOutput {
  /// The values by name, as TensorIO for iOS returned them.
  ///
  /// The case of a value depends on its count and on whether it has labels. The order of layers and
  /// labels is lost, as are the last digits of integers above 2⁵³. New code should use
  /// ``subscript(_:)`` or ``value(of:as:)``, which preserve everything.
  public var legacyValues: [String: LegacyValue] {
    Dictionary(layers.map { ($0.name, LegacyValue($0.value)) }, uniquingKeysWith: { $1 })
  }
}

extension LegacyValue {
  /// Converts a layer's value.
  init(_ value: LayerValue) {
    switch value {
    case .numbers(let numbers):
      self = numbers.count == 1 ? .number(numbers[0]) : .numbers(numbers.doubles)
    case .classification(let classification): self = .scores(classification.scoresByLabel)
    case .image(let image): self = .image(image)
    case .bytes(let bytes): self = .bytes(bytes)
    case .tokens(let text): self = .numbers(text.ids.map(Double.init))
    case .audio(let sound): self = .numbers(sound.samples.map(Double.init))
    case .strings(let strings): self = .strings(Array(strings))
    case .list(let values): self = .numbers(values.flatMap { $0.numbers?.doubles ?? [] })
    }
  }

  /// The number, if the value is a single number.
  public var number: Double? { if case .number(let number) = self { number } else { nil } }

  /// The numbers, if the value is an array of numbers.
  public var numbers: [Double]? { if case .numbers(let numbers) = self { numbers } else { nil } }

  /// The scores by label, if the value has labels.
  public var scores: [String: Float]? { if case .scores(let scores) = self { scores } else { nil } }

  /// The image, if the value is an image.
  public var image: ImageBuffer? { if case .image(let image) = self { image } else { nil } }

  /// The bytes, if the value consists of bytes.
  public var bytes: [UInt8]? { if case .bytes(let bytes) = self { bytes } else { nil } }
}
