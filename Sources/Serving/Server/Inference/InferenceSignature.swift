import TensorIOBundle
import TensorIOCore

/// The tensors of a model as inference protocols show them.
///
/// A model whose inputs all begin with an axis of length 1, or of any length, takes any number of
/// items along that axis.
struct InferenceSignature: Sendable {
  let inputs: [TensorDeclaration]
  let outputs: [TensorDeclaration]
  /// The inputs that may be missing.
  let placeholders: [Layer]
  /// The labels of outputs, by name.
  let labels: [String: [String]]
  /// Whether the first axis of all tensors counts items.
  let isBatched: Bool

  /// The maximum number of items in one request.
  static let maxItemCount = 1024
  /// The name of the output with the result of the bundle's task, as JSON.
  static let taskResultName = "task_result"

  /// Creates the signature of an open model.
  init(_ model: Model) {
    inputs = model.inputTensors
    outputs = model.outputTensors
    placeholders = model.placeholders
    labels = Self.labels(of: model.runOutputs, model.bundle)
    isBatched = !inputs.isEmpty && inputs.allSatisfy(\.hasBatchAxis)
  }

  /// Creates the signature that a description declares, for a model that is not open.
  init(_ bundle: ModelBundle) {
    inputs = bundle.describedInputTensors
    outputs = bundle.describedOutputTensors
    placeholders = []
    labels = Self.labels(of: outputs.map(\.layer), bundle)
    isBatched = !inputs.isEmpty && inputs.allSatisfy(\.hasBatchAxis)
  }

  private static func labels(of layers: [Layer], _ bundle: ModelBundle) -> [String: [String]] {
    var labels: [String: [String]] = [:]
    for layer in layers {
      guard let names = try? bundle.labels(for: layer), !names.isEmpty else { continue }
      labels[layer.name] = names
    }
    return labels
  }

  /// The metadata of the inputs.
  var inputMetadata: [InferenceModelMetadata.TensorMetadata] {
    inputs.map { .init($0, isBatched: isBatched) }
  }

  /// The metadata of the outputs.
  var outputMetadata: [InferenceModelMetadata.TensorMetadata] {
    outputs.map { .init($0, isBatched: isBatched, hasLabels: labels[$0.name] != nil) }
  }

  /// Whether a client can request the result of the task by ``taskResultName``.
  var hasTaskResultName: Bool { !outputs.contains { $0.name == Self.taskResultName } }
}
