package import TensorIOBundle
package import TensorIOJSON

/// Reads what a model takes from JSON, for the command line and for servers.
package struct JSONInputReader: Sendable {
  /// What the model takes, in order.
  let layers: [Layer]
  /// What an object may name besides.
  var placeholders: [Layer] = []
  /// What a string stands for.
  ///
  /// A command line lets it name a file; a server must not.
  let resolveText: @Sendable (String, Layer) throws(ModelError) -> LayerValue

  /// A reader for a model's inputs.
  package init(
    _ layers: [Layer], placeholders: [Layer] = [],
    resolveText: @escaping @Sendable (String, Layer) throws(ModelError) -> LayerValue
  ) {
    self.layers = layers
    self.placeholders = placeholders
    self.resolveText = resolveText
  }

  /// An object names all inputs.
  ///
  /// Anything else is the value of the only input, or a list of the values of all of them.
  package func input(_ node: JSONNode) throws(ModelError) -> ModelInput {
    if let members = node.members { return .named(try named(members)) }
    guard layers.count > 1, let elements = node.elements else {
      return .value(try value(node, for: layers.first))
    }
    var values: [LayerValue] = []
    for (index, element) in elements.enumerated() {
      values.append(try value(element, for: index < layers.count ? layers[index] : nil))
    }
    return .value(.list(values))
  }

  private func named(_ members: JSONMembers) throws(ModelError) -> [String: LayerValue] {
    var values: [String: LayerValue] = [:]
    for member in members {
      let layer = (layers + placeholders).first { $0.name == member.name }
      values[member.name] = try value(member.value, for: layer)
    }
    return values
  }

  /// The value of one layer.
  ///
  /// A name that no layer has is reported later, with all others.
  package func value(_ node: JSONNode, for layer: Layer?) throws(ModelError) -> LayerValue {
    do {
      return try valueWithoutLayerContext(node, for: layer)
    } catch {
      throw layer.map { error.at(layer: $0.name) } ?? error
    }
  }

  private func valueWithoutLayerContext(_ node: JSONNode, for layer: Layer?) throws(ModelError) -> LayerValue {
    switch node.kind {
    case .number: return .numbers(try numbers(node))
    case .boolean: return (node.bool ?? false).layerValue
    case .array: return try array(node, for: layer)
    case .string:
      let string = node.string ?? ""
      return try layer.map { layer throws(ModelError) in try resolveText(string, layer) }
        ?? string.layerValue
    case .null, .object:
      throw ModelError(
        .input, .wrongType(expected: "a number, a list or a string", actual: node.summary))
    }
  }

  /// Numbers however nested, as one value where the nesting is regular.
  ///
  /// Whole numbers stay whole.
  private func array(_ node: JSONNode, for layer: Layer?) throws(ModelError) -> LayerValue {
    do {
      return .numbers(try numbers(node))
    } catch {
      if case .invalidJSON(let fault) = error.reason, fault.code == .raggedArray { throw error }
    }
    do {
      var values: [LayerValue] = []
      for element in node.children { values.append(try value(element, for: layer)) }
      return .layerValue(of: values)
    } catch {
      guard case .wrongType = error.reason, let texts = texts(node, for: layer) else {
        throw error
      }
      return texts
    }
  }

  /// The texts that a list names, one for each element of an array that leaves its type to the
  /// tensor.
  private func texts(_ node: JSONNode, for layer: Layer?) -> LayerValue? {
    guard case .array(let numeric) = layer?.kind, numeric.elementType == nil else { return nil }
    let texts = node.children.compactMap(\.string)
    return texts.count == node.count && texts.count == layer?.elementCount ? texts.layerValue : nil
  }

  private func numbers(_ node: JSONNode) throws(ModelError) -> Numbers {
    var integers: [Int64] = []
    if let shape = try? node.numbers(into: &integers) {
      return Numbers(.integers(integers), shape: shape)
    }
    var doubles: [Double] = []
    do {
      let shape = try node.numbers(into: &doubles)
      return Numbers(.doubles(doubles), shape: shape)
    } catch {
      throw ModelError(.input, .invalidJSON(error))
    }
  }
}
