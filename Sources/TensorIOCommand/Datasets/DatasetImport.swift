internal import TensorIOCore
internal import TensorIOData
internal import TensorIOImage
internal import TensorIOSystem

/// Takes pictures into a data set, each once.
struct DatasetImport {
  let file: DatasetFile
  /// Whether the pictures are copied, or stay where they are.
  let isCopying: Bool
  /// What the pictures are set apart for where the data does not say.
  let part: DataPart?
  let console: Console
  let isEnded: @Sendable () -> Bool

  /// How many pictures came, by what became of them.
  struct Outcome {
    var added = 0
    var known = 0
    var failed = 0
  }

  func take(_ imported: ImportedItems) throws(CommandFailure) -> Outcome {
    var outcome = Outcome(failed: imported.failedCount)
    var progress = Progress(of: imported.items.count, console)
    defer { progress.finish() }
    if isCopying { try UserFolder.make(file.pictures) }
    for item in imported.items {
      if isEnded() { throw .interruption }
      try take(item, &outcome)
      progress.advance()
    }
    return outcome
  }

  private func take(_ item: ImportedItem, _ outcome: inout Outcome) throws(CommandFailure) {
    let bytes: [UInt8]
    do throws(FileFault) {
      bytes = try FileBytes.contents(of: item.path, limit: ImageLimits.fileBytes)
    } catch {
      outcome.failed += 1
      return console.fail(
        .input("unreadable-picture", "\(item.name): it cannot be read: \(error.problem)"))
    }
    let digest = SHA256.digest(of: bytes).hexadecimal
    guard try !file.has(digest: digest) else {
      outcome.known += 1
      return
    }
    var item = item
    item.part = item.part ?? part
    let path =
      isCopying ? try copy(bytes, digest, of: item) : FilePath.resolved(item.path) ?? item.path
    let isNew = try file.add(item, at: path, digest: digest)
    if isNew { outcome.added += 1 } else { outcome.known += 1 }
  }

  private func copy(
    _ bytes: [UInt8], _ digest: String, of item: ImportedItem
  ) throws(CommandFailure) -> String {
    let ending = item.path.split(separator: ".").last.map { ".\($0.lowercased())" } ?? ""
    let path = "\(file.pictures)/\(digest.prefix(32))\(ending)"
    do throws(FileFault) {
      try CompleteFile.write(bytes, to: path)
    } catch {
      throw CommandFailure(writing: path, error)
    }
    return path
  }
}
