/// Where a model's state begins: at zero.
enum StateStart {
  /// The values of the first run, by the inputs that take them.
  static func values(
    of state: [StateLink], _ layers: [Layer], _ tensors: [TensorInfo]
  ) -> [String: LayerValue] {
    var values: [String: LayerValue] = [:]
    for (layer, tensor) in zip(layers, tensors)
    where state.contains(where: { $0.input == layer.name }) {
      values[layer.name] = value(of: layer, tensor)
    }
    return values
  }

  private static func value(of layer: Layer, _ tensor: TensorInfo) -> LayerValue {
    let shape = layer.shape(fitting: tensor.shape) ?? tensor.shape.oneItem
    let count = TensorShape(signed: shape).elementCount ?? 0
    let elements: Numbers.Elements =
      tensor.elementType == .bool
      ? .booleans(Array(repeating: false, count: count))
      : .integers(Array(repeating: zero(of: layer, tensor), count: count))
    return .numbers(Numbers(elements, shape: shape))
  }

  /// What stands for zero: where integers go in as they are, the tensor's own zero point.
  private static func zero(of layer: Layer, _ tensor: TensorInfo) -> Int64 {
    guard case .direct = layer.storageCode(going: .in, tensor: tensor),
      tensor.elementType.isInteger
    else { return 0 }
    return Int64(tensor.quantization?.zeroPoint ?? 0)
  }
}

extension ModelInput {
  /// The values of a model's inputs in order, of which those that take up its state may be missing.
  func values(
    for names: [String], startingAt starts: [String: LayerValue]
  ) throws(ModelError) -> [LayerValue] {
    let asked = names.filter { starts[$0] == nil }
    return try named(asked).merged(into: starts).values(for: names)
  }

  /// The input with the names of the inputs that it is for.
  package func named(_ asked: [String]) throws(ModelError) -> ModelInput {
    if case .named = self { return self }
    let values = try values(for: asked)
    return .named(Dictionary(zip(asked, values)) { first, _ in first })
  }

  /// The input with values for what it does not name.
  package func merged(into values: [String: LayerValue]) -> ModelInput {
    guard case .named(let given) = self else { return self }
    return .named(values.merging(given) { $1 })
  }
}
