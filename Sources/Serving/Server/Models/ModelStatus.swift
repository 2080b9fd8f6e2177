package import TensorIOBundle
import TensorIOImage
import TensorIOJSON
import TensorIOTasks

/// The state of a model in a catalog.
package struct ModelStatus: Sendable {
  /// The catalog entry.
  package let entry: ModelCatalog.Entry
  /// Whether the model is loaded.
  package let state: ModelState
  /// The bundle; `nil` if it is invalid, or for a chain that has not been opened.
  package let bundle: ModelBundle?
  /// The open model; `nil` unless it is ready.
  package let model: ServedModel?
  /// The counts of requests and runs, including those of bundles that this one replaced.
  package let statistics: ModelStatistics
  /// Why a newer bundle could not replace this one; `nil` if there is none.
  package let replacementError: ModelError?
}

/// Whether a model is loaded.
package enum ModelState: Sendable, Equatable {
  /// Not requested yet.
  case unloaded
  case loading
  case ready
  case failed(ModelError)

  /// The name in JSON and metrics.
  package var label: String {
    switch self {
    case .unloaded: "unloaded"
    case .loading: "loading"
    case .ready: "ready"
    case .failed: "failed"
    }
  }

  /// All labels, in order.
  static let labels = ["unloaded", "loading", "ready", "failed"]
}

extension ModelStatus {
  /// Writes the model's members in a list of models.
  func write(to writer: inout JSONWriter) {
    writer.member("name", entry.name)
    writer.member("version", entry.version)
    writer.memberOrNull("title", bundle?.name) { $0.value($1) }
    writer.memberOrNull("task", bundle?.taskName) { $0.value($1) }
    writer.memberOrNull("backend", bundle?.backend.rawValue) { $0.value($1) }
    writer.member("state", state.label)
    if model?.breaker.isOpen() == true { writer.member("suspended", true) }
    if case .failed(let error) = state {
      write("error", error, to: &writer)
    } else if let replacementError {
      write("replacement_error", replacementError, to: &writer)
    }
  }

  private func write(_ name: String, _ error: ModelError, to writer: inout JSONWriter) {
    let clientError = ClientError(error)
    writer.member(name) { writer in
      writer.member("code", clientError.code)
      writer.member("message", clientError.message)
    }
  }
}

extension ModelBundle {
  /// The type of the bundle's task, or else the type of the model.
  package var taskName: String? { description.task?.type ?? description.type }
}

/// The metadata that a client needs to use a model.
struct ModelMetadata {
  private let name: String
  private let bundle: ModelBundle

  init(_ name: String, _ bundle: ModelBundle) {
    (self.name, self.bundle) = (name, bundle)
  }

  /// Writes the bundle's members beside those of an inference protocol.
  func writeBundleMembers(to writer: inout JSONWriter) {
    writer.member("id", bundle.id)
    writer.member("title", bundle.name)
    writer.member("details", bundle.details)
    writer.member("version", bundle.version)
    writer.member("author", bundle.author)
    writer.member("license", bundle.license)
    writer.member("backend", bundle.backend.rawValue)
    writer.memberOrNull("task", bundle.taskName) { $0.value($1) }
    if let task = bundle.description.task,
      let format = TaskRegistry.shared.format(of: task)
    {
      writer.strings("task_settings", format.settings.map(\.key))
    }
    writer.memberOrNull("card", bundle.modelCard) { $0.value($1) }
    let description = bundle.description.resolved(for: bundle.description.defaultMode)
    writer.member("placeholders", objects: description.placeholders) { writer, layer in
      writer.member("name", layer.name)
      writeLayerMembers(of: layer, to: &writer)
    }
  }

  /// Writes what `model.json` declares about a layer.
  func writeLayerMembers(of layer: Layer, to writer: inout JSONWriter) {
    writer.member("type", layer.typeName)
    writer.key("declared_shape")
    writer.numbers(layer.shape.signedDimensions)
    writer.memberOrNull("dtype", layer.elementType) { $0.value($1.rawValue) }
    if let details = layer.details { writer.member("description", details) }
    if case .image(let image) = layer.kind { writer.member("format", image.format.rawValue) }
    if case .array(let numeric) = layer.kind, !numeric.featureNames.isEmpty {
      writer.strings("features", numeric.featureNames)
    }
    if let role = layer.role { writer.member("role", role.name) }
    if let labels = try? bundle.labels(for: layer), !labels.isEmpty {
      writer.member("label_count", labels.count)
    }
  }
}
