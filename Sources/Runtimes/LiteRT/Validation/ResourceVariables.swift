/// The resource variables of a model, which the operators of all its signatures share.
///
/// A variable has a name. `VAR_HANDLE` turns the name into a tensor that refers to the variable, and
/// `CALL_ONCE` runs a subgraph that assigns the initial values.
struct ResourceVariables {
  /// A variable with its initial value.
  struct Variable {
    let name: VariableName
    /// The operator that refers to the variable.
    let handle: ParsedOperator
    /// The subgraph that assigns the initial value, and the tensor with the value.
    let (initializer, initialValue): (Int, Int)
    let tensor: ParsedTensor
  }

  /// The variables with an initial value, in the order of their names.
  let variables: [Variable]
  /// The operators that run the subgraphs with the initial values, once per subgraph.
  let initializers: [ParsedOperator]

  init(_ model: ParsedModel) throws(ModelValidationError) {
    var callers: [Int: ParsedOperator] = [:]
    for graph in model.callableSubgraphs.map({ model.subgraphs[$0] }) {
      for entry in graph.operators where model.name(of: entry) == "CALL_ONCE" {
        for callee in try entry.calledSubgraphs(model.operatorCodes[entry.operatorCodeIndex]) {
          callers[callee] = callers[callee] ?? entry
        }
      }
    }
    var variables: [VariableName: Variable] = [:]
    for index in callers.keys.sorted() {
      let graph = model.subgraphs[index]
      let handles = model.variableHandles(in: graph)
      for entry in graph.operators where model.name(of: entry) == "ASSIGN_VARIABLE" {
        guard entry.inputs.count == 2, let (name, handle) = handles[entry.inputs[0]] else {
          continue
        }
        variables[name] = Variable(
          name: name, handle: handle, initializer: index, initialValue: entry.inputs[1],
          tensor: graph.tensors[entry.inputs[1]])
      }
    }
    self.variables = variables.values.sorted { $0.name < $1.name }
    initializers = callers.sorted { $0.key < $1.key }.map(\.value)
  }
}

/// The name of a variable, which is unique in a model.
struct VariableName: Hashable, Comparable, CustomStringConvertible {
  let container: String
  let name: String

  static func < (left: VariableName, right: VariableName) -> Bool {
    (left.container, left.name) < (right.container, right.name)
  }

  var description: String { container.isEmpty ? name : "\(container)/\(name)" }
}

extension ParsedModel {
  /// Returns the name of an operator.
  func name(of entry: ParsedOperator) -> String { operatorCodes[entry.operatorCodeIndex].name }

  /// Returns the variables that tensors of a subgraph refer to, with the operators that do so.
  func variableHandles(
    in graph: ParsedSubgraph
  ) -> [Int: (name: VariableName, handle: ParsedOperator)] {
    var handles: [Int: (name: VariableName, handle: ParsedOperator)] = [:]
    for entry in graph.operators where name(of: entry) == "VAR_HANDLE" && entry.outputs.count == 1 {
      let options = entry.builtinOptions
      let name = VariableName(
        container: options?.string(0) ?? "", name: options?.string(1) ?? "")
      handles[entry.outputs[0]] = (name, entry)
    }
    return handles
  }
}

extension ParsedModel {
  /// Returns whether a subgraph assigns values to variables, other than the initial ones.
  func assignsVariables(_ index: Int) -> Bool {
    var (pending, seen) = ([index], Set([index]))
    while let next = pending.popLast() {
      for entry in subgraphs[next].operators where name(of: entry) != "CALL_ONCE" {
        if name(of: entry) == "ASSIGN_VARIABLE" { return true }
        let callees = try? entry.calledSubgraphs(operatorCodes[entry.operatorCodeIndex])
        pending += (callees ?? []).filter { seen.insert($0).inserted }
      }
    }
    return false
  }

  /// Returns the variables that a subgraph reads, with the subgraphs that it calls.
  func variablesRead(by index: Int) -> Set<VariableName> {
    var (pending, seen, names) = ([index], Set([index]), Set<VariableName>())
    while let next = pending.popLast() {
      let handles = variableHandles(in: subgraphs[next])
      for entry in subgraphs[next].operators where name(of: entry) != "CALL_ONCE" {
        if name(of: entry) == "READ_VARIABLE", let handle = entry.inputs.first {
          if let name = handles[handle]?.name { names.insert(name) }
        }
        let callees = try? entry.calledSubgraphs(operatorCodes[entry.operatorCodeIndex])
        pending += (callees ?? []).filter { seen.insert($0).inserted }
      }
    }
    return names
  }
}
