/// How platforms that run the server in a container reach its models.
package struct PlatformOptions: Sendable {
  /// The model of requests that name none; `nil` for the only one.
  package var defaultModel: String?
  /// The path of Vertex AI's health checks, beside `/health`.
  package var vertexHealthPath: String?
  /// The path of Vertex AI's predictions, beside `/predict`.
  package var vertexPredictPath: String?
  /// Reads a bundle that SageMaker adds under a name, for an endpoint with several models; `nil` for
  /// an endpoint with one.
  package var readModel: (@Sendable (_ name: String, _ path: String) -> ModelCatalog.Entry)?

  /// Creates options without default model.
  package init() {}

  /// Creates options from the environment of the platform.
  ///
  /// `AIP_HEALTH_ROUTE` and `AIP_PREDICT_ROUTE` are those of Vertex AI.
  package init(environment: (String) -> String?) {
    vertexHealthPath = environment("AIP_HEALTH_ROUTE").flatMap(Self.path)
    vertexPredictPath = environment("AIP_PREDICT_ROUTE").flatMap(Self.path)
    defaultModel =
      environment("TENSORIO_DEFAULT_MODEL") ?? environment("SAGEMAKER_TRITON_DEFAULT_MODEL_NAME")
  }

  /// Returns a path that can be the pattern of a route.
  private static func path(_ text: String) -> String? {
    text.hasPrefix("/") && !text.contains("/:") && RequestTarget(text) != nil ? text : nil
  }

  /// Returns the model of requests that name none.
  ///
  /// - Throws: A ``ClientError`` if there are several.
  func defaultSelector(_ service: InferenceService) throws(ClientError) -> ModelSelector {
    if let defaultModel { return try service.resolve(ModelSelector(defaultModel)) }
    let names = Set(service.catalog.entries.map(\.name))
    guard let name = names.first, names.count == 1 else {
      throw ClientError(
        .notFound, "unknown-model",
        names.isEmpty
          ? "the server has no model"
          : "the server has \(names.count) models; TENSORIO_DEFAULT_MODEL selects one")
    }
    return try service.resolve(ModelSelector(name))
  }
}
