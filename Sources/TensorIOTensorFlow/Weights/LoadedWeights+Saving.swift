internal import TensorIOCore
internal import TensorIOSystem

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

extension LoadedWeights {
  /// What a SavedModel's folder holds besides its graphs.
  private static let variablesFolder = "variables"
  /// A digest of the variables as they were.
  private static let fingerprint = "fingerprint.pb"

  /// Writes the variables into files whose names begin with a path.
  func save(to prefix: String) throws(ModelError) {
    let saver = try requireSaver()
    let run = GraphRun(
      feeds: [try fileName(prefix, of: saver)], fetches: [try find(saver.saveTensor)])
    do throws(ModelError) {
      _ = try graph.run(run)
    } catch {
      throw error.unwritable(prefix)
    }
    try sync(prefix)
  }

  /// Takes the variables from files whose names begin with a path.
  func restore(from prefix: String) throws(ModelError) {
    let saver = try requireSaver()
    guard FileKind(at: prefix + ".index") == .file else {
      throw ModelError(.bundle, .missingFile(prefix + ".index"))
    }
    let run = GraphRun(
      feeds: [try fileName(prefix, of: saver)], targets: [try find(saver.restoreOperation)])
    _ = try graph.run(run)
  }

  /// Writes a SavedModel with the variables as they are now into a folder where nothing is yet.
  func saveModel(to path: String) throws(ModelError) {
    _ = try requireSaver()
    do throws(FileFault) {
      try Folder.make(path)
      for name in try Folder.names(in: folder.path)
      where name != Self.variablesFolder && name != Self.fingerprint {
        try Folder.copy(folder.path + "/" + name, to: path + "/" + name)
      }
      try Folder.make(path + "/" + Self.variablesFolder)
    } catch {
      throw ModelError(.run, .unwritable(path, problem: error.problem))
    }
    try save(to: "\(path)/\(Self.variablesFolder)/variables")
  }
}

extension LoadedWeights {
  private func requireSaver() throws(ModelError) -> MetaGraph.Saver {
    guard let saver = facts.saver else {
      throw ModelError(
        .runtime, .unsupported("saving the weights of a graph that has no saver"),
        file: folder.path)
    }
    return saver
  }

  private func find(_ name: String) throws(ModelError) -> LoadedGraph.Place {
    guard let place = graph.tensor(named: name) ?? graph.operation(named: name.nodeName) else {
      throw ModelError(.runtime, .modelRefused(problem: "its saver names '\(name)', which is gone"))
    }
    return place
  }

  private func fileName(
    _ prefix: String, of saver: MetaGraph.Saver
  ) throws(ModelError) -> (place: LoadedGraph.Place, tensor: OwnedTensor) {
    let tensor = try OwnedTensor(strings: [Array(prefix.utf8)], [], of: graph.library)
    return (try find(saver.fileNameTensor), tensor)
  }

  /// Sees that the files of a prefix are on the disk and not only on their way.
  private func sync(_ prefix: String) throws(ModelError) {
    let parts = prefix.split(separator: "/", omittingEmptySubsequences: false)
    let folder = parts.count > 1 ? parts.dropLast().joined(separator: "/") : "."
    do throws(FileFault) {
      for name in try Folder.names(in: folder) where name.hasPrefix((parts.last ?? "") + ".") {
        try Folder.sync(folder + "/" + name)
      }
      try Folder.syncEntry(folder)
    } catch {
      throw ModelError(.run, .unwritable(prefix, problem: error.problem))
    }
  }
}

extension ModelError {
  /// The same, said as other files that cannot be written are: TensorFlow writes the system's words
  /// behind the file's name.
  fileprivate func unwritable(_ path: String) -> ModelError {
    guard case .callFailed(_, _, let message) = reason else { return self }
    let words = message.split(separator: ";").last?.drop { $0 == " " } ?? ""
    return ModelError(.run, .unwritable(path, problem: String(words)))
  }
}
