import TensorIOBundle
import TensorIOCore

/// The signature of a model with variables that a mode runs, with its tensors in the order of the
/// mode's layers.
struct SignatureBinding: Sendable {
  /// The signature.
  let entryPoint: EntryPoint
  /// The number of inputs that are not placeholders.
  let inputCount: Int
  /// The number of outputs that the mode declares, which come first.
  let outputCount: Int
  /// Whether the signature performs a training step.
  let isTraining: Bool
  /// The signature that computes the outputs of a training step without changing variables, or
  /// `nil` if there is none.
  let evaluation: Evaluation?

  /// A signature with the outputs of a training step.
  struct Evaluation: Sendable {
    let entryPoint: EntryPoint
    /// The index of the training input for each input.
    let inputs: [Int]
  }

  /// The signature with the layers' tensors.
  var signature: ModelSignature {
    ModelSignature(
      name: entryPoint.name, inputs: entryPoint.inputs.prefix(inputCount).map(\.info),
      placeholders: entryPoint.inputs.dropFirst(inputCount).map(\.info),
      outputs: entryPoint.outputs.prefix(outputCount).map(\.info))
  }
}

extension SignatureBinding {
  /// Finds the signature for a mode.
  ///
  /// A training step is the signature that `train.ops` names. Other modes run the signature whose
  /// keys are the names of their layers, otherwise the main one.
  ///
  /// - Throws: `ModelError` with diagnostics if the description names signatures or tensors that do
  ///   not exist.
  init(_ use: ModelBinding, in store: VariableStore) throws(ModelError) {
    let inputs = (use.inputs + use.placeholders).map(\.name)
    let outputs = use.outputs.map(\.name)
    guard use.mode == .train else {
      guard let main = try EntryPoint.main(of: store.entryPoints, for: use) else {
        throw ModelError(.runtime, .modelRejected(detail: "the model has no signature"))
      }
      entryPoint = main
      (inputCount, outputCount) = (main.inputs.count - use.placeholders.count, main.outputs.count)
      (isTraining, evaluation) = (false, nil)
      return
    }
    let step = try Self.trainingSignature(use.operations, in: store.entryPoints)
    try step.requireTensors(use)
    entryPoint = step.arranged(inputs: inputs, outputs: outputs) ?? step
    (inputCount, outputCount) = (use.inputs.count, use.outputs.count)
    isTraining = true
    evaluation =
      store.entryPoints.lazy.compactMap { other -> Evaluation? in
        let keys = other.inputs.map(\.key)
        let positions = keys.compactMap { inputs.firstIndex(of: $0) }
        guard positions.count == keys.count, !store.assignsVariables(other),
          other.inputs.allSatisfy({ $0.info.elementType != .string }),
          let arranged = other.arranged(inputs: keys, outputs: outputs)
        else { return nil }
        return Evaluation(entryPoint: arranged, inputs: positions)
      }.first
  }

  private static func trainingSignature(
    _ operations: [String], in entryPoints: [EntryPoint]
  ) throws(ModelError) -> EntryPoint {
    guard operations.count == 1, let name = operations.first else {
      throw ModelError(.runtime, .unsupported("a training step with several signatures"))
    }
    if let entryPoint = entryPoints.first(where: { $0.name == name }) { return entryPoint }
    let names = entryPoints.map(\.name)
    throw ModelError(
      .bundle,
      .invalidDescription([
        Diagnostic(
          .error, .unknownTensor, path: "/train/ops/0", expected: "the name of a signature",
          found: name, message: "the model has no signature '\(name)'",
          suggestion: Spelling.closestMatch(to: name, among: names).map { "did you mean '\($0)'?" }
            ?? "signatures: \(names.joined(separator: ", "))")
      ]))
  }
}

extension EntryPoint {
  /// Throws if the layers of a mode and the tensors of the signature have different names.
  func requireTensors(_ use: ModelBinding) throws(ModelError) {
    let lists = [
      ("inputs", use.inputs, inputs), ("placeholders", use.placeholders, inputs),
      ("outputs", use.outputs, outputs),
    ]
    var diagnostics = lists.flatMap { list, layers, tensors in
      let keys = tensors.map(\.key)
      return layers.enumerated().filter { !keys.contains($0.element.name) }.map { index, layer in
        Diagnostic(
          .error, .unknownTensor, path: "/\(list)/\(index)/name",
          expected: "a tensor of the signature '\(name)'", found: layer.name,
          message: "the signature '\(name)' has no tensor '\(layer.name)'",
          suggestion: Spelling.closestMatch(to: layer.name, among: keys)
            .map { "did you mean '\($0)'?" } ?? "tensors: \(keys.joined(separator: ", "))")
      }
    }
    let declared = (use.inputs + use.placeholders).map(\.name)
    let others = inputs.map(\.key).filter { key in
      !declared.contains(key) && !use.caches.contains { $0.matches(input: key) }
    }
    let isTraining = use.mode == .train
    diagnostics += others.map { key in
      Diagnostic(
        .error, .tensorCount, path: isTraining ? "/train" : "/inputs",
        expected: "a layer '\(key)'",
        message: "the signature '\(name)' has the input '\(key)', which is not described",
        suggestion: isTraining
          ? "add it to the inputs or placeholders of \"train\""
          : "add it to the inputs, or to \"caches\"")
    }
    guard diagnostics.isEmpty else {
      throw ModelError(.bundle, .invalidDescription(diagnostics))
    }
  }
}
