/// The outputs of a model, independent of the protocol.
package struct InferenceResponse: Sendable {
  /// The name of the model.
  package var modelName: String
  /// The version that ran.
  package var modelVersion: String
  /// The identifier of the request.
  package var id: String?
  /// The outputs, in the order of the model or of the request.
  package var outputs: [InferenceTensor]

  /// Creates a response.
  package init(
    modelName: String, modelVersion: String, id: String?, outputs: [InferenceTensor]
  ) {
    (self.modelName, self.modelVersion, self.id) = (modelName, modelVersion, id)
    self.outputs = outputs
  }
}
