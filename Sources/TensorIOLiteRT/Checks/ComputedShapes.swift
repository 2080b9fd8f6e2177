/// The shapes that a graph's tensors will have when it runs, as far as they are known beforehand.
///
/// Followed are only operators whose rule is simple; what any other computes is unknown, and so is
/// what is computed from that.
struct ComputedShapes {
  private let model: ModelOutline
  private let graph: GraphOutline
  private var shapes: [[Int]?]

  init(_ graph: GraphOutline, of model: ModelOutline) throws(ModelProblem) {
    self.model = model
    self.graph = graph
    shapes = graph.tensors.map { model.valueBytes(of: $0) > 0 ? $0.shape : nil }
    for input in graph.inputs where !graph.tensors[input].signature.contains(-1) {
      shapes[input] = graph.tensors[input].shape
    }
    for entry in graph.operators {
      guard entry.outputs.count == 1 else { continue }
      shapes[entry.outputs[0]] = try shape(of: entry)
    }
  }

  subscript(tensor: Int) -> [Int]? { shapes[tensor] }

  private func shape(of entry: OperatorOutline) throws(ModelProblem) -> [Int]? {
    let kind = model.kinds[entry.kind]
    guard let rule = kind.shapeRule, let first = input(0, of: entry) else { return nil }
    switch rule {
    case .same: return first
    case .broadcast:
      return input(1, of: entry).flatMap { Self.broadcast(first, $0) }
    case .reshaped: return reshaped(first, entry)
    case .dense:
      let keepsAxes = try entry.options?.option(2, as: UInt8.self) ?? 0 != 0
      return input(1, of: entry).flatMap { Self.dense(first, weights: $0, keepsAxes: keepsAxes) }
    case .window(let window):
      return try Window(window, input(1, of: entry), entry)?.slide(over: first)
    }
  }

  private func input(_ place: Int, of entry: OperatorOutline) -> [Int]? {
    guard entry.inputs.indices.contains(place), entry.inputs[place] >= 0 else { return nil }
    return shapes[entry.inputs[place]]
  }
}

// MARK: - Rules

extension ComputedShapes {
  /// Every axis has the longer length of both where the other is one.
  private static func broadcast(_ left: [Int], _ right: [Int]) -> [Int]? {
    let count = max(left.count, right.count)
    let padded = [left, right].map { [Int](repeating: 1, count: count - $0.count) + $0 }
    let pairs = zip(padded[0], padded[1])
    guard pairs.allSatisfy({ $0 == $1 || $0 == 1 || $1 == 1 }) else { return nil }
    return pairs.map { $0 == 1 ? $1 : $0 }
  }

  private static func dense(_ input: [Int], weights: [Int], keepsAxes: Bool) -> [Int]? {
    guard weights.count == 2, let count = input.elementCount, weights[1] > 0,
      count.isMultiple(of: weights[1])
    else { return nil }
    return keepsAxes ? input.dropLast() + [weights[0]] : [count / weights[1], weights[0]]
  }

  /// A reshape to lengths that the file holds, one of which may be left open.
  private func reshaped(_ input: [Int], _ entry: OperatorOutline) -> [Int]? {
    guard entry.inputs.count == 2, let count = input.elementCount,
      var shape = model.integers(of: graph.tensors[entry.inputs[1]])
    else { return nil }
    if let open = shape.firstIndex(of: -1) {
      shape[open] = 1
      guard let rest = shape.elementCount, rest > 0, count.isMultiple(of: rest) else { return nil }
      shape[open] = count / rest
    }
    return shape.allSatisfy { $0 >= 0 } && shape.elementCount == count ? shape : nil
  }
}

// MARK: - Outputs

extension ModelOutline {
  /// The outputs that callers see have as many elements as their operators compute.
  ///
  /// The runtime believes the declared shape when it makes room, and the computed one when it
  /// writes. Shapes within a graph do not matter: they are computed before there is any room.
  func requireComputedOutputs() throws(ModelProblem) {
    for graph in exposed.map({ graphs[$0] }) {
      let shapes = try ComputedShapes(graph, of: self)
      for output in graph.outputs where !graph.tensors[output].signature.contains(-1) {
        guard let computed = shapes[output] else { continue }
        let declared = graph.tensors[output].shape
        try require(
          declared.elementCount == computed.elementCount, .computed,
          "output tensor \(output) has the shape \(declared), but \(computed) is computed")
      }
    }
  }
}
