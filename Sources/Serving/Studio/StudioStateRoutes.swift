import Synchronization
import TensorIOBundle
import TensorIOCore
import TensorIOJSON
import TensorIOServer
import TensorIOSystem
import TensorIOTasks

/// The routes for the studio's state and settings.
struct StudioStateRoutes: Sendable {
  let studio: Studio

  var routes: [Route] {
    [
      .studio(.get, "/state", .inline) { (_) throws(ClientError) in state },
      .studio(.put, "/settings") { (request) throws(ClientError) in
        try applySettings(request.jsonObject())
        return state
      },
    ]
  }

  private var state: HTTPResponse {
    let settings = studio.settings.current
    return .jsonObject { writer in
      writer.member("version", studio.version)
      writer.member("models", array: writeModels)
      writer.member("default_model", orNull: settings.defaultModel)
      writer.member("threads", settings.effectiveThreads)
      writer.member("processors", Platform.processorCount)
      writer.member("top", settings.effectiveTop)
      writer.member("datasets", array: writeDatasets)
    }
  }

  private func writeModels(_ writer: inout JSONWriter) {
    for model in studio.catalog.statuses {
      writer.object { studio.writeMembers(of: model, to: &$0) }
    }
  }

  private func writeDatasets(_ writer: inout JSONWriter) {
    for dataset in studio.datasets { writer.object { dataset.writeMembers(to: &$0) } }
  }
}

// MARK: Settings

extension StudioStateRoutes {
  private func applySettings(_ node: JSONNode) throws(ClientError) {
    let old = studio.settings.current
    var settings = old
    for member in node.members.map(Array.init) ?? [] {
      switch member.name {
      case "threads": settings.threads = try member.value.positiveInteger("threads", max: 1024)
      case "top": settings.top = try member.value.positiveInteger("top", max: 10_000)
      case "default_model": settings.defaultModel = try modelName(member.value)
      case let name: throw .badRequest("unknown setting '\(name)'")
      }
    }
    studio.settings.current = settings
    if settings.effectiveThreads != old.effectiveThreads { studio.catalog.reopenAll() }
    try studio.host.saveSettings(settings, replacing: old)
  }

  private func modelName(_ node: JSONNode) throws(ClientError) -> String? {
    if node.kind == .null { return nil }
    guard let name = node.string, studio.catalog.entries.contains(where: { $0.name == name })
    else { throw .badRequest("'default_model' must be the name of a model, or null") }
    return name
  }
}

extension JSONNode {
  fileprivate func positiveInteger(_ name: String, max: Int) throws(ClientError) -> Int {
    guard let value = int, let count = Int(exactly: value), (1...max).contains(count) else {
      throw .badRequest("'\(name)' must be an integer from 1 to \(max)")
    }
    return count
  }
}

// MARK: Models

extension ModelCatalog.Entry {
  /// Replaces the model's path with its name.
  var redactor: PathRedactor { PathRedactor().redacting(path, as: name) }

  /// The bundle, if it could be read.
  var readableBundle: ModelBundle? { try? bundle?.get() }
}

extension Studio {
  /// Writes the members of a model in the state.
  func writeMembers(of model: ModelStatus, to writer: inout JSONWriter) {
    let (entry, bundle) = (model.entry, model.bundle)
    let missingRuntime = bundle.flatMap { host.missingRuntime(for: $0.backend) }
    // A model that failed only because of its runtime can be used once it is installed.
    let error = missingRuntime == nil ? model.error : entry.error
    writer.member("name", entry.name)
    writer.member("title", bundle?.name ?? entry.name)
    writer.member("task", orNull: bundle?.taskName)
    writer.member("backend", orNull: bundle?.backend.rawValue)
    // The inputs of a chain are known once it is open.
    writer.memberOrNull("inputs", bundle?.inputTypes) { writer, types in
      writer.array { for type in types { $0.value(type) } }
    }
    writer.member("steps", array: bundle?.parts.map { $0.taskName ?? $0.name } ?? []) {
      $0.value($1)
    }
    writer.member("removable", host.isInLibrary(entry.path))
    writer.member("error", orNull: error.map { ClientError($0, entry.redactor).message })
    writer.memberOrNull("missing_runtime", missingRuntime) { writer, runtime in
      writer.object { writer in
        writer.member("name", runtime.name)
        writer.member("install", runtime.installCommand)
      }
    }
  }
}

extension ModelBundle {
  /// The types of the inputs that a caller provides.
  fileprivate var inputTypes: [String] {
    description.resolved(for: description.defaultMode).callerInputs.map(\.typeName)
  }
}

extension ModelStatus {
  fileprivate var error: ModelError? {
    if case .failed(let error) = state { error } else { nil }
  }
}

/// The user's settings; `nil` selects the default.
package struct StudioSettings: Sendable, Hashable {
  /// The number of threads per run.
  package var threads: Int?
  /// The number of labels shown.
  package var top: Int?
  /// The name of the model that is selected first.
  package var defaultModel: String?

  /// Creates settings.
  package init(threads: Int? = nil, top: Int? = nil, defaultModel: String? = nil) {
    (self.threads, self.top, self.defaultModel) = (threads, top, defaultModel)
  }

  /// The number of threads per run that is in effect.
  package var effectiveThreads: Int { threads ?? ThreadCount.defaultCount }

  /// The number of labels shown that is in effect.
  package var effectiveTop: Int { top ?? TaskPostprocessor.ProcessedOutput.defaultLabelCount }
}

/// The current settings, shared by all threads.
package final class StudioSettingsStore: Sendable {
  private let value: Mutex<StudioSettings>

  /// Creates a store with saved settings.
  package init(_ settings: StudioSettings = StudioSettings()) { value = Mutex(settings) }

  /// The current settings.
  package var current: StudioSettings {
    get { value.withLock(\.self) }
    set { value.withLock { $0 = newValue } }
  }
}
