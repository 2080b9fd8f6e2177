import Synchronization
import TensorIOBundle
import TensorIOCore

/// What a server offers to inference protocols: models that run on tensors, their metadata and
/// statistics, and the model repository.
package final class InferenceService: Sendable {
  let catalog: ModelCatalog
  /// The version of the server.
  package let version: String
  private let metrics: ServerMetrics
  private let limits: PredictionLimits
  private let status: ServerStatus
  private let administrationHint: String
  let settings = InferenceSettings()

  /// The name of the server.
  package static let name = "tensorio"
  /// The parts of the Open Inference Protocol and its extensions that are supported.
  package static let extensions = [
    "classification", "model_repository", "model_repository(unload_dependents)",
    "model_configuration", "binary_tensor_data", "parameters", "statistics", "trace", "logging",
  ]

  /// Creates the service for a catalog.
  package init(
    _ catalog: ModelCatalog, _ metrics: ServerMetrics, version: String, status: ServerStatus,
    limits: PredictionLimits = PredictionLimits(), administrationHint: String = ""
  ) {
    (self.catalog, self.metrics, self.limits) = (catalog, metrics, limits)
    (self.version, self.status) = (version, status)
    self.administrationHint = administrationHint
  }
}

// MARK: Administration

extension InferenceService {
  /// Throws an error if the client of a request must not load, unload or configure models.
  func requireAdministrator(_ context: RequestContext) throws(ClientError) {
    guard !context.isAdministrator else { return }
    throw ClientError(
      .forbidden, "not-administrator",
      "this client must not load, unload or configure models\(administrationHint)")
  }
}

// MARK: Inference

extension InferenceService {
  /// Runs a model on a request's inputs.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - context: The state of the client's request.
  ///   - format: How the response represents numbers.
  /// - Returns: The outputs.
  /// - Throws: A ``ClientError`` if the inputs do not fit the model, or the run fails.
  package func infer(
    _ request: InferenceRequest, _ context: RequestContext, as format: InferenceResponse.Format
  ) async throws(ClientError) -> InferenceResponse {
    try await infer(request, on: openModel(resolve(request.model)), context, as: format)
  }

  /// Runs a model on a request's inputs, whatever its selector is: the model whose metadata were read for it may not be
  /// served anymore.
  func infer(
    _ request: InferenceRequest, on served: ServedModel, _ context: RequestContext,
    as format: InferenceResponse.Format
  ) async throws(ClientError) -> InferenceResponse {
    context.recordModel(served.name)
    return try await InferenceRun(request, runner(of: served, context), format).response()
  }

  /// Returns what runs a model for a request.
  func runner(of served: ServedModel, _ context: RequestContext) -> RequestRunner {
    RequestRunner(served: served, context: context, limits: limits, metrics: metrics)
  }

  /// Returns the model that a selector names, which is opened first if necessary.
  func openModel(_ selector: ModelSelector) async throws(ClientError) -> ServedModel {
    do throws(ModelError) {
      return try await catalog.openModel(selector)
    } catch {
      throw ClientError(error)
    }
  }

  /// Returns the error of a request that is rejected before it waits in the queue.
  package func rejection(_ selector: ModelSelector) -> ClientError? {
    catalog.rejection(selector).map { ClientError($0) }
  }
}

// MARK: Models

extension InferenceService {
  /// Returns the selector of the version that a client means.
  ///
  /// - Throws: A ``ClientError`` if no version of the model is served under this name.
  package func resolve(_ selector: ModelSelector) throws(ClientError) -> ModelSelector {
    if catalog.serves(selector) { return selector }
    guard let version = selector.version else { throw .unknownModel(selector, catalog) }
    let aliases = versionNumbers(of: selector.name)
    guard let match = aliases.first(where: { $0.number == version })?.version else {
      throw .unknownModel(selector, catalog)
    }
    return ModelSelector(selector.name, version: match)
  }

  /// The versions of a model that requests can use, with a number for each.
  ///
  /// A version that is not a number itself has the number of its position, from the oldest one on.
  package func versionNumbers(of name: String) -> [(version: String, number: String)] {
    let versions = catalog.servedStatuses(of: name).map(\.entry.version)
      .sorted { ModelVersion($0) < ModelVersion($1) }
    let numbers = Set(versions.filter(\.isVersionNumber))
    return versions.enumerated().map { index, version in
      if version.isVersionNumber { return (version, version) }
      let number = ((index + 1)...).lazy.map(String.init).first { !numbers.contains($0) }
      return (version, number ?? version)
    }
  }

  /// Returns the number that stands for a version.
  package func number(ofVersion version: String, of name: String) -> String {
    versionNumbers(of: name).first { $0.version == version }?.number ?? version
  }

  /// Whether a version of a model is open and not suspended, or is opened on its first request.
  package func isReady(_ selector: ModelSelector) throws(ClientError) -> Bool {
    try unavailability(of: selector) == nil
  }

  /// Returns why requests cannot use a version of a model at this time; `nil` if they can.
  func unavailability(of selector: ModelSelector) throws(ClientError) -> ClientError? {
    let status: ModelStatus
    do {
      status = try catalog.status(of: resolve(selector))
    } catch let error as ClientError {
      throw error
    } catch {
      throw .unknownModel(selector, catalog)
    }
    func notReady(_ reason: String) -> ClientError {
      ClientError(
        .serviceUnavailable, "model-not-ready", "model '\(selector.name)' \(reason)")
    }
    switch status.state {
    case .ready: return status.model?.breaker.rejection().map { ClientError($0) }
    case .unloaded: return nil
    case .loading: return notReady("is being loaded")
    case .failed(let error):
      return notReady("cannot be loaded: \(ClientError(error).message)")
    }
  }

  /// Whether the server accepts requests for its models.
  package var isReady: Bool { status.state == .ready && catalog.readiness.isReady }

  /// Whether the server accepts requests, also if it has no models.
  var isRunning: Bool { status.state == .ready }

  /// Returns the metadata of a model, which is opened for them.
  ///
  /// For a model that cannot be opened, these are the metadata that its description determines.
  package func modelMetadata(
    _ selector: ModelSelector
  ) async throws(ClientError) -> InferenceModelMetadata {
    try await selectedModel(selector).metadata
  }

  /// Returns a model and its metadata.
  ///
  /// The model may be replaced at any time, so that a request must not look it up again.
  func selectedModel(
    _ selector: ModelSelector
  ) async throws(ClientError) -> (
    metadata: InferenceModelMetadata, served: Result<ServedModel, ClientError>
  ) {
    let resolved = try resolve(selector)
    let served: Result<ServedModel, ClientError>
    do throws(ClientError) {
      served = .success(try await openModel(resolved))
    } catch {
      served = .failure(error)
    }
    return (try metadata(served, resolved), served)
  }

  private func metadata(
    _ served: Result<ServedModel, ClientError>, _ selector: ModelSelector
  ) throws(ClientError) -> InferenceModelMetadata {
    let versions = catalog.servedStatuses(of: selector.name).map(\.entry.version)
    do {
      let served = try served.get()
      return InferenceModelMetadata(
        name: served.name, version: served.version, versions: versions,
        bundle: served.model.bundle, served.signature, maxItemCount: served.maxItemCount)
    } catch {
      guard let entry = try? catalog.status(of: selector).entry,
        let bundle = try? entry.bundle?.get()
      else { throw error }
      return InferenceModelMetadata(
        name: entry.name, version: entry.version, versions: versions, bundle: bundle,
        InferenceSignature(bundle))
    }
  }
}

extension InferenceModelMetadata {
  init(
    name: String, version: String, versions: [String], bundle: ModelBundle,
    _ signature: InferenceSignature, maxItemCount: Int = InferenceSignature.maxItemCount
  ) {
    (self.name, self.version, self.versions, self.bundle) = (name, version, versions, bundle)
    platform = "tensorio_\(bundle.backend.rawValue)"
    inputs = signature.inputMetadata
    outputs = signature.outputMetadata
    maxBatchSize = signature.isBatched ? maxItemCount : 0
  }
}

extension String {
  /// Whether the text consists of decimal digits.
  fileprivate var isVersionNumber: Bool { !isEmpty && utf8.allSatisfy(\.isDigit) }
}

extension ClientError {
  /// The server has no such model or version, or a client has unloaded it.
  static func unknownModel(_ selector: ModelSelector, _ catalog: ModelCatalog) -> ClientError {
    let isKnown = catalog.entries.contains { $0.name == selector.name }
    let isUnloaded = isKnown && catalog.servedStatuses(of: selector.name).isEmpty
    let version = (selector.version ?? selector.label).map { " version \($0)" } ?? ""
    let problem = isUnloaded ? "has no available versions" : "is not found"
    return ClientError(
      .notFound, "unknown-model",
      "Request for unknown model: '\(selector.name)'\(version) \(problem)")
  }
}
