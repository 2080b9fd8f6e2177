import TensorIOBundle
import TensorIOCore
import TensorIOJSON

extension InferenceService {
  /// A version of a model in the index of the repository.
  package struct IndexEntry: Sendable {
    package let name: String
    package let version: String
    /// `READY`, `LOADING` or `UNAVAILABLE`.
    package let state: String
    /// Why the version is not available; empty if it is.
    package let reason: String
  }

  /// The counts and durations of a version of a model.
  package struct ModelStatisticsEntry: Sendable {
    package let name: String
    package let version: String
    package let counts: ModelStatistics.Counts
  }

  /// Returns all versions of all models, or only those that requests can use.
  package func repositoryIndex(onlyReady: Bool = false) -> [IndexEntry] {
    catalog.statuses.compactMap { status in
      let (name, version) = (status.entry.name, status.entry.version)
      let isServed = catalog.servedStatuses(of: name).contains { $0.entry.version == version }
      let state: (String, String) =
        switch status.state {
        case .failed(let error): ("UNAVAILABLE", ClientError(error).message)
        case _ where !isServed: ("UNAVAILABLE", "unloaded")
        case .loading: ("LOADING", "")
        case .ready, .unloaded: ("READY", "")
        }
      if onlyReady, state.0 != "READY" { return nil }
      return IndexEntry(name: name, version: version, state: state.0, reason: state.1)
    }
  }

  /// Returns the statistics of a version of a model, or of all that are open.
  ///
  /// - Throws: A ``ClientError`` if there is no such model.
  package func statistics(
    _ selector: ModelSelector?
  ) throws(ClientError) -> [ModelStatisticsEntry] {
    var statuses = catalog.statuses.filter { $0.model != nil }
    if let selector {
      let resolved = try resolve(selector)
      statuses = catalog.servedStatuses(of: resolved.name).filter {
        resolved.version == nil || $0.entry.version == resolved.version
      }
    }
    return statuses.map { status in
      ModelStatisticsEntry(
        name: status.entry.name, version: status.entry.version,
        counts: status.model?.statistics.current ?? ModelStatistics.Counts())
    }
  }

  /// Opens a model again, with changed options, and returns when it is served.
  ///
  /// - Parameters:
  ///   - name: The model.
  ///   - override: JSON with the options to change; `nil` for those of the server. Options that it
  ///     does not name keep their values.
  /// - Throws: A ``ClientError`` if there is no such model, or it cannot be opened.
  package func load(_ name: String, override: String?) async throws(ClientError) {
    guard catalog.findUnserved(name) else {
      throw ClientError(
        .notFound, "unknown-model",
        "failed to load '\(name)', failed to poll from model repository")
    }
    let settings: ServingSettings?
    do throws(ClientError) {
      settings = try override.flatMap { (text) throws(ClientError) in
        try self.settings(text, for: name)
      }
    } catch {
      throw error.ofLoading(name)
    }
    let result: Result<Void, ModelError> = await withCheckedContinuation { continuation in
      catalog.load(name, settings: settings) { continuation.resume(returning: $0) }
    }
    do throws(ModelError) {
      try result.get()
    } catch {
      throw ClientError(error).ofLoading(name)
    }
  }

  /// Stops serving a model until it is loaded again.
  ///
  /// - Throws: A ``ClientError`` if there is no such model.
  package func unload(_ name: String) throws(ClientError) {
    guard catalog.unload(name) else {
      throw ClientError(.notFound, "unknown-model", "failed to unload '\(name)', unknown model")
    }
  }
}

// MARK: Options

extension InferenceService {
  /// Returns the settings of a model with the options that JSON changes; `nil` if it changes none.
  private func settings(
    _ override: String, for name: String
  ) throws(ClientError) -> ServingSettings? {
    guard let document = try? JSONDocument(parsing: Array(override.utf8)),
      document.root.kind == .object
    else {
      throw ClientError(.badRequest, "invalid-config", "the config is not a JSON object")
    }
    let config = document.root
    if let other = config["name"]?.string, other != name {
      throw ClientError(
        .badRequest, "invalid-config",
        "the config is for model '\(other)', but '\(name)' is to be loaded")
    }
    let hasOptions = config["max_batch_size"] != nil || config["dynamic_batching"] != nil
    guard hasOptions, var settings = catalog.settings(of: name) else { return nil }
    if let size = config["max_batch_size"] {
      let size = try Self.integer(size, "max_batch_size", in: 0...4096)
      settings.options.maxBatchSize = size
      settings.options.maxItemCount = size > 0 ? size : nil
    }
    if let delay = config["dynamic_batching"]?["max_queue_delay_microseconds"] {
      settings.options.batchDelay = .microseconds(
        try Self.integer(delay, "max_queue_delay_microseconds", in: 0...1_000_000))
    }
    return settings
  }

  /// Returns an integer, which may be written as a string.
  private static func integer(
    _ node: JSONNode, _ name: String, in range: ClosedRange<Int>
  ) throws(ClientError) -> Int {
    let value = node.int.map(Int.init) ?? node.string.flatMap { Int($0) }
    guard let value, range.contains(value) else {
      throw ClientError(
        .badRequest, "invalid-config",
        "\(name) must be an integer from \(range.lowerBound) to \(range.upperBound)")
    }
    return value
  }
}

extension ClientError {
  /// The error of a load, whose message names the model.
  fileprivate func ofLoading(_ name: String) -> ClientError {
    ClientError(status, code, "failed to load '\(name)': \(message)")
  }
}
