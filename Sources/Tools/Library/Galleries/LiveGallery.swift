import Synchronization
import TensorIOBundle
package import TensorIOCore
import TensorIOSystem
package import TensorIOTasks

/// The gallery of an open model, which sees what other programs enroll.
package final class LiveGallery: Sendable {
  private struct State {
    /// `nil` while the gallery is missing.
    var store: GalleryStore?
    var contents = InMemoryGallery()
    /// The version of the database that `contents` was read from; `nil` before it is read.
    var version: Int64?
  }

  private let state: Mutex<State>
  private let path: String
  private let embedder: EmbedderIdentity
  private let options: EmbeddingOptions

  /// Opens the gallery of a model.
  ///
  /// - Parameters:
  ///   - path: The path of the database.
  ///   - model: The model, which computes embeddings.
  ///   - createIfMissing: Whether a missing gallery is empty, and created by the first enrollment.
  /// - Throws: An error if the gallery is missing, or bound to another model.
  package init(
    _ path: String, for model: Model, createIfMissing: Bool = false
  ) throws(OperationError) {
    guard let origin = model.embeddingOrigin else {
      throw .usage(
        "a gallery requires a bundle or chain whose last step computes embeddings (role embedding)")
    }
    embedder = try EmbedderIdentity(origin)
    (self.path, options) = (path, origin.options)
    let isMissing = createIfMissing && FileKind(at: path) == nil
    state = Mutex(State(store: isMissing ? nil : try GalleryStore(path)))
    _ = try contents()
  }

  /// Gives names to the results of the model.
  package func attach(to model: Model) {
    let matcher = GalleryMatcher(options) { [self] () throws(ModelError) in
      try ModelError.rethrowing(.output, contents)
    }
    model.embeddingModel?.info.attach(matcher)
  }

  /// Returns what is enrolled now.
  package func contents() throws(OperationError) -> InMemoryGallery {
    try state.withLock { (state) throws(OperationError) in
      try update(&state)
      return state.contents
    }
  }

  private func update(_ state: inout State) throws(OperationError) {
    // Another program may have created it; while that writes the first entry, it cannot be opened yet.
    if state.store == nil, FileKind(at: path) != nil { state.store = try? GalleryStore(path) }
    guard let version = try state.store?.version(), version != state.version else { return }
    state.contents = try state.store?.gallery(for: embedder) ?? InMemoryGallery()
    state.version = version
  }

  /// Adds an embedding under a name; returns whether it is new.
  package func enroll(
    _ embedding: Embedding, from path: String, as name: String
  ) throws(OperationError) -> Bool {
    try state.withLock { (state) throws(OperationError) in
      let store =
        if let store = state.store { store } else {
          try GalleryStore(self.path, createIfMissing: true)
        }
      state.store = store
      let entry = GalleryStore.Entry(imagePath: path, embedding: embedding)
      let isNew = try store.enroll([entry], as: name, by: embedder) > 0
      // The version does not change with changes of the same connection.
      if isNew { state.contents.enroll(embedding, as: name) }
      return isNew
    }
  }

  /// Removes a name and returns its number of embeddings.
  package func remove(_ name: String) throws(OperationError) -> Int {
    try state.withLock { (state) throws(OperationError) in
      try update(&state)
      state.contents.remove(name)
      return try state.store?.remove(name) ?? 0
    }
  }
}
