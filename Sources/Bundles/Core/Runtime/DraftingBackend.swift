package import TensorIOBundle

/// A backend that reads bare models, from which `tensorio init` creates bundles.
package protocol DraftingBackend: Backend {
  /// Loads a model without a description, with everything that it states about itself.
  func bareModel(at file: ModelFile) throws(ModelError) -> BareModel

  /// Returns the labels in a file that is stored in a model; `nil` if there are none.
  ///
  /// The default implementation returns `nil`.
  func embeddedLabels(
    in file: ModelFile, _ metadata: ModelMetadata?
  ) throws(OperationError) -> EmbeddedLabels?

  /// Returns a file that is stored in a model; `nil` if there is none with the name.
  ///
  /// The default implementation returns `nil`.
  func embeddedFile(_ name: String, in file: ModelFile) throws(OperationError) -> [UInt8]?
}

extension DraftingBackend {
  /// Returns `nil`.
  package func embeddedFile(
    _ name: String, in file: ModelFile
  ) throws(OperationError) -> [UInt8]? { nil }

  /// Returns `nil`.
  package func embeddedLabels(
    in file: ModelFile, _ metadata: ModelMetadata?
  ) throws(OperationError) -> EmbeddedLabels? { nil }
}

/// A loaded model without a description.
package struct BareModel: Sendable {
  /// The loaded model.
  package let model: any RuntimeModel
  /// The signature whose function trains the model; `nil` if there is none.
  package var trainingSignature: ModelSignature?
  /// What the model states about itself.
  package var metadata: ModelMetadata?
  /// The labels that the model states; `nil` if there are none.
  package var labels: EmbeddedLabels?
  /// What is not supported of each output that has no layer.
  package var omittedOutputs: [String] = []
  /// Whether layers must have the names of their tensors; otherwise they are matched by order.
  package var requiresTensorNames = false
  /// The paths of other files that the model consists of, relative to its folder.
  package var companionFiles: [String] = []
  /// Whether the format is that of Keras, which resizes images without cropping.
  package var isFromKeras = false

  /// Creates a bare model.
  package init(_ model: any RuntimeModel) {
    self.model = model
  }
}

/// Labels that are stored in a model.
package struct EmbeddedLabels: Sendable, Hashable {
  /// The labels, in the order of the output's elements.
  package let labels: [String]
  /// The name of the file or property that contains them.
  package let source: String

  /// Creates labels.
  package init(_ labels: [String], source: String) {
    self.labels = labels
    self.source = source
  }
}
