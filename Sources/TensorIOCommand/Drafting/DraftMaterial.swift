internal import TensorIOCore
internal import TensorIOLiteRT

/// All that is known of a model before a description of it is drafted.
struct DraftMaterial: Sendable {
  /// The model's tensors.
  let signature: ModelSignature
  /// The runtime that the model is for.
  var backend = BackendIdentifier.tflite
  /// What the model says of itself.
  var metadata: TFLiteMetadata?
  /// What its exporter says of it.
  var export: ExportMetadata?
  /// The names of an output's values.
  var labels: LabelList?
  /// The name of the model's file, without its ending.
  let stem: String
  /// What the user wants it to be called.
  var name: String?

  /// The name that the weights have in the drafted bundle.
  var modelName: String { backend == .tensorflow ? "model" : "model.tflite" }

  /// The name that a layer must have so that the runtime finds the tensor; `nil` where the order of
  /// the layers decides.
  func requiredName(of tensor: TensorInfo) -> String? {
    backend == .tensorflow ? tensor.key ?? tensor.name : nil
  }

  /// What the model says of an input.
  func said(ofInput index: Int) -> TFLiteMetadata.Tensor? {
    metadata.flatMap { $0.inputs.indices.contains(index) ? $0.inputs[index] : nil }
  }

  /// What the model says of an output.
  func said(ofOutput index: Int) -> TFLiteMetadata.Tensor? {
    metadata.flatMap { $0.outputs.indices.contains(index) ? $0.outputs[index] : nil }
  }
}

/// Labels, and the file from which they come.
struct LabelList: Sendable, Equatable {
  var labels: [String]
  let file: String
  let source: DraftFinding.Source

  /// Whether the first label stands for what is none of the others.
  var beginsWithBackground: Bool {
    labels.first.map { Self.background.contains($0.lowercased()) } ?? false
  }

  private static let background: Set<String> = ["background", "???", "dummy", "__background__"]
}
