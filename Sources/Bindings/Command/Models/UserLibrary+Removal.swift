import TensorIOCore
import TensorIOLibrary

extension UserLibrary {
  /// Throws an error if a bundle is protected from removal.
  func throwIfProtected(_ entry: LibraryEntry, _ console: Console) throws(OperationError) {
    guard try Settings(console).protectedModels.contains(entry.name) else { return }
    throw .protected(entry.name)
  }

  /// Removes a bundle, and the settings that name it.
  func remove(_ entry: LibraryEntry, _ console: Console) throws(OperationError) {
    try remove(entry)
    try Settings.update(console) { settings in
      settings.protectedModels.remove(entry.name)
      if settings.defaultModel == entry.name { settings.defaultModel = nil }
    }
  }

  /// Removes the bundle at a path, unless it is protected.
  ///
  /// - Throws: An `OperationError` if the bundle is not in the user's own folder, is protected, or cannot be removed.
  func remove(at path: String, _ console: Console) throws(OperationError) {
    guard let entry = entries().first(where: { $0.path == path && $0.isManaged }) else {
      throw .input("not-in-library", "the model is not in the library")
    }
    try throwIfProtected(entry, console)
    try remove(entry, console)
  }
}
