/// The shapes of a subgraph's tensors, as far as they follow from the shapes of its inputs.
///
/// Graphs also compute with shapes: a `Flatten` layer of any number of items reads the shape of its
/// input, packs the number of items with a constant, and reshapes to that. Therefore small integer
/// tensors have values too, with elements that may be unknown.
final class InferredShapes {
  /// Dimensions; an unknown one is `nil`.
  typealias Dimensions = [Int?]

  let model: ParsedModel
  let graph: ParsedSubgraph
  private(set) var shapes: [Dimensions?]
  /// The elements of small integer tensors; `nil` is an element that is not known.
  private(set) var values: [[Int?]?]
  /// Whether the shape of a tensor follows from rules alone and is known completely.
  private(set) var isProven: [Bool]
  /// Whether declared shapes without free dimensions hold for all shapes of the inputs.
  ///
  /// Tools that modify files drop the marks of free dimensions inside the graph.
  private let hasFixedInputs: Bool
  private let calls: CallBudget

  /// Limits the subgraph calls that are followed: a small file can describe any number of them.
  private final class CallBudget {
    var remainingSteps = 1 << 20
    var depth = 0
    let maxDepth = 8
  }

  /// Infers the shapes of a subgraph.
  ///
  /// - Parameters:
  ///   - graph: The subgraph.
  ///   - model: The model of the subgraph.
  ///   - inputs: The shapes of the inputs; `nil` uses the declared ones, in which free dimensions are
  ///     unknown.
  /// - Throws: An error if an option of an operator is outside the file.
  convenience init(
    _ graph: ParsedSubgraph, of model: ParsedModel, inputs: [Dimensions]? = nil
  ) throws(ModelValidationError) {
    try self.init(graph, model, inputs, hasFixedInputs: !model.hasFreeDimensions, CallBudget())
  }

  private init(
    _ graph: ParsedSubgraph, _ model: ParsedModel, _ inputs: [Dimensions]?, hasFixedInputs: Bool,
    _ calls: CallBudget
  ) throws(ModelValidationError) {
    self.model = model
    self.graph = graph
    (self.hasFixedInputs, self.calls) = (hasFixedInputs, calls)
    let count = graph.tensors.count
    (shapes, values) = (Array(repeating: nil, count: count), Array(repeating: nil, count: count))
    isProven = Array(repeating: false, count: count)
    for (index, tensor) in graph.tensors.enumerated()
    where tensor.isVariable || tensor.shape == [0] || model.constantByteCount(of: tensor) > 0 {
      try set(index, tensor.shape, proven: true)
      values[index] = tensor.shape == [0] ? [] : model.constantIntegers(of: tensor)
    }
    for (index, input) in graph.inputs.enumerated() {
      let shape = inputs.map { $0[index] } ?? graph.tensors[input].declaredDimensions
      try set(input, shape, proven: true)
    }
    for entry in graph.operators { try infer(entry) }
  }

  /// Sets the shape of a tensor.
  ///
  /// - Throws: An error if a dimension is not a 32-bit integer. LiteRT has no others, and the rules
  ///   can compute with such dimensions without overflow.
  private func set(
    _ tensor: Int, _ shape: Dimensions?, proven: Bool
  ) throws(ModelValidationError) {
    let large = shape?.lazy.compactMap(\.self).first { Int32(exactly: $0) == nil }
    try require(
      large == nil, .outputShapes,
      "tensor \(tensor) has a dimension of \(large ?? 0), which is no 32-bit integer")
    shapes[tensor] = shape
    isProven[tensor] = proven && shape?.isKnown == true
  }

  private func infer(_ entry: ParsedOperator) throws(ModelValidationError) {
    let rule = ShapeRule(entry, in: self)
    let inferred = try rule.outputShapes()
    let isProven = entry.inputs.allSatisfy { $0 < 0 || self.isProven[$0] }
    for (index, output) in entry.outputs.enumerated() where !graph.tensors[output].isVariable {
      let shape = inferred.flatMap { $0.indices.contains(index) ? $0[index] : nil }
      try set(output, shape, proven: isProven)
      shapes[output] = completed(shape, declared: graph.tensors[output])
    }
    guard entry.outputs.contains(where: { graph.tensors[$0].isInteger }) else { return }
    for (output, value) in zip(entry.outputs, try rule.outputValues())
    where graph.tensors[output].isInteger {
      // The rules can compute with 32-bit integers without overflow; shapes have no larger ones.
      values[output] = value?.map { element in element.flatMap { Int32(exactly: $0) }.map(Int.init)
      }
    }
  }

  /// Infers the shapes of a subgraph that an operator calls; `nil` if there are too many calls.
  func inferringCall(
    of subgraph: Int, inputs: [Dimensions]
  ) throws(ModelValidationError) -> InferredShapes? {
    let graph = model.subgraphs[subgraph]
    calls.remainingSteps -= graph.tensors.count + graph.operators.count
    guard calls.remainingSteps >= 0, calls.depth < calls.maxDepth else { return nil }
    calls.depth += 1
    defer { calls.depth -= 1 }
    return try InferredShapes(graph, model, inputs, hasFixedInputs: hasFixedInputs, calls)
  }

  /// Returns a shape whose unknown dimensions are those that the file declares.
  private func completed(_ inferred: Dimensions?, declared tensor: ParsedTensor) -> Dimensions? {
    // A declaration without dimensions may also mean that the shape is unknown.
    guard !tensor.shape.isEmpty, hasFixedInputs || !tensor.shapeSignature.isEmpty else {
      return inferred
    }
    let declared = tensor.declaredDimensions
    guard let inferred else { return declared }
    guard inferred.count == declared.count else { return inferred }
    return zip(inferred, declared).map { $0 ?? $1 }
  }

  /// Returns the shape of a tensor if all of its dimensions follow from rules.
  func provenShape(of tensor: Int) -> [Int]? {
    isProven[tensor] ? shapes[tensor]?.compactMap(\.self) : nil
  }
}

extension InferredShapes.Dimensions {
  /// Whether all dimensions are known.
  var isKnown: Bool { allSatisfy { $0 != nil } }
}

extension ParsedTensor {
  /// Whether the elements are 32-bit or 64-bit integers.
  fileprivate var isInteger: Bool { typeCode == 2 || typeCode == 4 }

  /// The declared dimensions; free ones are unknown.
  var declaredDimensions: InferredShapes.Dimensions {
    shapeSignature.isEmpty ? shape : shapeSignature.map { $0 < 0 ? nil : $0 }
  }
}

extension ParsedModel {
  /// Whether an input of a subgraph that callers can run has a free dimension.
  fileprivate var hasFreeDimensions: Bool {
    callableSubgraphs.contains { index in
      let graph = subgraphs[index]
      return graph.inputs.contains { !graph.tensors[$0].declaredDimensions.isKnown }
    }
  }

  /// Requires that the declared shapes of outputs have as many elements as the inferred ones.
  ///
  /// LiteRT allocates outputs by their declared shape and writes them by the computed one. The
  /// shapes of intermediate tensors do not matter: LiteRT computes them before it allocates.
  func requireInferredOutputShapes() throws(ModelValidationError) {
    for graph in callableSubgraphs.map({ subgraphs[$0] }) {
      let fixed = graph.outputs.filter { graph.tensors[$0].declaredDimensions.isKnown }
      guard !fixed.isEmpty else { continue }
      let shapes = try InferredShapes(graph, of: self)
      for output in fixed {
        guard let inferred = shapes.provenShape(of: output) else { continue }
        let declared = graph.tensors[output].shape
        try require(
          declared.elementCount == inferred.elementCount, .outputShapes,
          "output tensor \(output) declares shape \(declared), but its operator computes \(inferred)"
        )
      }
    }
  }
}
