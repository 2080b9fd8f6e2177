import Synchronization
package import TensorIOBundle
package import TensorIOCore
package import TensorIOTasks

/// The models that are answered for, by their names; each is opened when it is first asked for.
///
/// A catalogue may be shared between threads. Whoever runs a model that is taken out or opened
/// again keeps the one that he has.
package final class ModelCatalog: Sendable {
  /// Opens what an entry names.
  package typealias Opener = @Sendable (Entry) throws(ModelError) -> Model

  private let models: Mutex<[LazyModel]>
  private let opener: Opener

  /// A catalogue of some entries, in their order.
  package init(_ entries: [Entry], opener: @escaping Opener) {
    models = Mutex(entries.map { LazyModel($0) })
    self.opener = opener
  }

  /// What is in it, in order.
  package var entries: [Entry] { models.withLock { $0.map(\.entry) } }

  /// What is in it, and how far each has come.
  package var statuses: [ModelStatus] { models.withLock(\.self).map(\.status) }

  /// The entry of a name.
  package func entry(named name: String) throws(ModelError) -> Entry { try lazyModel(named: name).entry }

  /// The model of a name, opened now if it is not open yet.
  ///
  /// Several threads that ask at once wait for one opening.
  package func model(named name: String) throws(ModelError) -> ServedModel {
    try lazyModel(named: name).model(opener)
  }

  /// Puts an entry at the end, or in the place of the one of its name.
  package func add(_ entry: Entry) {
    models.withLock { cells in
      if let place = cells.firstIndex(where: { $0.entry.name == entry.name }) {
        cells[place] = LazyModel(entry)
      } else {
        cells.append(LazyModel(entry))
      }
    }
  }

  /// Takes an entry out.
  package func remove(named name: String) {
    models.withLock { $0.removeAll { $0.entry.name == name } }
  }

  /// Lets every model be opened again when it is next asked for, such as with other threads.
  package func reopenAll() {
    models.withLock { $0 = $0.map { LazyModel($0.entry) } }
  }

  private func lazyModel(named name: String) throws(ModelError) -> LazyModel {
    let cells = models.withLock(\.self)
    if let cell = cells.first(where: { $0.entry.name == name }) { return cell }
    throw ModelError(.bundle, .unknownBundle(name, known: cells.map(\.entry.name)))
  }
}

extension ModelCatalog {
  /// Something that can be asked for.
  package struct Entry: Sendable {
    /// By what it is asked for.
    package let name: String
    /// Where it is; nobody who asks is told.
    package let path: String
    /// The bundle, or why it is none; `nil` for a chain, which has several.
    package let bundle: Result<ModelBundle, ModelError>?

    /// An entry.
    package init(name: String, path: String, bundle: Result<ModelBundle, ModelError>?) {
      (self.name, self.path, self.bundle) = (name, path, bundle)
    }

    /// Why it cannot be opened at all.
    package var error: ModelError? {
      if case .failure(let error) = bundle { error } else { nil }
    }
  }
}

/// A model that is open, under the name by which it is asked for.
package struct ServedModel: Sendable {
  /// By what it is asked for.
  package let name: String
  /// The model.
  package let model: Model
  /// What the bundle's task makes of its outputs, when nobody wants it otherwise.
  package let postprocessor: TaskPostprocessor

  /// A model under a name.
  package init(_ name: String, _ model: Model) throws(ModelError) {
    (self.name, self.model) = (name, model)
    postprocessor = try TaskPostprocessor(model)
  }
}
