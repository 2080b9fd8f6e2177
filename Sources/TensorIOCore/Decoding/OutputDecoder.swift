/// Takes a model's tensors back to an application's values.
struct OutputDecoder: Sendable {
  let layers: [LayerDecoder]

  /// A decoder for layers that fit their tensors, in the order of both.
  init(_ layers: [Layer], tensors: [TensorInfo], labels: [[String]]) {
    self.layers = zip(zip(layers, tensors), labels).map { pair, labels in
      LayerDecoder(pair.0, tensor: pair.1, labels: labels)
    }
  }

  /// Reads all outputs of a session that has been invoked.
  func decode(_ session: any Session) throws(ModelError) -> [ModelOutput.Layer] {
    var results: [ModelOutput.Layer] = []
    for (index, decoder) in layers.enumerated() {
      results.append(
        ModelOutput.Layer(name: decoder.layer.name, value: try decoder.decode(session, at: index)))
    }
    return results
  }

  /// Reads all outputs of a session that has been invoked on several items, item by item.
  func decode(
    _ session: any Session, items count: Int
  ) throws(ModelError) -> [[ModelOutput.Layer]] {
    var items = Array(repeating: [ModelOutput.Layer](), count: count)
    for (index, decoder) in layers.enumerated() {
      let values = try decoder.decode(session, at: index, items: count)
      for (item, value) in values.enumerated() {
        items[item].append(ModelOutput.Layer(name: decoder.layer.name, value: value))
      }
    }
    return items
  }
}
