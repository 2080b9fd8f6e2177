import TensorIOBundle
import TensorIOCore

/// A `.tflite` model whose variables are trained, bound to a mode.
///
/// Changes to variables are immediately visible to all sessions, and to those of models that share
/// the variables.
final class LiteRTTrainingModel: TrainableRuntimeModel {
  /// The tensors of the layers, in the order of the description.
  let signature: ModelSignature
  /// All signatures of the file.
  let signatures: [ModelSignature]

  private let store: VariableStore
  private let binding: SignatureBinding

  init(_ store: VariableStore, for use: ModelBinding) throws(ModelError) {
    self.store = store
    binding = try SignatureBinding(use, in: store)
    signature = binding.signature
    signatures = store.entryPoints.map(\.signature)
  }

  func makeSession(_ options: SessionOptions) throws(ModelError) -> any Session {
    try VariableSession(store, binding)
  }

  func sharingWeights(for use: ModelBinding) throws(ModelError) -> (any RuntimeModel)? {
    try LiteRTTrainingModel(store, for: use)
  }

  func variables() throws(ModelError) -> [ModelVariable] { store.modelVariables() }

  func values(ofVariables names: [String]) throws(ModelError) -> [TensorIOCore.Tensor] {
    try store.values(of: names)
  }

  func assign(_ values: [String: TensorIOCore.Tensor]) throws(ModelError) {
    try store.assign(values)
  }

  func saveWeights(to prefix: String) throws(ModelError) { try store.save(to: prefix) }

  func restoreWeights(from prefix: String) throws(ModelError) { try store.restore(from: prefix) }

  func save(to path: String) throws(ModelError) { try store.saveModel(to: path) }
}
