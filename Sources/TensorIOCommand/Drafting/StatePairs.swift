internal import TensorIOCore

/// The tensors that carry a model's memory from one run to the next: an input and an output that
/// are alike in all but their names.
struct StatePairs: Sendable, Equatable {
  /// An output and the input that it goes into.
  struct Pair: Sendable, Equatable {
    let input: Int
    let output: Int
  }

  private(set) var pairs: [Pair] = []

  var inputs: Set<Int> { Set(pairs.map(\.input)) }
  var outputs: Set<Int> { Set(pairs.map(\.output)) }

  /// Finds the pairs of a model that has other inputs and outputs as well.
  init(_ signature: ModelSignature) {
    for (index, input) in signature.inputs.enumerated() where Self.mayBeState(input) {
      let matches = signature.outputs.indices.filter {
        !outputs.contains($0) && Self.isAlike(signature.outputs[$0], input)
      }
      let match =
        matches.first { Self.isNamedLike(signature.outputs[$0], input) } ?? matches.first
      if let match { pairs.append(Pair(input: index, output: match)) }
    }
    let leavesOthers =
      pairs.count < signature.inputs.count && pairs.count < signature.outputs.count
    if !leavesOthers { pairs = [] }
  }

  private static func mayBeState(_ tensor: TensorInfo) -> Bool {
    (tensor.shape.elementCount ?? 0) > 1 && PictureShape(tensor, nil) == nil
  }

  private static func isAlike(_ left: TensorInfo, _ right: TensorInfo) -> Bool {
    left.shape.axes.count >= telltaleAxes || [left, right].allSatisfy(isNamedAsState)
      ? isOfOneKind(left, right) : false
  }

  /// Whether the short name of one stands in that of the other, as `lstm_c` in `init_lstm_c`.
  private static func isNamedLike(_ output: TensorInfo, _ input: TensorInfo) -> Bool {
    let names = [output, input].map { LayerNames.short($0.name, otherwise: "?") }
    return names[0].contains(names[1]) || names[1].contains(names[0])
  }

  /// Two vectors of one length are nothing special; two blocks of one shape are.
  private static let telltaleAxes = 3
  private static let words = ["state", "lstm", "gru", "rnn", "hidden", "cell", "memory"]

  private static func isNamedAsState(_ tensor: TensorInfo) -> Bool {
    let name = tensor.name.lowercased()
    return words.contains { name.contains($0) }
  }

  private static func isOfOneKind(_ left: TensorInfo, _ right: TensorInfo) -> Bool {
    left.elementType == right.elementType && left.shape == right.shape
      && left.quantization == right.quantization
  }
}
