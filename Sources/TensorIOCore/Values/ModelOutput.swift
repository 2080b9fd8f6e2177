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
  public let geometries: [ImageGeometry?]

  /// Results in order.
  public init(layers: [Layer], geometries: [ImageGeometry?] = []) {
    self.layers = layers
    self.geometries = geometries
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
