package import TensorIOBundle
package import TensorIOJSON

/// Reads the inputs of a model from JSON, for the command line and the server.
package struct JSONInputReader: Sendable {
  /// The inputs of the model, in order.
  let layers: [Layer]
  /// Other layers that an object may name.
  var placeholders: [Layer] = []
  /// Converts a string to a value.
  ///
  /// The command line resolves file names; the server must not.
  let resolveText: @Sendable (String, Layer) throws(ModelError) -> LayerValue

  /// Creates a reader for a model's inputs.
  package init(
    _ layers: [Layer], placeholders: [Layer] = [],
    resolveText: @escaping @Sendable (String, Layer) throws(ModelError) -> LayerValue
  ) {
    self.layers = layers
    self.placeholders = placeholders
    self.resolveText = resolveText
  }

  /// Reads the values of all inputs.
  ///
  /// An object has a member for each input. Any other value is the value of the only input, or a
  /// list of the values of all inputs.
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

  /// Reads the value of one layer.
  ///
  /// `layer` is `nil` for an unknown name, which is reported later together with all others.
  package func value(_ node: JSONNode, for layer: Layer?) throws(ModelError) -> LayerValue {
    do {
      return try valueWithoutLayerContext(node, for: layer)
    } catch {
      throw layer.map { error.at(layer: $0.name) } ?? error
    }
  }

  private func valueWithoutLayerContext(
    _ node: JSONNode, for layer: Layer?
  ) throws(ModelError) -> LayerValue {
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

  /// Reads nested numbers as one value if the nesting is regular, otherwise as a list.
  ///
  /// Integers are not converted to floating point.
  private func array(_ node: JSONNode, for layer: Layer?) throws(ModelError) -> LayerValue {
    do {
      return .numbers(try numbers(node))
    } catch {
      if error.diagnostics.first?.code == DiagnosticCode.raggedArray.rawValue { throw error }
    }
    do {
      var values: [LayerValue] = []
      for element in node.children { values.append(try value(element, for: layer)) }
      return .layerValue(of: values)
    } catch {
      guard case ModelError.wrongType = error, let strings = strings(node, for: layer) else {
        throw error
      }
      return strings
    }
  }

  /// Reads a list of strings for an array whose element type is determined by the tensor.
  private func strings(_ node: JSONNode, for layer: Layer?) -> LayerValue? {
    guard case .array(let numeric) = layer?.kind, numeric.elementType == nil else { return nil }
    let strings = node.children.compactMap(\.string)
    guard strings.count == node.count, layer?.elementCount.map({ $0 == strings.count }) ?? true
    else { return nil }
    return strings.layerValue
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
