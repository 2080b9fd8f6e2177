package import TensorIOCore
package import TensorIOData
import TensorIOImage
import TensorIOSystem

/// Imports images into a dataset, skipping images that it already contains.
package struct DatasetImporter {
  let dataset: DatasetStore
  /// Whether images are copied into the dataset rather than referenced by their paths.
  let copiesImages: Bool
  /// The split of images whose data names none.
  let defaultSplit: DatasetSplit?
  let context: any OperationContext
  let isCancelled: @Sendable () -> Bool

  package init(
    dataset: DatasetStore, copiesImages: Bool, defaultSplit: DatasetSplit?,
    context: any OperationContext, isCancelled: @escaping @Sendable () -> Bool
  ) {
    self.dataset = dataset
    self.copiesImages = copiesImages
    self.defaultSplit = defaultSplit
    self.context = context
    self.isCancelled = isCancelled
  }

  /// The numbers of images by outcome.
  package struct Outcome {
    package var added = 0
    package var duplicates = 0
    package var failed = 0
  }

  /// Imports items, reporting those that fail.
  ///
  /// - Throws: `.cancelled` if the user interrupts the import; images imported so far are kept.
  package func importItems(_ imported: ImportedItems) throws(OperationError) -> Outcome {
    var outcome = Outcome(failed: imported.failedCount)
    var progress = ProgressReporter(total: imported.items.count, context)
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
      return context.printError(
        .input("unreadable-image", "\(item.name): cannot read the image: \(error.message)"))
    }
    let digest = SHA256.digest(of: bytes).hexadecimal
    guard try !dataset.contains(digest: digest) else {
      outcome.duplicates += 1
      return
    }
    var item = item
    item.split = item.split ?? defaultSplit
    let path =
      copiesImages
      ? try copy(bytes, digest, of: item) : FilePath.resolved(item.imagePath) ?? item.imagePath
    let isNew = try dataset.insert(item, at: path, digest: digest)
    if isNew { outcome.added += 1 } else { outcome.duplicates += 1 }
  }

  private func copy(
    _ bytes: [UInt8], _ digest: String, of item: ImportedItem
  ) throws(OperationError) -> String {
    let path = "\(dataset.imageFolder)/\(digest.prefix(32))\(item.imagePath.dottedPathExtension)"
    do throws(FileError) {
      try AtomicFile.write(bytes, to: path, isDurable: false)
    } catch {
      throw OperationError(writing: path, error)
    }
    return path
  }
}

extension String {
  /// The extension of the path's last component, with its dot; empty if there is none.
  var dottedPathExtension: String {
    let pathExtension = FilePath.pathExtension(of: self)
    return pathExtension.isEmpty ? "" : ".\(pathExtension)"
  }
}
