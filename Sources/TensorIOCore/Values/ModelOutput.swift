public import TensorIOBundle
public import TensorIOImage

/// Everything that one run of a model gave, by layer and in the order of `model.json`.
public struct ModelOutput: Sendable, Equatable {
  /// One layer's result.
  public struct Layer: Sendable, Equatable {
    /// The layer's name.
    public let name: String
    /// What came out of it.
    public let value: LayerValue

    /// A named result.
    public init(name: String, value: LayerValue) {
      self.name = name
      self.value = value
    }
  }

  /// The results, in the order of `model.json`.
  public let layers: [Layer]
  /// How the picture of each input was fitted, in the order of the inputs; `nil` where an input
  /// took no picture.
  ///
  /// Through it, places in the model's picture become places in the caller's.
  public let imageGeometries: [ImageGeometry?]

  /// Results in order.
  public init(layers: [Layer], imageGeometries: [ImageGeometry?] = []) {
    self.layers = layers
    self.imageGeometries = imageGeometries
  }

  /// What a placeholder gives.
  public static let empty = ModelOutput(layers: [])

  /// The result of a layer, by name.
  public subscript(name: String) -> LayerValue {
    get throws(ModelError) {
      guard let layer = layers.first(where: { $0.name == name }) else {
        throw ModelError(.output, .unknownOutput(name, known: names))
      }
      return layer.value
    }
  }

  /// The names of the layers, in order.
  public var names: [String] { layers.map(\.name) }
}

extension ModelOutput {
  /// The result of a layer, as a type of the application's.
  ///
  ///     let price = try output.value(of: "price", as: Double.self)
  public func value<Value: LayerValueReadable>(
    of name: String, as type: Value.Type = Value.self
  ) throws(ModelError) -> Value {
    let value = try self[name]
    do throws(ModelError) {
      return try Value(value)
    } catch {
      throw error.at(layer: name)
    }
  }

  /// The result of the only layer, as a type of the application's.
  ///
  ///     let price: Double = try model.run(house).value()
  ///
  /// A model with several outputs is an error that lists them.
  public func value<Value: LayerValueReadable>(
    as type: Value.Type = Value.self
  ) throws(ModelError) -> Value {
    guard layers.count == 1 else {
      throw ModelError(
        .output, .wrongType(expected: "one output", actual: "\(layers.count): \(names)"))
    }
    return try value(of: layers[0].name, as: type)
  }
}

/// A result as the original library returned it: a number, an array, a dictionary, a picture or
/// data, whichever the layer came to.
public enum LegacyValue: Sendable, Equatable {
  /// The only number of a layer. The original returned an `NSNumber`.
  case number(Double)
  /// The numbers of a layer in row-major order. The original returned a flat `NSArray`.
  case numbers([Double])
  /// The scores of a labelled layer by label; a label that occurs more than once has its highest
  /// score. The original returned an `NSDictionary`, and which score it kept was chance.
  case scores([String: Float])
  /// A picture. The original returned a `TIOPixelBuffer`.
  case image(ImageBuffer)
  /// The bytes of a string layer. The original returned `NSData`.
  case bytes([UInt8])
  /// Texts, which the original did not have.
  case strings([String])
}

extension ModelOutput {
  /// The results by name, as the original library returned them.
  ///
  /// What type a layer has here depends on how many values it holds and whether they have labels;
  /// the order of layers and labels is lost, and so are the last digits of integers above 2⁵³.
  /// New code reads ``subscript(_:)`` or ``value(of:as:)``, which lose nothing.
  public var legacyValues: [String: LegacyValue] {
    Dictionary(layers.map { ($0.name, LegacyValue($0.value)) }, uniquingKeysWith: { $1 })
  }
}

extension LegacyValue {
  /// What a layer's value is in the original's terms.
  init(_ value: LayerValue) {
    switch value {
    case .numbers(let numbers):
      self = numbers.count == 1 ? .number(numbers[0]) : .numbers(numbers.doubles)
    case .classification(let classification): self = .scores(classification.scoresByLabel)
    case .image(let image): self = .image(image)
    case .bytes(let bytes): self = .bytes(bytes)
    case .strings(let strings): self = .strings(strings.map { String(decoding: $0, as: UTF8.self) })
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
  public var image: ImageBuffer? { if case .image(let image) = self { image } else { nil } }

  /// The bytes, when they are bytes.
  public var bytes: [UInt8]? { if case .bytes(let bytes) = self { bytes } else { nil } }
}
