public import TensorIOBundle
public import TensorIOImage

/// The outputs of one run, by name and in the order of `model.json`.
///
/// An output decodes the result of the bundle's task, such as `classes` or `detections`. Other
/// outputs are read by name:
///
/// ```swift
/// import TensorIO
///
/// let model = try Model(at: "houses.tiobundle")
/// let output = try model.run([1890, 3, 2, 1.6])
/// let price = try output.value(of: "price", as: Double.self)
/// for layer in output.layers { print(layer.name, layer.value) }
/// ```
public struct ModelOutput: Sendable, Equatable {
  /// One output layer.
  public struct Layer: Sendable, Equatable {
    /// The name of the layer.
    public let name: String
    /// The value of the layer.
    public let value: LayerValue

    /// Creates an output layer.
    public init(name: String, value: LayerValue) {
      self.name = name
      self.value = value
    }
  }

  /// The output layers, in the order of `model.json`.
  public let layers: [Layer]
  /// How the image of each input was fitted, in the order of the inputs; `nil` for inputs that did
  /// not take an image.
  ///
  /// The geometry converts positions in the preprocessed image to positions in the caller's image.
  public let imageGeometries: [ImageGeometry?]
  /// The tokenized texts of the inputs that took text, in the order of the inputs.
  public let texts: [TokenizedText]
  /// The outputs of the windows of an input that took sound; empty for other models.
  ///
  /// ``layers`` has the mean of each output over the windows.
  public let windows: [Window]
  /// The output layers of each further window of a long text; ``layers`` are those of the first one.
  package private(set) var followingLayers: [[Layer]] = []
  /// The result that a chain passes on, which its task returns as it is; `nil` if the result is decoded from the layers.
  package private(set) var passedResult: (any Sendable)?
  /// What decodes the result of the task; `nil` for an output that no model returned.
  package private(set) var source: ModelInfo?

  /// Creates an output from layers.
  public init(layers: [Layer], imageGeometries: [ImageGeometry?] = []) {
    self.init(layers: layers, imageGeometries: imageGeometries, texts: [], windows: [])
  }

  package init(
    layers: [Layer], imageGeometries: [ImageGeometry?], texts: [TokenizedText],
    windows: [Window] = []
  ) {
    self.layers = layers
    self.imageGeometries = imageGeometries
    self.texts = texts
    self.windows = windows
  }

  /// Returns the output with other layers.
  package func with(layers: [Layer]) -> ModelOutput {
    ModelOutput(
      layers: layers, imageGeometries: imageGeometries, texts: texts, windows: windows)
  }

  /// Returns the output with the layers of further windows of a text.
  consuming func with(followingLayers: [[Layer]]) -> ModelOutput {
    self.followingLayers = followingLayers
    return self
  }

  /// Returns the output with a result that need not be decoded.
  package consuming func passing(_ result: any Sendable) -> ModelOutput {
    passedResult = result
    return self
  }

  /// An output without layers, which a placeholder returns.
  public static let empty = ModelOutput(layers: [])

  /// The value of a layer, by name.
  ///
  /// - Throws: ``ModelError/unknownOutput`` if there is no such layer.
  public subscript(name: String) -> LayerValue {
    get throws(ModelError) {
      guard let layer = layers.first(where: { $0.name == name }) else {
        throw ModelError(.output, .unknownOutput(name, known: names))
      }
      return layer.value
    }
  }

  /// Returns whether the layers, geometries, texts and windows are equal.
  public static func == (left: ModelOutput, right: ModelOutput) -> Bool {
    left.layers == right.layers && left.imageGeometries == right.imageGeometries
      && left.texts == right.texts && left.windows == right.windows
      && left.followingLayers == right.followingLayers
  }

  /// Returns the output as the output of a model.
  consuming func from(_ source: ModelInfo) -> ModelOutput {
    self.source = source
    return self
  }

  /// The names of the layers, in order.
  public var names: [String] { layers.map(\.name) }
}

extension ModelOutput {
  /// Returns the value of a layer, converted to a type.
  ///
  ///     let price = try output.value(of: "price", as: Double.self)
  ///
  /// - Parameters:
  ///   - name: The name of the layer.
  ///   - type: The type to convert to, such as `Double`, `[Float]`, `ImageBuffer` or
  ///     `Classification`.
  /// - Returns: The converted value.
  /// - Throws: A ``ModelError`` of the stage `output` if there is no such layer or it has another
  ///   kind of value.
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

  /// Returns the value of the only layer, converted to a type.
  ///
  /// ```swift
  /// import TensorIO
  ///
  /// let model = try Model(at: "houses.tiobundle")
  /// let price: Double = try model.run([1890, 3, 2, 1.6]).value()
  /// ```
  ///
  /// - Throws: A ``ModelError`` of the stage `output` if there are several layers, or the layer has
  ///   another kind of value.
  public func value<Value: LayerValueReadable>(
    as type: Value.Type = Value.self
  ) throws(ModelError) -> Value {
    guard layers.count == 1 else {
      let actual = layers.isEmpty ? "none" : "\(layers.count): \(names.joined(separator: ", "))"
      throw ModelError(.output, .wrongType(expected: "one output", actual: actual))
    }
    return try value(of: layers[0].name, as: type)
  }
}
