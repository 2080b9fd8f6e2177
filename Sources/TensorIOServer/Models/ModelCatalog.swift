import Synchronization
package import TensorIOBundle
package import TensorIOCore
package import TensorIOTasks

/// The models of a server, by name.
///
/// Each is opened on first use.
///
/// A catalog may be shared between threads. Removing or reloading a model does not affect
/// requests that are already using it.
package final class ModelCatalog: Sendable {
  /// Opens the model of an entry.
  package typealias Opener = @Sendable (Entry) throws(ModelError) -> Model

  private let models: Mutex<[LazyModel]>
  private let opener: Opener

  /// Creates a catalog of `entries`, in their order.
  package init(_ entries: [Entry], opener: @escaping Opener) {
    models = Mutex(entries.map { LazyModel($0) })
    self.opener = opener
  }

  /// The entries, in order.
  package var entries: [Entry] { models.withLock { $0.map(\.entry) } }

  /// The status of every model, in order.
  package var statuses: [ModelStatus] { models.withLock(\.self).map(\.status) }

  /// Returns the entry with the given name.
  package func entry(named name: String) throws(ModelError) -> Entry {
    try lazyModel(named: name).entry
  }

  /// Returns the model with the given name, opening it if necessary.
  ///
  /// Threads that request the same model at the same time wait for one attempt.
  package func model(named name: String) throws(ModelError) -> ServedModel {
    try lazyModel(named: name).model(opener)
  }

  /// Appends an entry, or replaces the entry with the same name.
  package func add(_ entry: Entry) {
    models.withLock { models in
      if let index = models.firstIndex(where: { $0.entry.name == entry.name }) {
        models[index] = LazyModel(entry)
      } else {
        models.append(LazyModel(entry))
      }
    }
  }

  /// Removes the entry with the given name.
  package func remove(named name: String) {
    models.withLock { $0.removeAll { $0.entry.name == name } }
  }

  /// Reopens every model on its next use, for example after a change of settings.
  package func reopenAll() {
    models.withLock { $0 = $0.map { LazyModel($0.entry) } }
  }

  private func lazyModel(named name: String) throws(ModelError) -> LazyModel {
    let models = models.withLock(\.self)
    if let model = models.first(where: { $0.entry.name == name }) { return model }
    throw ModelError(.bundle, .unknownBundle(name, known: models.map(\.entry.name)))
  }
}

extension ModelCatalog {
  /// A model or chain that can be requested by name.
  package struct Entry: Sendable {
    /// The name in request paths.
    package let name: String
    /// The path on disk.
    ///
    /// Never sent to clients.
    package let path: String
    /// The bundle, or the error that reading it threw; `nil` for a chain, which has several.
    package let bundle: Result<ModelBundle, ModelError>?

    /// Creates an entry.
    package init(name: String, path: String, bundle: Result<ModelBundle, ModelError>?) {
      (self.name, self.path, self.bundle) = (name, path, bundle)
    }

    /// The error that prevents opening the model, if its bundle is invalid.
    package var error: ModelError? {
      if case .failure(let error) = bundle { error } else { nil }
    }
  }
}

/// An open model and the name under which it is served.
package struct ServedModel: Sendable {
  /// The name in request paths.
  package let name: String
  /// The open model.
  package let model: Model
  /// The postprocessing of the bundle's task, with the bundle's own settings.
  package let postprocessor: TaskPostprocessor

  /// Creates a served model.
  package init(_ name: String, _ model: Model) throws(ModelError) {
    (self.name, self.model) = (name, model)
    postprocessor = try TaskPostprocessor(model)
  }
}
