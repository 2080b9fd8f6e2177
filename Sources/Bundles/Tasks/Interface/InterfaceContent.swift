package import TensorIOBundle
import TensorIOCore

/// The elements of a bundle that typed code refers to.
package struct InterfaceContent: Sendable {
  /// An input, output or placeholder.
  package struct Element: Sendable, Hashable {
    /// The name of the layer.
    package let name: String
    /// The type of its values in typed code.
    package let type: InterfaceType
    /// The declared shape.
    package let shape: TensorShape
    /// A sentence about the values; `nil` if there is none.
    package let details: String?

    init(_ layer: Layer, _ type: InterfaceType) {
      (name, self.type) = (layer.name, type)
      (shape, details) = (layer.shape, layer.details)
    }
  }

  /// The labels of an output, without duplicates.
  package struct Labels: Sendable, Hashable {
    /// The name of the output.
    package let name: String
    /// The labels, in order.
    package let texts: [String]
  }

  /// The inputs that a caller provides, in order.
  package let inputs: [Element]
  /// The outputs that are not the model's state and are not replaced by the result of the task.
  package let outputs: [Element]
  /// The optional inputs.
  package let placeholders: [Element]
  /// The result of the task; `nil` if the outputs themselves are the result.
  package let result: TaskInterface?
  /// The name of the output with the labels of the result; `nil` if it has none.
  package let resultOutput: String?
  /// The labels of outputs that typed code lists: those of the result, and those of outputs with a score
  /// for each label.
  package let labels: [Labels]
  /// The names of the functions, sorted.
  package let functions: [String]
  /// Whether the model has state that it keeps between runs.
  package let hasState: Bool
  /// Whether the model takes sound.
  package let takesSound: Bool

  /// The maximum number of labels that typed code lists.
  package static let maxLabels = 256
  /// The maximum number of named features that become separate values.
  package static let maxFeatures = 64

  /// Creates the content of a bundle's interface.
  ///
  /// - Throws: A ``ModelError`` if a labels file cannot be read.
  package init(_ bundle: ModelBundle, mode: ModelMode? = nil) throws(ModelError) {
    let description = bundle.description.resolved(
      for: mode ?? bundle.description.defaultMode)
    let result = TaskRegistry.shared.format(for: description)?.interface
    let takesSound = description.inputs.contains(where: \.isAudio)
    self.takesSound = takesSound
    self.result = result
    hasState = !description.state.isEmpty
    functions = description.functions.keys.sorted()
    inputs = description.callerInputs.map {
      Element($0, InterfaceType(input: $0, of: result))
    }
    placeholders = description.placeholders.map {
      Element($0, InterfaceType(input: $0, of: result))
    }
    let stateOutputs = Set(description.state.map(\.output))
    let visible = description.outputs.filter { layer in
      !stateOutputs.contains(layer.name) && !(result?.replaces(layer) ?? false)
    }
    outputs = visible.map {
      Element($0, InterfaceType(output: $0, isMean: takesSound))
    }
    let resultLayer = result?.labeledOutput(description.outputs)
    resultOutput = resultLayer?.name
    let labeled = description.outputs.filter { layer in
      layer.name == resultLayer?.name
        || layer.hasScores && visible.contains { $0.name == layer.name }
    }
    var labels: [Labels] = []
    for layer in labeled {
      let result = layer.name == resultLayer?.name ? result : nil
      if let list = try Self.labels(of: layer, in: bundle, result: result) { labels.append(list) }
    }
    self.labels = labels
  }

  /// Returns the labels of a layer, or `nil` if typed code does not list them.
  private static func labels(
    of layer: Layer, in bundle: ModelBundle, result: TaskInterface?
  ) throws(ModelError) -> Labels? {
    let texts = try bundle.labels(for: layer)
    var unique: [String] = []
    var known: Set<String> = []
    for text in texts where known.insert(text).inserted { unique.append(text) }
    guard !unique.isEmpty, unique.count <= maxLabels else { return nil }
    // Values without a label are named by their index, which no list contains.
    let count = layer.elementCount ?? 0
    if layer.hasScores, count > texts.count { return nil }
    if let result, !result.canList(texts, bundle.description.task) { return nil }
    return Labels(name: layer.name, texts: unique)
  }
}

extension Layer {
  /// Whether the layer's values are scores, one for each label.
  var hasScores: Bool { labelsFile != nil && isLabeledByIndex }
}
