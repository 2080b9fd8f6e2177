internal import TensorIOCore

/// What a model is wanted for, in terms of its graph.
struct BoundUse: Sendable {
  /// The inputs, and the placeholders after them.
  let inputs: [BoundLayer]
  /// How many of the inputs are no placeholders.
  let inputCount: Int
  let outputs: [BoundLayer]
  /// The operations that a step of training runs.
  let operations: [LoadedGraph.Place]

  /// Finds all layers and operations of a use.
  init(_ use: ModelUse, in names: NamedGraph) throws(ModelError) {
    let inputs = try Self.bind(use.inputs, .inputs, names)
    inputCount = inputs.count
    self.inputs = inputs + (try Self.bind(use.placeholders, .placeholders, names))
    outputs = try Self.bind(use.outputs, .outputs, names)
    operations = try Self.operations(use.operations, names)
  }

  private static func bind(
    _ layers: [Layer], _ side: NamedGraph.Side, _ names: NamedGraph
  ) throws(ModelError) -> [BoundLayer] {
    var bound: [BoundLayer] = []
    for (index, layer) in layers.enumerated() {
      bound.append(try BoundLayer(layer, side, index: index, in: names))
    }
    return bound
  }

  private static func operations(
    _ wanted: [String], _ names: NamedGraph
  ) throws(ModelError) -> [LoadedGraph.Place] {
    var operations: [LoadedGraph.Place] = []
    for (index, name) in wanted.enumerated() {
      guard let operation = names.operation(name) else {
        let problem = names.problem(name, path: "/train/ops/\(index)", wanted: "operation")
        throw ModelError(.bundle, .invalidDescription([problem]))
      }
      operations.append(operation)
    }
    return operations
  }

  /// What is tolerated about the layers.
  var warnings: [Problem] { (inputs + outputs).compactMap(\.warning) }

  /// The tensors, as the pipeline sees them.
  func signature(named name: String) -> ModelSignature {
    ModelSignature(
      name: name, inputs: inputs.prefix(inputCount).map(\.info),
      placeholders: inputs.dropFirst(inputCount).map(\.info), outputs: outputs.map(\.info))
  }

  /// The names of the graph's operations that a run computes.
  func operationNames(in graph: LoadedGraph) -> [String] {
    (outputs.map(\.place) + operations).map(graph.operationName(of:))
  }
}
