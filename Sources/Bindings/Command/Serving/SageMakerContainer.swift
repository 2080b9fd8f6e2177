import TensorIOSystem

/// A container that SageMaker starts with `serve` as its only argument.
///
/// The platform connects to port 8080 of all interfaces, without a token.
struct SageMakerContainer {
  /// The port unless `SAGEMAKER_BIND_TO_PORT` selects another one.
  static let port = 8080
  static let host = "0.0.0.0"

  /// The folders with models; none if the platform adds and removes models.
  let modelFolders: [String]

  /// Creates a container from its environment; `nil` if this is none of SageMaker.
  init?(environment: (String) -> String?) {
    if Self.hasSeveralModels(environment) {
      modelFolders = []
      return
    }
    let folder = "\(environment("SAGEMAKER_BASE_DIR") ?? "/opt/ml")/model"
    guard FileKind(at: folder) == .directory else { return nil }
    modelFolders = [folder]
  }

  /// Whether the platform adds and removes models.
  static func hasSeveralModels(_ environment: (String) -> String?) -> Bool {
    environment("SAGEMAKER_MULTI_MODEL") == "true"
  }
}
