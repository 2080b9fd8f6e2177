extension InferenceService {
  /// The outputs of a prediction, and the layout of its request.
  typealias Prediction = (outputs: [InferenceTensor], layout: PredictRequestReader.Layout)

  /// Runs a model on a request that can only be read with the metadata of the model.
  ///
  /// - Parameters:
  ///   - selector: The model.
  ///   - context: The state of the client's request.
  ///   - read: Returns the request.
  ///   - completion: Returns the response to the client.
  /// - Returns: The first step.
  func predict(
    _ selector: ModelSelector, _ context: RequestContext,
    _ read:
      @escaping @Sendable (InferenceModelMetadata) throws(ClientError) -> (
        InferenceRequest, PredictRequestReader.Layout
      ),
    _ completion: @escaping @Sendable (Result<Prediction, ClientError>) -> HTTPResponse
  ) -> HandlerStep {
    withSelectedModel(selector) { [self] model in
      do throws(ClientError) {
        let model = try model.get()
        let (request, layout) = try read(model.metadata)
        return infer(request, on: model, context, as: .text) { result in
          completion(result.map { ($0.outputs, layout) })
        }
      } catch {
        return .response(completion(.failure(error)))
      }
    }
  }
}
