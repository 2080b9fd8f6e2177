extension InferenceService {
  /// The outputs of a prediction, and the layout of its request.
  typealias Prediction = (response: InferenceResponse, layout: PredictRequestReader.Layout)

  /// Runs a model on a request that can only be read with the metadata of the model.
  ///
  /// - Parameters:
  ///   - selector: The model.
  ///   - context: The state of the client's request.
  ///   - read: Returns the request.
  /// - Returns: The outputs.
  /// - Throws: A ``ClientError`` if the request does not fit the model, or the run fails.
  func predict(
    _ selector: ModelSelector, _ context: RequestContext,
    _ read: (InferenceModelMetadata) throws(ClientError) -> (
      InferenceRequest, PredictRequestReader.Layout
    )
  ) async throws(ClientError) -> Prediction {
    let model = try await selectedModel(selector)
    let (request, layout) = try read(model.metadata)
    return (try await infer(request, on: model.served.get(), context, as: .text), layout)
  }
}
