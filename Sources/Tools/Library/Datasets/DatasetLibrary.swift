import TensorIOBundle
package import TensorIOCore
import TensorIOSystem

/// The folder of the user's named datasets, each in a subfolder.
package struct DatasetLibrary {
  /// The path of the folder, which may not exist yet.
  package let path: String

  package init(_ context: any OperationContext) throws(OperationError) {
    path = try UserDataFolder.requiredPath(of: "datasets", context)
  }

  /// The names of all datasets.
  package var names: [String] {
    ((try? FileSystem.entryNames(in: path)) ?? []).filter {
      !$0.hasPrefix(".") && FileKind(at: databasePath($0)) == .file
    }
  }

  /// Opens an existing dataset.
  package func dataset(named name: String) throws(OperationError) -> DatasetStore {
    guard names.contains(name) else { throw unknownDatasetError(name) }
    return try DatasetStore(name, in: folder(name), createIfMissing: false)
  }

  /// Opens a dataset, creating it if necessary.
  package func openOrCreate(_ name: String) throws(OperationError) -> DatasetStore {
    try UserDataFolder.create(folder(name))
    return try DatasetStore(name, in: folder(name), createIfMissing: true)
  }

  /// Removes a dataset with the images copied into it; it disappears atomically.
  package func remove(_ name: String) throws(OperationError) {
    guard names.contains(name) else { throw unknownDatasetError(name) }
    let staging = try LibraryStagingFolder(in: path)
    defer { staging.remove() }
    do throws(FileError) {
      try FileSystem.move(folder(name), to: "\(staging.path)/\(name)")
    } catch {
      throw OperationError(writing: folder(name), error)
    }
  }

  private func folder(_ name: String) -> String { "\(path)/\(name)" }

  private func databasePath(_ name: String) -> String { "\(folder(name))/\(DatasetStore.fileName)" }

  private func unknownDatasetError(_ name: String) -> OperationError {
    let known =
      names.isEmpty ? "there are no datasets" : "known: \(names.joined(separator: ", "))"
    return .input(
      "unknown-dataset",
      "unknown dataset '\(name)'; \(known)" + Spelling.suggestion(for: name, among: names))
  }
}
