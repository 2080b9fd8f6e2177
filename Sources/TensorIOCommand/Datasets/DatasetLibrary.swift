import TensorIOBundle
import TensorIOCore
import TensorIOData
import TensorIOLibrary
import TensorIOSystem

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// The folder of the user's named data sets, each of which is a folder in it.
struct DatasetLibrary {
  /// Where it is; it need not be there yet.
  let path: String

  init(_ console: Console) throws(OperationError) {
    path = try UserDataFolder.requiredPath(of: "datasets", console)
  }

  /// The names of all data sets.
  var names: [String] {
    ((try? FileSystem.entryNames(in: path)) ?? []).filter {
      !$0.hasPrefix(".") && FileKind(at: databasePath($0)) == .file
    }
  }

  /// Opens a data set that is there.
  func dataset(named name: String) throws(OperationError) -> DatasetStore {
    guard names.contains(name) else { throw unknownDatasetError(name) }
    return try DatasetStore(name, in: folder(name), createIfMissing: false)
  }

  /// Opens a data set, which is made where there is none.
  func openOrCreate(_ name: String) throws(OperationError) -> DatasetStore {
    try UserDataFolder.create(folder(name))
    return try DatasetStore(name, in: folder(name), createIfMissing: true)
  }

  /// Removes a data set with the pictures that were copied into it, out of sight first.
  func remove(_ name: String) throws(OperationError) {
    guard names.contains(name) else { throw unknownDatasetError(name) }
    let incoming = try LibraryStagingFolder(in: path)
    defer { incoming.remove() }
    do throws(FileError) {
      try FileSystem.move(folder(name), to: "\(incoming.path)/\(name)")
    } catch {
      throw OperationError(writing: folder(name), error)
    }
  }

  private func folder(_ name: String) -> String { "\(path)/\(name)" }

  private func databasePath(_ name: String) -> String { "\(folder(name))/\(DatasetStore.fileName)" }

  private func unknownDatasetError(_ name: String) -> OperationError {
    let known = names.isEmpty ? "there are none" : "known: \(names.joined(separator: ", "))"
    return .input(
      "unknown-dataset",
      "no data set is called '\(name)'; \(known)" + spellingSuggestion(for: name, among: names))
  }
}

/// What a word means where data is wanted: a path, or `@NAME` for one of the user's data sets.
///
/// A data set becomes a folder of links per label, or lines of JSON where it has boxes, which any model
/// can be trained with or judged by. It lasts as long as the value; `@NAME:test` is one part of it.
final class ResolvedDataset: Sendable {
  /// What the user calls it.
  let argument: String
  /// Where the data lies.
  let path: String

  private let temporaryFolder: TemporaryDirectory?

  /// The data that a word means.
  init(_ word: String, _ console: Console) throws(OperationError) {
    self.argument = word
    guard word.hasPrefix("@") else {
      (path, temporaryFolder) = (word, nil)
      return
    }
    let words = word.dropFirst().split(separator: ":", maxSplits: 1).map(String.init)
    let file = try DatasetLibrary(console).dataset(named: words.first ?? "")
    let items = try Self.items(of: file, split: words.count > 1 ? words[1] : nil)
    let scratch = try Self.makeTemporaryFolder()
    let hasBoxes = items.items.contains { !$0.boxes.isEmpty }
    path = "\(scratch.path)/\(file.name)" + (hasBoxes ? ".ndjson" : "")
    self.temporaryFolder = scratch
    if hasBoxes {
      try Self.write(items, .ndjson, to: path)
    } else {
      try Self.createClassFolders(items, in: path, console)
    }
  }

  deinit { temporaryFolder?.remove() }
}

extension ResolvedDataset {
  private static func items(
    of file: DatasetStore, split name: String?
  ) throws(OperationError) -> StoredItems {
    let items = try file.loadItems()
    guard let name else { return items }
    guard let part = DatasetSplit(name: name) else {
      throw .usage("'\(name)' is no part of a data set: train, validation or test")
    }
    return items.selecting(items.items.indices.filter { items.items[$0].split == part })
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
      try DatasetExporter(items.items.map(\.dataRecord), labels: items.labels).write(format, to: path)
    } catch {
      throw OperationError(error)
    }
  }

  private static func createClassFolders(
    _ items: StoredItems, in folder: String, _ console: Console
  ) throws(OperationError) {
    let labelled = items.items.enumerated().filter { $0.element.labels.count == 1 }
    let left = items.count - labelled.count
    if left > 0 { console.info("tensorio: \(left) pictures without one label are left out") }
    do {
      for (index, item) in labelled {
        let label = items.labels[item.labels[0]]
        guard !label.contains("/"), !label.hasPrefix(".") else {
          throw OperationError.input("unsafe-label", "'\(label)' cannot be the name of a folder")
        }
        try FileManager.default.createDirectory(
          atPath: "\(folder)/\(label)", withIntermediateDirectories: true)
        let ending = item.imagePath.split(separator: ".").last.map(String.init) ?? ""
        let name =
          String(repeating: "0", count: max(0, 7 - "\(index)".count)) + "\(index).\(ending)"
        try FileManager.default.createSymbolicLink(
          atPath: "\(folder)/\(label)/\(name)", withDestinationPath: item.imagePath)
      }
    } catch let failure as OperationError {
      throw failure
    } catch {
      throw OperationError("unwritable", "\(folder): \(error)", exitCode: .inferenceFailed)
    }
  }
}
