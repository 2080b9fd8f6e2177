import TensorIOBundle
import TensorIOCore

/// What a model is wanted for, in terms of its graph.
struct ResolvedBinding: Sendable {
  /// The inputs, and the placeholders after them.
  let inputs: [LayerBinding]
  /// How many of the inputs are no placeholders.
  let inputCount: Int
  let outputs: [LayerBinding]
  /// The operations that a step of training runs.
  let trainingOperations: [TensorFlowGraph.Output]

  /// Finds all layers and operations of a use.
  init(_ use: ModelBinding, in names: TensorNameResolver) throws(ModelError) {
    let inputs = try Self.bind(use.inputs, .inputs, names)
    inputCount = inputs.count
    self.inputs = inputs + (try Self.bind(use.placeholders, .placeholders, names))
    outputs = try Self.bind(use.outputs, .outputs, names)
    trainingOperations = try Self.trainingOperations(use.operations, names)
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
    _ wanted: [String], _ names: TensorNameResolver
  ) throws(ModelError) -> [TensorFlowGraph.Output] {
    var operations: [TensorFlowGraph.Output] = []
    for (index, name) in wanted.enumerated() {
      guard let operation = names.operation(name) else {
        let problem = names.unknownNameDiagnostic(name, path: "/train/ops/\(index)", kind: "operation")
        throw ModelError(.bundle, .invalidDescription([problem]))
      }
      operations.append(operation)
    }
    return operations
  }

  /// What is tolerated about the layers.
  var warnings: [Diagnostic] { (inputs + outputs).compactMap(\.warning) }

  /// The tensors, as the pipeline sees them.
  func signature(named name: String) -> ModelSignature {
    ModelSignature(
      name: name, inputs: inputs.prefix(inputCount).map(\.tensorInfo),
      placeholders: inputs.dropFirst(inputCount).map(\.tensorInfo), outputs: outputs.map(\.tensorInfo))
  }

  /// The names of the graph's operations that a run computes.
  func operationNames(in graph: TensorFlowGraph) -> [String] {
    (outputs.map(\.output) + trainingOperations).map(graph.operationName(of:))
  }
}

/// A layer with the tensor of the graph that it stands for.
///
/// A class, so that a run that looks at it counts one reference and not one for every part.
final class LayerBinding: Sendable {
  let name: String
  let output: TensorFlowGraph.Output
  /// What is said of the tensor.
  let tensorInfo: TensorInfo
  /// The shape of its memory for one item.
  let shape: [Int]
  /// Whether the graph cannot be run without a value.
  let isRequired: Bool
  /// What is tolerated about it.
  let warning: Diagnostic?

  /// Binds a layer to the tensor that it names.
  init(
    _ layer: Layer, _ side: TensorNameResolver.Side, index: Int, in names: TensorNameResolver
  ) throws(ModelError) {
    let path = "/\(side.rawValue)/\(index)"
    guard let place = names.output(layer.name, side) else {
      let problem = names.unknownNameDiagnostic(layer.name, path: path + "/name", kind: "tensor")
      throw ModelError(.bundle, .invalidDescription([problem]))
    }
    let graph = names.graph
    let declared = try graph.shape(of: place)
    let isTolerated = declared.map { layer.hasToleratedBatchMismatch(with: $0) } ?? false
    let shape = isTolerated ? layer.shape : declared ?? layer.shape
    name = layer.name
    self.output = place
    tensorInfo = TensorInfo(
      name: graph.name(of: place), elementType: try graph.supportedElementType(of: place, layer.name),
      shape: shape, signatureKey: graph.name(of: place) == layer.name ? nil : layer.name)
    self.shape = layer.itemShape(fitting: shape) ?? shape.singleItemDimensions
    isRequired = graph.operationType(of: place) == "Placeholder"
    warning = isTolerated ? layer.shapeWarning(against: declared, path) : nil
  }
}

extension Layer {
  /// Whether any number of items is declared over a tensor that says otherwise, in axes that hold
  /// nothing apart.
  ///
  /// Exporters wrote `(1,)` for labels that are fed as `[N,1]`, and TensorFlow never minded.
  fileprivate func hasToleratedBatchMismatch(with tensor: TensorShape) -> Bool {
    shape.hasDynamicBatch && !tensor.isDynamic && tensor.dimensions.count != shape.dimensions.count
      && shape.singleItemDimensions.nonUnitDimensions == tensor.singleItemDimensions.nonUnitDimensions
  }

  fileprivate func shapeWarning(against tensor: TensorShape?, _ path: String) -> Diagnostic {
    Diagnostic(
      .warning, .tensorShape, path: path + "/shape", expected: tensor?.description,
      found: shape.description,
      message: "the layer '\(name)' holds any number of items, the model's tensor only one")
  }
}

extension TensorFlowGraph {
  /// The type of a value's elements, which has to be one with support.
  func supportedElementType(of place: Output, _ name: String) throws(ModelError) -> ElementType {
    let (type, number) = elementType(of: place)
    guard let type else {
      let what = "the type of the elements of '\(name)' (TensorFlow's number \(number))"
      throw ModelError(.runtime, .unsupported(what))
    }
    return type
  }
}

/// A graph in which tensors are found by the names that people use: those of the graph, and the
/// keys of its signatures.
struct TensorNameResolver: Sendable {
  let graph: TensorFlowGraph
  /// The signatures whose keys count, those of the mode first.
  let signatures: [MetaGraph.Signature]

  /// On which side of the graph a tensor is looked for.
  enum Side: String {
    case inputs, outputs, placeholders
  }

  /// The tensor of a name: of the graph, else of a signature's key.
  func output(_ name: String, _ side: Side) -> TensorFlowGraph.Output? {
    graph.output(named: name) ?? signatureTensor(name, side).flatMap { graph.output(named: $0.tensorName) }
  }

  /// The operation of a name.
  func operation(_ name: String) -> TensorFlowGraph.Output? {
    graph.operation(named: name)
      ?? output(name, .outputs)
  }

  private func signatureTensor(_ key: String, _ side: Side) -> MetaGraph.SignatureTensor? {
    signatures.lazy.compactMap { signature in
      signature.entries(side).first { $0.key == key }
    }.first
  }

  /// What is wrong with a name for which there is nothing.
  func unknownNameDiagnostic(_ name: String, path: String, kind: String) -> Diagnostic {
    let keys = signatures.flatMap { $0.inputs + $0.outputs }.map(\.key)
    let nearest = Spelling.closestMatch(to: name, among: keys + graph.operationNames)
    return Diagnostic(
      .error, .unknownTensor, path: path,
      expected: "the name of one in the graph, or a signature's key",
      found: name, message: "the model has no \(kind) '\(name)'",
      suggestion: nearest.map { "did you mean '\($0)'?" } ?? "`tensorio inspect` lists the names")
  }
}

extension MetaGraph.Signature {
  /// What is listed on one side.
  func entries(_ side: TensorNameResolver.Side) -> [MetaGraph.SignatureTensor] {
    side == .outputs ? outputs : inputs
  }
}

extension TensorFlowGraph {
  /// The name of a value as people write it: that of its operation, with the index of any but its
  /// first.
  func name(of place: Output) -> String {
    operationName(of: place) + (place.index == 0 ? "" : ":\(place.index)")
  }
}
