import TensorIOBundle
import TensorIOCore

/// The nodes that a graph applies to an input first, as far as they compute an affine function.
struct GraphRescaling {
  /// The nodes of the graph or of a function, with the inputs of the call.
  private final class Scope {
    let nodes: [GraphDefinition.Node]
    let arguments: [String]
    /// The scope of the call and the nodes that it passes.
    let caller: (scope: Scope, inputs: [String])?

    init(
      _ nodes: [GraphDefinition.Node], arguments: [String] = [],
      caller: (scope: Scope, inputs: [String])? = nil
    ) {
      (self.nodes, self.arguments, self.caller) = (nodes, arguments, caller)
    }
  }

  private let graph: GraphDefinition

  init(_ graph: GraphDefinition) {
    self.graph = graph
  }

  /// The maximum number of nodes to follow, through calls of functions as well.
  private static let maxDepth = 32
  private static let calls: Set = ["PartitionedCall", "StatefulPartitionedCall"]
  /// The nodes that change the layout or the type of the numbers but not their meaning.
  private static let transparentNodes: Set = [
    "Identity", "Cast", "ResizeBilinear", "ResizeNearestNeighbor", "Reshape", "EnsureShape",
    "StopGradient",
  ]
  private static let arithmeticNodes: [String: InputRescaling.Operation] = [
    "Add": .add, "AddV2": .add, "Sub": .subtract, "Mul": .multiply, "RealDiv": .divide,
    "Div": .divide, "BiasAdd": .add,
  ]

  /// Returns the affine function that the graph applies to the output of a node first.
  func rescaling(of node: String) -> InputRescaling {
    var result = InputRescaling()
    var (scope, name) = (Scope(graph.nodes), node)
    for _ in 0..<Self.maxDepth {
      let consumers = scope.nodes.filter { $0.dataInputs.contains(name) }
      guard consumers.count == 1, let position = consumers[0].dataInputs.firstIndex(of: name) else {
        break
      }
      let next = consumers[0]
      if Self.calls.contains(next.op) {
        guard let function = next.calledFunctions.first.flatMap({ graph.functions[$0] }),
          function.arguments.indices.contains(position)
        else { break }
        scope = Scope(
          function.nodes, arguments: function.arguments, caller: (scope, next.dataInputs))
        name = function.arguments[position]
        continue
      }
      if let operation = Self.arithmeticNodes[next.op] {
        var applied = result
        guard next.dataInputs.count == 2,
          let constant = constant(next.dataInputs[1 - position], in: scope),
          applied.apply(operation, constant, isReversed: position == 1)
        else { break }
        result = applied
      } else if !Self.transparentNodes.contains(next.op) || position != 0 {
        break
      }
      name = next.name
    }
    return result
  }

  /// Returns the numbers of a constant, which a function may have been passed.
  private func constant(_ name: String, in scope: Scope) -> [Float]? {
    var (scope, name) = (scope, name)
    for _ in 0..<Self.maxDepth {
      if let node = scope.nodes.first(where: { $0.name == name }) {
        switch node.op {
        case "Const": return node.floats.isEmpty ? nil : node.floats
        case "Identity", "Reshape":
          guard let input = node.dataInputs.first else { return nil }
          name = input
        default: return nil
        }
      } else {
        guard let caller = scope.caller, let index = scope.arguments.firstIndex(of: name),
          caller.inputs.indices.contains(index)
        else { return nil }
        (scope, name) = (caller.scope, caller.inputs[index])
      }
    }
    return nil
  }
}

extension TensorFlowModel {
  /// Returns the function that the graph applies to an input first, or `nil` if it cannot be read.
  func rescaling(ofInput index: Int) -> InputRescaling? {
    guard signature.inputs.indices.contains(index),
      let file = try? SavedModelFile(folder: savedModel.folder),
      let message = try? file.graph(for: .predict).graph,
      let definition = try? GraphDefinition(reading: message)
    else { return nil }
    return GraphRescaling(definition).rescaling(of: signature.inputs[index].name.nodeName)
  }
}
