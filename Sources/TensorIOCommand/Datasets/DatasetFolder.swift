internal import TensorIOCore
internal import TensorIOSystem

/// The folder of the user's named data sets, each of which is a folder in it.
struct DatasetFolder {
  /// Where it is; it need not be there yet.
  let path: String

  init(_ console: Console) throws(CommandFailure) {
    path = try UserFolder.requiredPath(of: "datasets", console)
  }

  /// The names of all data sets.
  var names: [String] {
    ((try? Folder.names(in: path)) ?? []).filter {
      !$0.hasPrefix(".") && FileKind(at: file($0)) == .file
    }
  }

  /// Opens a data set that is there.
  func existing(_ name: String) throws(CommandFailure) -> DatasetFile {
    guard names.contains(name) else { throw unknown(name) }
    return try DatasetFile(name, in: folder(name), makingIt: false)
  }

  /// Opens a data set, which is made where there is none.
  func made(_ name: String) throws(CommandFailure) -> DatasetFile {
    try UserFolder.make(folder(name))
    return try DatasetFile(name, in: folder(name), makingIt: true)
  }

  /// Removes a data set with the pictures that were copied into it, out of sight first.
  func remove(_ name: String) throws(CommandFailure) {
    guard names.contains(name) else { throw unknown(name) }
    let incoming = try IncomingFolder(in: path)
    defer { incoming.remove() }
    do throws(FileFault) {
      try Folder.move(folder(name), to: "\(incoming.path)/\(name)")
    } catch {
      throw CommandFailure(writing: folder(name), error)
    }
  }

  private func folder(_ name: String) -> String { "\(path)/\(name)" }

  private func file(_ name: String) -> String { "\(folder(name))/\(DatasetFile.fileName)" }

  private func unknown(_ name: String) -> CommandFailure {
    let known = names.isEmpty ? "there are none" : "known: \(names.joined(separator: ", "))"
    return .input(
      "unknown-dataset",
      "no data set is called '\(name)'; \(known)" + didYouMean(name, among: names))
  }
}
