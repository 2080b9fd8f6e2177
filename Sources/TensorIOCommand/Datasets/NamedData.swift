internal import TensorIOCore
internal import TensorIOData
internal import TensorIOSystem

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// What a word means where data is wanted: a path, or `@NAME` for one of the user's data sets.
///
/// A data set becomes a folder of links per label, or lines of JSON where it has boxes, which any model
/// can be trained with or judged by. It lasts as long as the value; `@NAME:test` is one part of it.
final class NamedData: Sendable {
  /// What the user calls it.
  let word: String
  /// Where the data lies.
  let path: String

  private let scratch: ScratchFolder?

  /// The data that a word means.
  init(_ word: String, _ console: Console) throws(CommandFailure) {
    self.word = word
    guard word.hasPrefix("@") else {
      (path, scratch) = (word, nil)
      return
    }
    let words = word.dropFirst().split(separator: ":", maxSplits: 1).map(String.init)
    let file = try DatasetFolder(console).existing(words.first ?? "")
    let items = try Self.items(of: file, part: words.count > 1 ? words[1] : nil)
    let scratch = try Self.scratchFolder()
    let hasBoxes = items.items.contains { !$0.boxes.isEmpty }
    path = "\(scratch.path)/\(file.name)" + (hasBoxes ? ".ndjson" : "")
    self.scratch = scratch
    if hasBoxes {
      try Self.write(items, .ndjson, to: path)
    } else {
      try Self.link(items, in: path, console)
    }
  }

  deinit { scratch?.remove() }
}

extension NamedData {
  private static func items(
    of file: DatasetFile, part name: String?
  ) throws(CommandFailure) -> StoredItems {
    let items = try file.items()
    guard let name else { return items }
    guard let part = DataPart(name: name) else {
      throw .usage("'\(name)' is no part of a data set: train, validation or test")
    }
    return items.selecting(items.items.indices.filter { items.items[$0].part == part })
  }

  private static func scratchFolder() throws(CommandFailure) -> ScratchFolder {
    do throws(FileFault) {
      return try ScratchFolder("tensorio-data")
    } catch {
      throw CommandFailure(writing: "the temporary folder", error)
    }
  }

  private static func write(
    _ items: StoredItems, _ format: DataFormat, to path: String
  ) throws(CommandFailure) {
    do throws(ModelError) {
      try DataExport(items.items.map(\.record), labels: items.labels).write(format, to: path)
    } catch {
      throw CommandFailure(error)
    }
  }

  private static func link(
    _ items: StoredItems, in folder: String, _ console: Console
  ) throws(CommandFailure) {
    let labelled = items.items.enumerated().filter { $0.element.labels.count == 1 }
    let left = items.count - labelled.count
    if left > 0 { console.note("tensorio: \(left) pictures without one label are left out") }
    do {
      for (index, item) in labelled {
        let label = items.labels[item.labels[0]]
        guard !label.contains("/"), !label.hasPrefix(".") else {
          throw CommandFailure.input("unsafe-label", "'\(label)' cannot be the name of a folder")
        }
        try FileManager.default.createDirectory(
          atPath: "\(folder)/\(label)", withIntermediateDirectories: true)
        let ending = item.path.split(separator: ".").last.map(String.init) ?? ""
        let name =
          String(repeating: "0", count: max(0, 7 - "\(index)".count)) + "\(index).\(ending)"
        try FileManager.default.createSymbolicLink(
          atPath: "\(folder)/\(label)/\(name)", withDestinationPath: item.path)
      }
    } catch let failure as CommandFailure {
      throw failure
    } catch {
      throw CommandFailure("unwritable", "\(folder): \(error)", exit: .run)
    }
  }
}
