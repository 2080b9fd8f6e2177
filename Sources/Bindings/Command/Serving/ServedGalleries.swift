import TensorIOBundle
import TensorIOCore
import TensorIOLibrary
import TensorIOTasks

/// The galleries of a server's models.
///
/// A gallery belongs to the model whose embeddings were enrolled.
struct ServedGalleries: Sendable {
  private let paths: [String]

  /// Checks the galleries at some paths.
  ///
  /// - Throws: An error if one of the files is not a gallery.
  init(paths: [String]) throws(OperationError) {
    for path in paths { _ = try GalleryStore(path) }
    self.paths = paths
  }

  /// Gives names to the results of a model, if one of the galleries belongs to it.
  ///
  /// - Parameter model: The model.
  /// - Returns: Whether that is the case, or the model computes no embeddings.
  /// - Throws: A `ModelError` if a gallery cannot be read.
  func attach(to model: Model) throws(ModelError) -> Bool {
    guard !paths.isEmpty, model.embeddingOrigin != nil else { return true }
    for path in paths {
      do throws(OperationError) {
        try LiveGallery(path, for: model).attach(to: model)
        return true
      } catch  where error.code == GalleryStore.mismatchCode {
        continue
      } catch {
        throw error.modelError ?? ModelError(.bundle, .failed(.init(error.message)), file: path)
      }
    }
    return false
  }
}
