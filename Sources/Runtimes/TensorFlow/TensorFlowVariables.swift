import TensorIOBundle
import TensorIOCore

/// The variables of a graph, with operations that read and assign them.
///
/// The operations are added to the graph, so that variables of any SavedModel can be accessed, even if
/// its saver is in a function. They do not affect the file.
struct TensorFlowVariables: Sendable {
  private struct Entry {
    let variable: ModelVariable
    let reading: TensorFlowGraph.Output
    let value: TensorFlowGraph.Output
    let assignment: TensorFlowGraph.Output
  }

  private let graph: TensorFlowGraph
  private let entries: [Entry]

  /// The operators of variables, those of TensorFlow 1 last.
  private static let resourceOperator = "VarHandleOp"
  private static let referenceOperators: Set<String> = ["VariableV2", "Variable"]
  private static let addedPrefix = "tensorio_weights/"

  /// Adds operations for all variables to a graph.
  ///
  /// - Parameters:
  ///   - graph: The graph, to which the operations have not been added yet.
  ///   - used: The names of the variables that computations use; `nil` for all variables.
  ///   - trainable: The names of the trainable variables; `nil` if all are trainable.
  /// - Throws: A ``ModelError`` if the type or shape of a variable is unknown.
  init(
    of graph: TensorFlowGraph, used: Set<String>?, trainable: Set<String>?
  ) throws(ModelError) {
    var entries: [Entry] = []
    for name in graph.operationNames.sorted() {
      guard let handle = graph.operation(named: name) else { continue }
      let type = graph.operationType(of: handle)
      let isResource = type == Self.resourceOperator
      guard isResource || Self.referenceOperators.contains(type), used?.contains(name) ?? true
      else { continue }
      let code = try graph.typeAttribute("dtype", of: handle)
      let prefix = "\(Self.addedPrefix)\(entries.count)/"
      let value = try graph.addOperation(
        "Placeholder", named: prefix + "value", types: [("dtype", code)])
      let reading =
        isResource
        ? try graph.addOperation(
          "ReadVariableOp", named: prefix + "read", inputs: [handle], types: [("dtype", code)])
        : handle
      let assignment =
        isResource
        ? try graph.addOperation(
          "AssignVariableOp", named: prefix + "assign", inputs: [handle, value],
          types: [("dtype", code)])
        : try graph.addOperation(
          "Assign", named: prefix + "assign", inputs: [handle, value], types: [("T", code)])
      guard let elementType = ElementType(tensorFlowCode: code), elementType != .string,
        let shape = try graph.shape(of: reading)?.dimensions, !shape.contains(nil)
      else {
        throw ModelError(
          .runtime, .unsupported("access to the variable '\(name)', whose type or shape is unknown")
        )
      }
      let variable = ModelVariable(
        name: name, elementType: elementType, shape: shape.compactMap(\.self),
        isTrainable: trainable.map { Self.isTrainable(name, of: $0) } ?? true)
      entries.append(
        Entry(variable: variable, reading: reading, value: value, assignment: assignment))
    }
    self.graph = graph
    self.entries = entries
  }

  /// Returns whether a variable is trainable: a copy that is stored as `name_1` if `name` is.
  private static func isTrainable(_ name: String, of trainable: Set<String>) -> Bool {
    if trainable.contains(name) { return true }
    guard let end = name.lastIndex(of: "_"), UInt(name[name.index(after: end)...]) != nil else {
      return false
    }
    return trainable.contains(String(name[..<end]))
  }

  /// The variables, sorted by name.
  var variables: [ModelVariable] { entries.map(\.variable) }

  /// Returns the values of variables.
  func values(of names: [String]) throws(ModelError) -> [Tensor] {
    let byName = Dictionary(entries.map { ($0.variable.name, $0) }) { first, _ in first }
    let entries = names.compactMap { byName[$0] }
    let tensors = try graph.run(GraphRun(fetches: entries.map(\.reading)))
    var values: [Tensor] = []
    for (entry, tensor) in zip(entries, tensors) {
      let value = try tensor.copy()
      guard value.elementType == entry.variable.elementType else {
        throw ModelError(
          .run,
          .wrongType(expected: "\(entry.variable.elementType)", actual: "\(value.elementType)"),
          layer: entry.variable.name)
      }
      values.append(value)
    }
    return values
  }

  /// Assigns values to variables in one run.
  func assign(_ values: [String: Tensor]) throws(ModelError) {
    var run = GraphRun()
    for entry in entries {
      guard let value = values[entry.variable.name] else { continue }
      run.feeds.append((entry.value, try TensorFlowTensor(copying: value, of: graph.library)))
      run.targets.append(entry.assignment)
    }
    _ = try graph.run(run)
  }
}
