import TensorIOBundle
import TensorIOCore

/// What the computations of a graph that can be trained do with its variables.
struct VariableUse: Sendable {
  /// The variables that the signatures or a training step read or assign.
  ///
  /// Keras stores each variable several times: only one of the copies takes part in computations, and TensorFlow
  /// does not initialize all the others.
  let usedVariables: Set<String>
  /// The nodes that assign a variable when they run, or depend on one that does.
  private let assigningNodes: Set<String>
  /// The nodes by their names that run when the operations of a training step are requested.
  private let graph: GraphDefinition

  /// Analyzes a graph.
  ///
  /// - Parameters:
  ///   - graph: The graph.
  ///   - metaGraph: The signatures of the graph.
  ///   - binding: The training step and its outputs, which need not be in a signature.
  init(_ graph: GraphDefinition, _ metaGraph: MetaGraph, _ binding: ModelBinding) {
    let assignments = graph.allNodes.lazy.map(\.op).filter(Self.assigns)
    assigningNodes = graph.nodes(reaching: Set(assignments))
    let signatures = metaGraph.signatures.flatMap(\.outputs).map(\.tensorName)
    let computations = signatures + binding.outputs.map(\.name) + binding.operations
    usedVariables = Set(
      graph.nodes(upstreamOf: computations.map(\.nodeName)).lazy.filter(\.isVariable).map(\.name))
    self.graph = graph
  }

  /// Returns whether computing some outputs performs a training step.
  ///
  /// In a SavedModel of TensorFlow 2, a signature is one call of a function, so that computing any of its outputs
  /// runs the function.
  func trains(_ outputs: [String], with operations: [String]) -> Bool {
    let operations = Set(operations)
    return graph.nodes(upstreamOf: outputs).contains { operations.contains($0.name) }
  }

  /// Returns whether computing some outputs assigns a variable.
  func assigns(_ outputs: [String]) -> Bool {
    !assigningNodes.isDisjoint(with: outputs)
  }

  /// Whether an operator assigns a variable.
  private static func assigns(_ name: String) -> Bool {
    let prefixes = ["Assign", "Apply", "SparseApply", "Scatter", "StridedSliceAssign"]
    let name = name.hasPrefix("Resource") ? name.dropFirst("Resource".count) : name[...]
    return prefixes.contains(where: name.hasPrefix) && name != "ScatterNd"
  }
}

extension GraphDefinition.Node {
  /// Whether the node is a variable.
  var isVariable: Bool { ["VarHandleOp", "VariableV2", "Variable"].contains(op) }
}
