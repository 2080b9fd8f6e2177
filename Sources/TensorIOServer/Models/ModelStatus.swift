import TensorIOImage
package import TensorIOBundle
import TensorIOJSON

/// How far a model of a catalogue has come.
package struct ModelStatus: Sendable {
  /// What can be asked for.
  package let entry: ModelCatalog.Entry
  /// How far it has come.
  package let state: ModelState
  /// What is known of it; a chain is known when it is open.
  package let bundle: ModelBundle?
}

/// How far an entry has come.
package enum ModelState: Sendable, Equatable {
  /// Nobody has asked for it.
  case unloaded
  case loading
  case ready
  case failed(ModelError)

  /// The word for it.
  package var label: String {
    switch self {
    case .unloaded: "closed"
    case .loading: "opening"
    case .ready: "open"
    case .failed: "failed"
    }
  }

  /// All words.
  static let labels = ["closed", "opening", "open", "failed"]
}

extension ModelStatus {
  /// Writes what a list of models says of it.
  func write(to writer: inout JSONWriter) {
    writer.member("name", entry.name)
    writer.memberOrNull("title", bundle?.name) { $0.value($1) }
    writer.memberOrNull("task", bundle?.taskName) { $0.value($1) }
    writer.memberOrNull("backend", bundle?.backend.rawValue) { $0.value($1) }
    writer.member("state", state.label)
    guard case .failed(let error) = state else { return }
    let failure = ClientError(error)
    writer.member(
      "error",
      object: { writer in
        writer.member("code", failure.code)
        writer.member("message", failure.message)
      })
  }
}

extension ModelBundle {
  /// The word for what its outputs mean, or else for what it is.
  package var taskName: String? { description.task?.type ?? description.type }
}

/// What somebody needs to know who wants to ask a model.
struct ModelMetadata {
  private let name: String
  private let bundle: ModelBundle

  init(_ name: String, _ bundle: ModelBundle) {
    (self.name, self.bundle) = (name, bundle)
  }

  /// Writes the card as members of an object.
  func write(to writer: inout JSONWriter) {
    let description = bundle.description.resolved(for: bundle.description.defaultMode)
    writer.member("name", name)
    writer.member("id", bundle.id)
    writer.member("title", bundle.name)
    writer.member("details", bundle.details)
    writer.member("version", bundle.version)
    writer.member("author", bundle.author)
    writer.member("license", bundle.license)
    writer.member("backend", bundle.backend.rawValue)
    writer.memberOrNull("task", bundle.taskName) { $0.value($1) }
    writer.memberOrNull("card", bundle.modelCard) { $0.value($1) }
    for (name, layers) in [
      ("inputs", description.callerInputs), ("placeholders", description.placeholders),
      ("outputs", description.outputs),
    ] {
      writer.member(
        name,
        array: { writer in
          for layer in layers { writer.object { write(layer, to: &$0) } }
        })
    }
  }

  private func write(_ layer: Layer, to writer: inout JSONWriter) {
    writer.layerMembers(of: layer)
    if case .image(let image) = layer.kind { writer.member("format", image.format.rawValue) }
    if let role = layer.role { writer.member("role", role.rawValue) }
    if let labels = try? bundle.labels(for: layer), !labels.isEmpty {
      writer.member("labels", labels.count)
    }
  }
}
