import TensorIOBundle
import TensorIOCore

/// A `ModelBinding` whose layers and operations are resolved to those of the graph.
struct ResolvedBinding: Sendable {
  /// The inputs, followed by the placeholders.
  let inputs: [LayerBinding]
  /// The number of inputs without placeholders.
  let inputCount: Int
  let outputs: [LayerBinding]
  /// The operations that a training step runs.
  let trainingOperations: [TensorFlowGraph.Output]

  /// Resolves all layers and operations.
  ///
  /// - Throws: `ModelError` with a diagnostic for a name that the graph does not have.
  init(_ binding: ModelBinding, in names: TensorNameResolver) throws(ModelError) {
    let inputs = try Self.bind(binding.inputs, .inputs, names)
    inputCount = inputs.count
    self.inputs = inputs + (try Self.bind(binding.placeholders, .placeholders, names))
    outputs = try Self.bind(binding.outputs, .outputs, names)
    trainingOperations = try Self.trainingOperations(binding.operations, names)
  }

  private static func bind(
    _ layers: [Layer], _ side: TensorNameResolver.Side, _ names: TensorNameResolver
  ) throws(ModelError) -> [LayerBinding] {
    var bound: [LayerBinding] = []
    for (index, layer) in layers.enumerated() {
      bound.append(try LayerBinding(layer, side, index: index, in: names))
    }
    return bound
  }

  private static func trainingOperations(
    _ operationNames: [String], _ names: TensorNameResolver
  ) throws(ModelError) -> [TensorFlowGraph.Output] {
    var operations: [TensorFlowGraph.Output] = []
    for (index, name) in operationNames.enumerated() {
      guard let operation = names.operation(name) else {
        let diagnostic = names.unknownNameDiagnostic(
          name, path: "/train/ops/\(index)", kind: "operation")
        throw ModelError(.bundle, .invalidDescription([diagnostic]))
      }
      operations.append(operation)
    }
    return operations
  }

  /// The warnings about the layers.
  var warnings: [Diagnostic] { (inputs + outputs).compactMap(\.warning) }

  /// Returns the signature with the layers' tensors.
  func signature(named name: String) -> ModelSignature {
    ModelSignature(
      name: name, inputs: inputs.prefix(inputCount).map(\.tensorInfo),
      placeholders: inputs.dropFirst(inputCount).map(\.tensorInfo),
      outputs: outputs.map(\.tensorInfo))
  }

  /// How the outputs of a training step are computed without training.
  enum Evaluation: Sendable {
    /// The outputs of the step do not depend on it.
    case outputs
    /// Another signature returns them. Each of its inputs has the value of the input at an index.
    case signature(
      inputs: [(source: Int, tensor: TensorFlowGraph.Output)], outputs: [TensorFlowGraph.Output])
    /// Only the training step computes the outputs.
    case none

    /// The indices of the inputs that the evaluation needs; `nil` for those of the outputs.
    var requiredInputs: Set<Int>? {
      if case .signature(let inputs, _) = self { Set(inputs.map(\.source)) } else { nil }
    }
  }

  /// Returns whether computing the outputs performs a training step.
  func trains(_ variableUse: VariableUse, in graph: TensorFlowGraph) -> Bool {
    variableUse.trains(
      outputs.map { graph.operationName(of: $0.output) },
      with: trainingOperations.map(graph.operationName(of:)))
  }

  /// Returns the evaluation by a signature; `nil` if it needs other inputs, has not all outputs, or assigns
  /// variables.
  func evaluation(
    by signature: MetaGraph.Signature, in graph: TensorFlowGraph, _ variableUse: VariableUse
  ) -> Evaluation? {
    let inputs = signature.inputs.compactMap { entry in
      self.inputs.firstIndex { $0.name == entry.key }.flatMap { index in
        graph.output(named: entry.tensorName).map { (source: index, tensor: $0) }
      }
    }
    let outputs = self.outputs.compactMap { layer in
      signature.outputs.first { $0.key == layer.name }
    }.compactMap { graph.output(named: $0.tensorName) }
    guard inputs.count == signature.inputs.count, outputs.count == self.outputs.count,
      !variableUse.assigns(outputs.map(graph.operationName(of:)))
    else { return nil }
    return .signature(inputs: inputs, outputs: outputs)
  }
}

/// A layer and the tensor of the graph that it refers to.
///
/// This is a class so that copying it in a run costs one reference count.
final class LayerBinding: Sendable {
  let name: String
  let output: TensorFlowGraph.Output
  let tensorInfo: TensorInfo
  /// The shape for one item.
  let shape: [Int]
  /// Whether the graph cannot run without a value for it.
  let isRequired: Bool
  /// A warning about a tolerated mismatch, or `nil`.
  let warning: Diagnostic?

  /// Resolves a layer to the tensor that it names.
  init(
    _ layer: Layer, _ side: TensorNameResolver.Side, index: Int, in names: TensorNameResolver
  ) throws(ModelError) {
    let path = "/\(side.rawValue)/\(index)"
    guard let output = names.output(layer.name, side) else {
      let diagnostic = names.unknownNameDiagnostic(layer.name, path: path + "/name", kind: "tensor")
      throw ModelError(.bundle, .invalidDescription([diagnostic]))
    }
    let graph = names.graph
    let declared = try graph.shape(of: output)
    let isTolerated = declared.map { layer.hasToleratedBatchMismatch(with: $0) } ?? false
    let shape = isTolerated ? layer.shape : declared ?? layer.shape
    name = layer.name
    self.output = output
    tensorInfo = TensorInfo(
      name: graph.name(of: output),
      elementType: try graph.supportedElementType(of: output, layer.name), shape: shape,
      signatureKey: graph.name(of: output) == layer.name ? nil : layer.name)
    self.shape = layer.itemShape(fitting: shape) ?? shape.singleItemDimensions
    isRequired = graph.operationType(of: output) == "Placeholder"
    warning = isTolerated ? layer.shapeWarning(against: declared, path) : nil
  }
}

extension Layer {
  /// Returns whether the layer declares a dynamic batch and the tensor a fixed shape that differs
  /// only in dimensions of 1.
  ///
  /// Exporters wrote `(1,)` for labels that are fed as `[N,1]`, which TensorFlow accepts.
  fileprivate func hasToleratedBatchMismatch(with tensor: TensorShape) -> Bool {
    shape.hasDynamicBatch && !tensor.isDynamic && tensor.dimensions.count != shape.dimensions.count
      && shape.singleItemDimensions.nonUnitDimensions
        == tensor.singleItemDimensions.nonUnitDimensions
  }

  fileprivate func shapeWarning(against tensor: TensorShape?, _ path: String) -> Diagnostic {
    Diagnostic(
      .warning, .tensorShape, path: path + "/shape", expected: tensor?.description,
      found: shape.description,
      message: "the layer '\(name)' has a dynamic batch, but the model's tensor holds one item")
  }
}

extension TensorFlowGraph {
  /// Returns the element type of an output.
  ///
  /// - Throws: `ModelError` if the type is not supported.
  func supportedElementType(of output: Output, _ name: String) throws(ModelError) -> ElementType {
    let (type, code) = elementType(of: output)
    guard let type else {
      let feature = "the element type of '\(name)' (TensorFlow's type \(code))"
      throw ModelError(.runtime, .unsupported(feature))
    }
    return type
  }
}

/// Finds tensors of a graph by their names in the graph or by keys of its signatures.
struct TensorNameResolver: Sendable {
  let graph: TensorFlowGraph
  /// The signatures in the order of the search.
  let signatures: [MetaGraph.Signature]

  /// The part of the description that names a tensor.
  enum Side: String {
    case inputs, outputs, placeholders
  }

  /// Returns the tensor with a name in the graph, or else with a signature key.
  func output(_ name: String, _ side: Side) -> TensorFlowGraph.Output? {
    graph.output(named: name)
      ?? signatureTensor(name, side).flatMap { graph.output(named: $0.tensorName) }
  }

  /// Returns the operation with a name, or else the one that computes an output with this key or the
  /// first output of the signature with this name.
  ///
  /// In a SavedModel of TensorFlow 2, a signature is one call of a function, so that computing any of
  /// its outputs runs the function.
  func operation(_ name: String) -> TensorFlowGraph.Output? {
    graph.operation(named: name) ?? output(name, .outputs)
      ?? signatures.first { $0.name == name }?.outputs.first
      .flatMap { graph.output(named: $0.tensorName) }
  }

  private func signatureTensor(_ key: String, _ side: Side) -> MetaGraph.SignatureTensor? {
    signatures.lazy.compactMap { signature in
      signature.entries(side).first { $0.key == key }
    }.first
  }

  /// Returns the diagnostic for a name that was not found.
  func unknownNameDiagnostic(_ name: String, path: String, kind: String) -> Diagnostic {
    let keys =
      signatures.flatMap { $0.inputs + $0.outputs }.map(\.key)
      + (kind == "operation" ? signatures.map(\.name) : [])
    let closest = Spelling.closestMatch(to: name, among: keys + graph.operationNames)
    return Diagnostic(
      .error, .unknownTensor, path: path,
      expected: "a name in the graph or a signature key",
      found: name, message: "the model has no \(kind) '\(name)'",
      suggestion: closest.map { "did you mean '\($0)'?" }
        ?? (keys.isEmpty ? nil : "signature keys: \(keys.joined(separator: ", "))"))
  }
}

extension MetaGraph.Signature {
  /// Returns the tensors of one side.
  func entries(_ side: TensorNameResolver.Side) -> [MetaGraph.SignatureTensor] {
    side == .outputs ? outputs : inputs
  }
}

extension TensorFlowGraph {
  /// Returns the conventional name of an output: `operation`, or `operation:index` if the index is
  /// not 0.
  func name(of output: Output) -> String {
    operationName(of: output) + (output.index == 0 ? "" : ":\(output.index)")
  }
}
