/// The fields of a `.tflite` file that declare state, such as that of a recurrent layer.
///
/// LiteRT's loader rejects models with variable tensors or with operators that list intermediate
/// tensors, although the interpreter that runs them supports both. It keeps the address of the bytes
/// and reads them again when the model is compiled. So the fields are zero while the model is
/// created, and have their values when it is compiled.
struct StateFields {
  /// The offsets of the flags of variable tensors, one byte each.
  let variableFlags: [Int]
  /// The offsets of the counts of intermediate tensors, four bytes each.
  let intermediateCounts: [Int]

  /// The version of LiteRT with this behavior.
  static let supportedVersion = "2.3.0"

  init(_ model: ParsedModel) {
    variableFlags = model.subgraphs.flatMap { $0.tensors.compactMap(\.variableFlag) }
    intermediateCounts = model.subgraphs.flatMap { graph in
      graph.operators.compactMap { $0.intermediates?.countOffset }
    }
  }

  /// Whether the model has state.
  var hasVariables: Bool { !variableFlags.isEmpty }

  /// The bytes of all fields.
  var byteRanges: [Range<Int>] {
    variableFlags.map { $0..<$0 + 1 } + intermediateCounts.map { $0..<$0 + 4 }
  }
}

extension ParsedModel {
  /// Returns this reading of a file with the variable tensors of another reading; `nil` if the two
  /// do not have the same tensors.
  func withVariables(of other: ParsedModel) -> ParsedModel? {
    guard subgraphs.map(\.tensors.count) == other.subgraphs.map(\.tensors.count) else { return nil }
    var model = self
    for (index, subgraph) in other.subgraphs.enumerated() {
      for (tensor, source) in subgraph.tensors.enumerated() {
        model.subgraphs[index].tensors[tensor].variableFlag = source.variableFlag
      }
    }
    return model
  }
}
