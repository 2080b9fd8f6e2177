internal import TensorIOCore
internal import TensorIOLiteRT

/// Which output makes things alike, where the names of a model say that one does.
enum EmbeddingOutput {
  static let doubt = "nothing but a name says so"
  private static let word = "embed"
  /// Fewer numbers are mostly something else.
  private static let fewest = 16

  /// The only output besides states, when it is a vector and called an embedding.
  static func index(_ material: DraftMaterial, _ states: StatePairs) -> Int? {
    let outputs = material.signature.outputs
    let others = outputs.indices.filter { !states.outputs.contains($0) }
    guard let index = others.first, others.count == 1, isVector(outputs[index]) else { return nil }
    let names = [outputs[index].name, material.said(ofOutput: index)?.name ?? "", material.stem]
    return names.contains { $0.lowercased().contains(word) } ? index : nil
  }

  /// Whether all lengths but one are 1.
  private static func isVector(_ tensor: TensorInfo) -> Bool {
    let lengths = tensor.shape.axes.dropFirst().map { $0 ?? 1 }
    return lengths.count { $0 > 1 } == 1 && (lengths.max() ?? 0) >= fewest
  }
}
