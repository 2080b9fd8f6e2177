/// Validates that variables have values of the expected size when they are read.
///
/// LiteRT reads as many bytes as the output of `READ_VARIABLE` has, whatever the variable holds. It
/// crashes if no value has been assigned.
struct VariableValidator {
  private let model: ParsedModel
  private var assigned: [VariableName: [ParsedTensor]] = [:]
  private var read: [VariableName: [ParsedTensor]] = [:]
  private var remainingOperators = maxOperators

  /// The maximum number of operators that are followed through calls of subgraphs.
  private static let maxOperators = 1 << 20
  /// The operators that pass their inputs on to a subgraph, with the index of the first one.
  private static let calls = ["IF": 1, "WHILE": 0, "CALL": 0]

  init(_ model: ParsedModel) {
    self.model = model
  }

  /// Throws if a signature reads a variable without a value, or a value of another size.
  mutating func validate() throws(ModelValidationError) {
    guard model.operatorCodes.contains(where: { $0.name == "READ_VARIABLE" }) else { return }
    for index in model.callableSubgraphs {
      var initialized: Set<VariableName> = []
      try visit(index, [:], &initialized)
    }
    for (name, tensors) in read.sorted(by: { $0.key < $1.key }) {
      try requireEqualSizes(name, tensors)
    }
  }

  /// Follows the operators of a subgraph in order.
  ///
  /// `passed` contains the variables that inputs of the subgraph refer to, and `initialized` those
  /// that have a value.
  private mutating func visit(
    _ index: Int, _ passed: [Int: VariableName], _ initialized: inout Set<VariableName>
  ) throws(ModelValidationError) {
    let graph = model.subgraphs[index]
    var handles = model.variableHandles(in: graph).mapValues(\.name)
      .merging(passed) { own, _ in own }
    remainingOperators -= graph.operators.count
    try require(
      remainingOperators >= 0, .traversalBudget, "the model has too many calls of subgraphs")
    for (position, entry) in graph.operators.enumerated() {
      let name = model.name(of: entry)
      switch name {
      case "CALL_ONCE": try visitCallees(of: entry, [], [:], &initialized)
      case "READ_VARIABLE", "ASSIGN_VARIABLE":
        try visitAccess(entry, position, in: graph, handles, &initialized)
      default:
        guard let first = Self.calls[name] else { continue }
        try visitCallees(of: entry, entry.inputs.dropFirst(first), handles, &initialized)
        for (input, output) in zip(entry.inputs, entry.outputs) where name == "WHILE" {
          handles[output] = handles[input]
        }
      }
    }
  }

  /// Follows the subgraphs that an operator calls; a variable has a value afterward if each of them
  /// assigns one.
  private mutating func visitCallees(
    of entry: ParsedOperator, _ inputs: ArraySlice<Int>, _ handles: [Int: VariableName],
    _ initialized: inout Set<VariableName>
  ) throws(ModelValidationError) {
    var common: Set<VariableName>?
    for callee in try entry.calledSubgraphs(model.operatorCodes[entry.operatorCodeIndex]) {
      var passed: [Int: VariableName] = [:]
      for (input, source) in zip(model.subgraphs[callee].inputs, inputs) {
        passed[input] = handles[source]
      }
      var variables = initialized
      try visit(callee, passed, &variables)
      common = common?.intersection(variables) ?? variables
    }
    initialized = common ?? initialized
  }

  private mutating func visitAccess(
    _ entry: ParsedOperator, _ position: Int, in graph: ParsedSubgraph,
    _ handles: [Int: VariableName], _ initialized: inout Set<VariableName>
  ) throws(ModelValidationError) {
    let isRead = model.name(of: entry) == "READ_VARIABLE"
    let operands = isRead ? entry.inputs + entry.outputs : entry.inputs
    guard operands.count == 2, let name = handles[operands[0]], operands[1] >= 0 else {
      throw ModelValidationError(
        .variables, "operator \(position) accesses a variable without a name")
    }
    let tensor = graph.tensors[operands[1]]
    if isRead {
      try require(
        initialized.contains(name), .variables,
        "the variable '\(name)' is read before a value is assigned; convert the model with initial"
          + " values for its variables")
      read[name, default: []].append(tensor)
    } else {
      initialized.insert(name)
      assigned[name, default: []].append(tensor)
    }
  }

  /// Requires that all values of a variable have as many elements as the tensors that they are read
  /// into.
  ///
  /// LiteRT determines the shape of a tensor that declares none when it reads the variable.
  private func requireEqualSizes(
    _ name: VariableName, _ tensors: [ParsedTensor]
  ) throws(ModelValidationError) {
    for tensor in tensors where !tensor.shape.isEmpty {
      let other = assigned[name]?.first { value in
        value.shape.elementCount != tensor.shape.elementCount || value.shapeSignature.contains(-1)
          || value.typeCode != tensor.typeCode
      }
      try require(
        other == nil, .variables,
        "the variable '\(name)' is read with the shape \(tensor.shape), but is assigned a value with"
          + " the shape \(other?.shape ?? [])")
    }
  }
}
