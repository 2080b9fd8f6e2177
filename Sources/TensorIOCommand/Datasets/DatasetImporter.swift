import TensorIOCore
import TensorIOData
import TensorIOImage
import TensorIOLibrary
import TensorIOSystem

/// Takes pictures into a data set, each once.
struct DatasetImporter {
  let dataset: DatasetStore
  /// Whether the pictures are copied, or stay where they are.
  let copiesImages: Bool
  /// What the pictures are set apart for where the data does not say.
  let defaultSplit: DatasetSplit?
  let console: Console
  let isCancelled: @Sendable () -> Bool

  /// How many pictures came, by what became of them.
  struct Outcome {
    var added = 0
    var duplicates = 0
    var failed = 0
  }

  func importItems(_ imported: ImportedItems) throws(OperationError) -> Outcome {
    var outcome = Outcome(failed: imported.failedCount)
    var progress = ProgressReporter(total: imported.items.count, console)
    defer { progress.finish() }
    if copiesImages { try UserDataFolder.create(dataset.imageFolder) }
    for item in imported.items {
      if isCancelled() { throw .cancelled }
      try importItem(item, &outcome)
      progress.advance()
    }
    return outcome
  }

  private func importItem(_ item: ImportedItem, _ outcome: inout Outcome) throws(OperationError) {
    let bytes: [UInt8]
    do throws(FileError) {
      bytes = try FileBytes.contents(of: item.imagePath, limit: ImageLimits.maxFileBytes)
    } catch {
      outcome.failed += 1
      return console.printError(
        .input("unreadable-picture", "\(item.name): it cannot be read: \(error.message)"))
    }
    let digest = SHA256.digest(of: bytes).hexadecimal
    guard try !dataset.contains(digest: digest) else {
      outcome.duplicates += 1
      return
    }
    var item = item
    item.split = item.split ?? defaultSplit
    let path =
      copiesImages ? try copy(bytes, digest, of: item) : FilePath.resolved(item.imagePath) ?? item.imagePath
    let isNew = try dataset.insert(item, at: path, digest: digest)
    if isNew { outcome.added += 1 } else { outcome.duplicates += 1 }
  }

  private func copy(
    _ bytes: [UInt8], _ digest: String, of item: ImportedItem
  ) throws(OperationError) -> String {
    let ending = item.imagePath.split(separator: ".").last.map { ".\($0.lowercased())" } ?? ""
    let path = "\(dataset.imageFolder)/\(digest.prefix(32))\(ending)"
    do throws(FileError) {
      try AtomicFile.write(bytes, to: path)
    } catch {
      throw OperationError(writing: path, error)
    }
    return path
  }
}
