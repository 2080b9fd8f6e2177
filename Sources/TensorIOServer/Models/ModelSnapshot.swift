internal import TensorIOAnswers
package import TensorIOCore

/// How far a model of a catalogue has come.
package struct ModelSnapshot: Sendable {
  /// What can be asked for.
  package let entry: ModelCatalogue.Entry
  /// How far it has come.
  package let state: ModelState
  /// What is known of it; a chain is known when it is open.
  package let bundle: ModelBundle?
}

/// How far an entry has come.
package enum ModelState: Sendable, Equatable {
  /// Nobody has asked for it.
  case closed
  case opening
  case open
  case failed(ModelError)

  /// The word for it.
  package var name: String {
    switch self {
    case .closed: "closed"
    case .opening: "opening"
    case .open: "open"
    case .failed: "failed"
    }
  }

  /// All words.
  static let names = ["closed", "opening", "open", "failed"]
}

extension ModelSnapshot {
  /// Writes what a list of models says of it.
  func write(to writer: inout JSONWriter) {
    writer.member("name", entry.name)
    writer.optional("title", bundle?.name) { $0.value($1) }
    writer.optional("task", bundle?.task) { $0.value($1) }
    writer.optional("backend", bundle?.backend.rawValue) { $0.value($1) }
    writer.member("state", state.name)
    guard case .failed(let error) = state else { return }
    let failure = PublicFailure(error)
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
  package var task: String? { description.task?.type ?? description.type }
}
