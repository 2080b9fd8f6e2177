import TensorIOBundle
import TensorIOCore

/// A signature of a model: its tensors in the order of the subgraph, each with its position in the
/// runtime's signature.
struct EntryPoint: Sendable {
  struct TensorBinding: Sendable {
    let info: TensorInfo
    /// The tensor's index in its subgraph; bindings with equal indices share memory.
    let tensorIndex: UInt32
    /// The tensor's position in the runtime's signature.
    let slot: Int

    /// The tensor's name in the signature.
    var key: String { info.signatureKey ?? info.name }
  }

  let name: String
  /// The signature's index in the model.
  let signatureIndex: Int
  /// The index of the subgraph that the signature runs.
  let subgraphIndex: Int
  /// Whether the signature runs the main subgraph.
  let isMainSubgraph: Bool
  /// Whether the graph computes shapes that are constants only for given shapes of the inputs.
  ///
  /// Such a model is compiled again for each shape, so that it takes one item at a time.
  let isSpecialized: Bool
  let inputs: [TensorBinding]
  let outputs: [TensorBinding]

  var signature: ModelSignature {
    ModelSignature(name: name, inputs: inputs.map(\.info), outputs: outputs.map(\.info))
  }

  /// Whether no input has a free dimension.
  var hasFixedShapes: Bool { inputs.allSatisfy { !$0.info.shape.isDynamic } }

  /// The shapes of the inputs before any resize: free dimensions are 1.
  var initialInputShapes: [[Int]] { inputs.map(\.info.shape.singleItemDimensions) }

  /// Whether the file declares the shapes of all outputs.
  ///
  /// Some operators, such as the postprocessing of detectors, leave them out, which is
  /// indistinguishable from a scalar.
  var hasDeclaredOutputShapes: Bool {
    outputs.allSatisfy { !$0.info.shape.dimensions.isEmpty }
  }

  func signature(withOutputShapes shapes: [[Int]]) -> ModelSignature {
    let outputs = zip(self.outputs, shapes).map { binding, shape in
      binding.info.shape.dimensions.isEmpty
        ? binding.info.withShape(TensorShape(signedDimensions: shape)) : binding.info
    }
    return ModelSignature(name: name, inputs: inputs.map(\.info), outputs: outputs)
  }

  /// Throws if a string input is also an output.
  ///
  /// New strings are written to new memory, so that an output cannot share it.
  func requireUnaliasedStringInputs() throws(ModelError) {
    for binding in inputs where binding.info.elementType == .string {
      guard outputs.contains(where: { $0.tensorIndex == binding.tensorIndex }) else { continue }
      let feature = "a string tensor that is both an input and an output (\(binding.info.name))"
      throw ModelError(.runtime, .unsupported(feature))
    }
  }

  func requireResizable(to shapes: [[Int]]) throws(ModelError) {
    guard shapes.count == inputs.count else {
      throw ModelError(.input, .inputCount(expected: inputs.count, actual: shapes.count))
    }
    for (binding, shape) in zip(inputs, shapes) where !binding.info.shape.accepts(shape) {
      let shape = TensorShape(signedDimensions: shape)
      throw ModelError(
        .input,
        .unsupported(
          "resizing the input '\(binding.info.name)' of shape \(binding.info.shape) to \(shape)"))
    }
  }
}

extension EntryPoint {
  /// The names of signatures for inference, most usual first.
  private static let inferenceNames = ["serving_default", "infer", "predict", "decode"]

  /// Returns the entry point to run: the signature whose keys are the names of the binding's layers,
  /// with its tensors in their order, otherwise the main subgraph.
  ///
  /// Without a binding, a signature with one of the `inferenceNames` takes precedence.
  ///
  /// - Throws: `ModelError` with a diagnostic if the binding names a signature that the model does not have.
  static func main(
    of entryPoints: [EntryPoint], for use: ModelBinding?
  ) throws(ModelError) -> EntryPoint? {
    if let use, let name = use.signature {
      guard let entryPoint = entryPoints.first(where: { $0.name == name }) else {
        throw ModelBinding.unknownSignature(name, among: entryPoints.map(\.name))
      }
      return entryPoint.arranged(
        inputs: (use.inputs + use.placeholders).map(\.name), outputs: use.outputs.map(\.name))
        ?? entryPoint
    }
    let named = inferenceNames.compactMap { name in entryPoints.first { $0.name == name } }
    let main = entryPoints.first(where: \.isMainSubgraph) ?? entryPoints.first
    guard entryPoints.count > 1 else { return main }
    guard let use else { return named.first ?? main }
    let others = entryPoints.filter { entry in !named.contains { $0.name == entry.name } }
    let inputs = (use.inputs + use.placeholders).map(\.name)
    let outputs = use.outputs.map(\.name)
    let candidates = (named + others).filter {
      $0.inputs.count == inputs.count && $0.outputs.count == outputs.count
    }
    return candidates.first { $0.hasKeys(inputs, outputs) }
      ?? candidates.lazy.compactMap { $0.arranged(inputs: inputs, outputs: outputs) }.first ?? main
  }

  private func hasKeys(_ inputs: [String], _ outputs: [String]) -> Bool {
    self.inputs.map(\.key) == inputs && self.outputs.map(\.key) == outputs
  }

  /// Returns the entry point with its tensors in the order of the given keys, followed by the
  /// others; `nil` if a key does not exist.
  func arranged(inputs: [String], outputs: [String]) -> EntryPoint? {
    guard let inputs = Self.arranged(self.inputs, inputs),
      let outputs = Self.arranged(self.outputs, outputs)
    else { return nil }
    return EntryPoint(
      name: name, signatureIndex: signatureIndex, subgraphIndex: subgraphIndex,
      isMainSubgraph: isMainSubgraph, isSpecialized: isSpecialized, inputs: inputs,
      outputs: outputs)
  }

  private static func arranged(_ bindings: [TensorBinding], _ keys: [String]) -> [TensorBinding]? {
    var rest = bindings
    var arranged: [TensorBinding] = []
    for key in keys {
      guard let index = rest.firstIndex(where: { $0.key == key }) else { return nil }
      arranged.append(rest.remove(at: index))
    }
    return arranged + rest
  }
}

extension TensorInfo {
  func withShape(_ shape: TensorShape) -> TensorInfo {
    TensorInfo(
      name: name, elementType: elementType, shape: shape, quantization: quantization,
      signatureKey: signatureKey)
  }
}

extension TensorShape {
  /// The shape with one item, if its number of items is free; a vector has a length instead.
  var withSingleItem: TensorShape {
    guard hasDynamicBatch, dimensions.count > 1 else { return self }
    return TensorShape([1] + dimensions.dropFirst())
  }

  /// Returns whether a tensor of this shape can have the given dimensions.
  func accepts(_ lengths: [Int]) -> Bool {
    lengths.count == dimensions.count
      && zip(dimensions, lengths).allSatisfy { dimension, length in
        length > 0 && (dimension ?? length) == length
      }
  }
}
