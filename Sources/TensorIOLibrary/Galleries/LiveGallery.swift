import Synchronization
import TensorIOBundle
package import TensorIOCore
import TensorIOSystem
package import TensorIOTasks

/// The gallery of an open model, which sees what other programs enroll.
package final class LiveGallery: Sendable {
  private struct State {
    /// `nil` until something is enrolled into a missing gallery.
    var store: GalleryStore?
    var contents = InMemoryGallery()
    /// The version of the database that `contents` was read from; `nil` to read it again.
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
  ///   - maxDistance: The maximum distance of a match; `nil` uses the threshold of the bundle.
  ///   - createIfMissing: Whether a missing gallery is empty, and created by the first enrollment.
  /// - Throws: An error if the gallery is missing, or bound to another model.
  package init(
    _ path: String, for model: Model, maxDistance: Double? = nil, createIfMissing: Bool = false
  ) throws(OperationError) {
    guard let origin = model.embeddingOrigin else {
      throw .usage(
        "a gallery requires a bundle or chain whose last step computes embeddings (role embedding)")
    }
    embedder = try EmbedderIdentity(origin)
    var options = origin.options
    options.threshold = maxDistance ?? options.threshold
    self.options = options
    self.path = path
    let isMissing = createIfMissing && FileKind(at: path) == nil
    state = Mutex(State(store: isMissing ? nil : try GalleryStore(path)))
    _ = try contents()
  }

  /// Gives names to the results of the model.
  package func attach(to model: Model) {
    let matcher = GalleryMatcher(options) { [self] () throws(ModelError) in
      do throws(OperationError) {
        return try contents()
      } catch {
        throw ModelError(.output, .failed(error.message))
      }
    }
    model.outputSource.attach(matcher)
  }

  /// Returns what is enrolled now.
  package func contents() throws(OperationError) -> InMemoryGallery {
    try state.withLock { (state) throws(OperationError) in
      if let store = state.store {
        let version = try store.version()
        if version != state.version {
          state.contents = try store.gallery(for: embedder)
          state.version = version
        }
      }
      return state.contents
    }
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
      (state.store, state.version) = (store, nil)
      let entry = GalleryStore.Entry(imagePath: path, embedding: embedding)
      return try store.enroll([entry], as: name, by: embedder) > 0
    }
  }

  /// Removes a name and returns its number of embeddings.
  package func remove(_ name: String) throws(OperationError) -> Int {
    try state.withLock { (state) throws(OperationError) in
      state.version = nil
      return try state.store?.remove(name) ?? 0
    }
  }
}
