import TensorIOBundle
package import TensorIOCore
import TensorIOData
import TensorIOSystem

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// The data named by an argument: a path, or `@NAME` or `@NAME:SPLIT` for a dataset of the user.
///
/// A dataset is exported into a temporary folder: one folder of links per label, or a file of JSON
/// lines if it has boxes. The folder is removed with the value.
package final class ResolvedDataset: Sendable {
  /// The argument.
  package let argument: String
  /// The path of the data.
  package let path: String

  private let temporaryFolder: TemporaryDirectory?

  /// Resolves an argument.
  package init(_ argument: String, _ context: any OperationContext) throws(OperationError) {
    self.argument = argument
    guard argument.hasPrefix("@") else {
      (path, temporaryFolder) = (argument, nil)
      return
    }
    let parts = argument.dropFirst().split(separator: ":", maxSplits: 1).map(String.init)
    let dataset = try DatasetLibrary(context).dataset(named: parts.first ?? "")
    let items = try Self.items(of: dataset, split: parts.count > 1 ? parts[1] : nil)
    let folder = try Self.makeTemporaryFolder()
    let hasBoxes = items.items.contains { !$0.boxes.isEmpty }
    path = "\(folder.path)/\(dataset.name)" + (hasBoxes ? ".ndjson" : "")
    self.temporaryFolder = folder
    if hasBoxes {
      try Self.write(items, .ndjson, to: path)
    } else {
      try Self.createClassFolders(items, in: path, context)
    }
  }

  deinit { temporaryFolder?.remove() }
}

extension ResolvedDataset {
  private static func items(
    of dataset: DatasetStore, split name: String?
  ) throws(OperationError) -> StoredItems {
    let items = try dataset.loadItems()
    guard let name else { return items }
    guard let split = DatasetSplit(name: name) else {
      throw .usage("unknown split '\(name)'; use train, validation or test")
    }
    return items.selecting(items.items.indices.filter { items.items[$0].split == split })
  }

  private static func makeTemporaryFolder() throws(OperationError) -> TemporaryDirectory {
    do throws(FileError) {
      return try TemporaryDirectory(prefix: "tensorio-data")
    } catch {
      throw OperationError(writing: "the temporary folder", error)
    }
  }

  private static func write(
    _ items: StoredItems, _ format: ExportFormat, to path: String
  ) throws(OperationError) {
    do throws(ModelError) {
      try DatasetExporter(items.items.map(\.dataRecord), labels: items.labels).write(
        format, to: path)
    } catch {
      throw OperationError(error)
    }
  }

  private static func createClassFolders(
    _ items: StoredItems, in folder: String, _ context: any OperationContext
  ) throws(OperationError) {
    let labeled = items.items.enumerated().filter { $0.element.labels.count == 1 }
    let omitted = items.count - labeled.count
    if omitted > 0 { context.info("tensorio: omitted \(omitted) images without exactly one label") }
    do {
      for (index, item) in labeled {
        let label = items.labels[item.labels[0]]
        guard !label.contains("/"), !label.hasPrefix(".") else {
          throw OperationError.input(
            "unwritable-label", "label '\(label)' cannot be used as a folder name")
        }
        try FileManager.default.createDirectory(
          atPath: "\(folder)/\(label)", withIntermediateDirectories: true)
        let number = String(repeating: "0", count: max(0, 7 - "\(index)".count)) + "\(index)"
        // Image folders are read by extension; decoders detect the format from the contents.
        let pathExtension = FilePath.pathExtension(of: item.imagePath)
        let isKnown = ImageFileSet.pathExtensions.contains(pathExtension)
        let name = "\(number).\(isKnown ? pathExtension : "png")"
        try FileManager.default.createSymbolicLink(
          atPath: "\(folder)/\(label)/\(name)", withDestinationPath: item.imagePath)
      }
    } catch let error as OperationError {
      throw error
    } catch {
      throw OperationError("unwritable", "\(folder): \(error)", exitCode: .operationFailed)
    }
  }
}
