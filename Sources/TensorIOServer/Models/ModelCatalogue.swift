internal import Synchronization
package import TensorIOCore

/// The models that are answered for, by their names; each is opened when it is first asked for.
///
/// A catalogue may be shared between threads. Whoever runs a model that is taken out or opened
/// again keeps the one that he has.
package final class ModelCatalogue: Sendable {
  /// Opens what an entry names.
  package typealias Opening = @Sendable (Entry) throws(ModelError) -> Model

  private let cells: Mutex<[ModelCell]>
  private let opening: Opening

  /// A catalogue of some entries, in their order.
  package init(_ entries: [Entry], opening: @escaping Opening) {
    cells = Mutex(entries.map { ModelCell($0) })
    self.opening = opening
  }

  /// What is in it, in order.
  package var entries: [Entry] { cells.withLock { $0.map(\.entry) } }

  /// What is in it, and how far each has come.
  package var states: [ModelSnapshot] { cells.withLock(\.self).map(\.snapshot) }

  /// The entry of a name.
  package func entry(named name: String) throws(ModelError) -> Entry { try cell(name).entry }

  /// The model of a name, opened now if it is not open yet.
  ///
  /// Several threads that ask at once wait for one opening.
  package func model(named name: String) throws(ModelError) -> ServedModel {
    try cell(name).model(opening)
  }

  /// Puts an entry at the end, or in the place of the one of its name.
  package func add(_ entry: Entry) {
    cells.withLock { cells in
      if let place = cells.firstIndex(where: { $0.entry.name == entry.name }) {
        cells[place] = ModelCell(entry)
      } else {
        cells.append(ModelCell(entry))
      }
    }
  }

  /// Takes an entry out.
  package func remove(named name: String) {
    cells.withLock { $0.removeAll { $0.entry.name == name } }
  }

  /// Lets every model be opened again when it is next asked for, such as with other threads.
  package func reopenAll() {
    cells.withLock { $0 = $0.map { ModelCell($0.entry) } }
  }

  private func cell(_ name: String) throws(ModelError) -> ModelCell {
    let cells = cells.withLock(\.self)
    if let cell = cells.first(where: { $0.entry.name == name }) { return cell }
    throw ModelError(.bundle, .unknownBundle(name, known: cells.map(\.entry.name)))
  }
}

extension ModelCatalogue {
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
    package var fault: ModelError? {
      if case .failure(let error) = bundle { error } else { nil }
    }
  }
}
