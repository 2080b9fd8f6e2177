import TensorIOBundle
import TensorIOCore
import TensorIOSystem

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// What is done before a graph is loaded, lest it do more than compute.
enum GraphReviewPolicy {
  case none
  case review
  /// A review of what cannot be changed before it is loaded.
  case reviewSnapshot
}

/// One graph of a SavedModel with its variables in memory.
final class LoadedSavedModel: Sendable {
  let folder: ModelFile
  let metaGraph: MetaGraph
  let graph: TensorFlowGraph
  /// The modes that this graph is for.
  let modes: [ModelMode]
  /// What the graph does besides computing; `nil` where that does not matter.
  private let review: GraphReview?

  /// Reviews the graph for a use, then loads it.
  init(
    _ folder: ModelFile, _ savedModel: SavedModelFile, for use: ModelBinding,
    _ caution: GraphReviewPolicy, in library: TensorFlowLibrary
  ) throws(ModelError) {
    let (facts, message) = try savedModel.graph(for: use.mode)
    let nodes = try GraphDefinition(reading: message)
    self.folder = folder
    self.metaGraph = facts
    modes = ModelMode.allCases.filter { (try? savedModel.graph(for: $0))?.facts.tags == facts.tags }
    review = caution == .none ? nil : GraphReview(nodes, saver: facts.saver)
    try review?.requireAllowedOperators { library.operators }
    try review?.requireSafeLoading(facts)
    try Self.requireVariablesFile(of: facts, nodes, in: folder)
    do throws(ModelError) {
      graph =
        try caution == .reviewSnapshot
        ? Self.loadSnapshot(savedModel, of: folder, tags: facts.tags, threads: use.threads, library)
        : TensorFlowGraph(folder: folder.path, tags: facts.tags, threads: use.threads, library)
    } catch {
      let gone = nodes.operators.subtracting(library.operators)
      throw gone.isEmpty ? error : ModelError(.runtime, .missingOperators(gone.sorted()))
    }
  }

  /// Loads what was reviewed, whatever lies in the folder meanwhile.
  private static func loadSnapshot(
    _ savedModel: SavedModelFile, of folder: ModelFile, tags: [String], threads: Int,
    _ library: TensorFlowLibrary
  ) throws(ModelError) -> TensorFlowGraph {
    try savedModel.withSnapshot(of: folder) { (snapshot) throws(ModelError) in
      do throws(ModelError) {
        return try TensorFlowGraph(folder: snapshot, tags: tags, threads: threads, library)
      } catch {
        throw error.replacingPath(folder.path, with: snapshot)
      }
    }
  }

  /// Throws when a run for a use would read or write files.
  func requireSafe(_ use: ResolvedBinding) throws(ModelError) {
    for name in use.operationNames(in: graph) { try review?.requireSafeRun(name) }
  }

  /// TensorFlow loads a graph without its variables, and fails when it is run.
  private static func requireVariablesFile(
    of facts: MetaGraph, _ nodes: GraphDefinition, in folder: ModelFile
  ) throws(ModelError) {
    let name = "variables/variables.index"
    guard facts.saver != nil, nodes.hasVariables, FileKind(at: folder.path + "/" + name) != .file
    else { return }
    throw ModelError(.bundle, .missingFile(folder.name + "/" + name))
  }
}

extension ModelError {
  /// The same, in the words of the place that the user knows.
  fileprivate func replacingPath(_ path: String, with other: String) -> ModelError {
    guard case .modelRejected(let problem) = reason else { return self }
    return ModelError(stage, .modelRejected(detail: problem.replacing(other, with: path)))
  }
}

extension GraphDefinition {
  /// Reads the graph of a SavedModel.
  fileprivate init(reading message: ProtobufMessage) throws(ModelError) {
    do throws(ProtobufError) {
      try self.init(message)
    } catch {
      throw ModelError(.runtime, .modelRejected(detail: "its graph is damaged: \(error.rawValue)"))
    }
  }

  /// The operators that nodes have, without the functions of the graph itself.
  fileprivate var operators: Set<String> {
    Set(allNodes.lazy.map(\.op)).subtracting(functions.keys)
  }

  /// Whether there are values that a file has to give.
  fileprivate var hasVariables: Bool {
    nodes.contains { ["VarHandleOp", "VariableV2", "Variable"].contains($0.op) }
  }
}

extension LoadedSavedModel {
  /// What a SavedModel's folder holds besides its graphs.
  private static let variablesFolder = "variables"
  /// A digest of the variables as they were.
  private static let fingerprintFileName = "fingerprint.pb"

  /// Writes the variables into files whose names begin with a path.
  func save(to prefix: String) throws(ModelError) {
    let saver = try requireSaver()
    let run = GraphRun(
      feeds: [try filenameFeed(prefix, of: saver)], fetches: [try output(saver.saveTensor)])
    do throws(ModelError) {
      _ = try graph.run(run)
    } catch {
      throw error.asUnwritable(prefix)
    }
    try syncFiles(prefix)
  }

  /// Takes the variables from files whose names begin with a path.
  func restore(from prefix: String) throws(ModelError) {
    let saver = try requireSaver()
    guard FileKind(at: prefix + ".index") == .file else {
      throw ModelError(.bundle, .missingFile(prefix + ".index"))
    }
    let run = GraphRun(
      feeds: [try filenameFeed(prefix, of: saver)], targets: [try output(saver.restoreOperation)])
    _ = try graph.run(run)
  }

  /// Writes a SavedModel with the variables as they are now into a folder where nothing is yet.
  func saveModel(to path: String) throws(ModelError) {
    _ = try requireSaver()
    do throws(FileError) {
      try FileSystem.createDirectory(path)
      for name in try FileSystem.entryNames(in: folder.path)
      where name != Self.variablesFolder && name != Self.fingerprintFileName {
        try FileSystem.copy(folder.path + "/" + name, to: path + "/" + name)
      }
      try FileSystem.createDirectory(path + "/" + Self.variablesFolder)
    } catch {
      throw ModelError(.run, .unwritable(path, detail: error.message))
    }
    try save(to: "\(path)/\(Self.variablesFolder)/variables")
  }
}

extension LoadedSavedModel {
  private func requireSaver() throws(ModelError) -> MetaGraph.Saver {
    guard let saver = metaGraph.saver else {
      throw ModelError(
        .runtime, .unsupported("saving the weights of a graph that has no saver"),
        file: folder.path)
    }
    return saver
  }

  private func output(_ name: String) throws(ModelError) -> TensorFlowGraph.Output {
    guard let place = graph.output(named: name) ?? graph.operation(named: name.nodeName) else {
      throw ModelError(.runtime, .modelRejected(detail: "its saver names '\(name)', which is gone"))
    }
    return place
  }

  private func filenameFeed(
    _ prefix: String, of saver: MetaGraph.Saver
  ) throws(ModelError) -> (place: TensorFlowGraph.Output, tensor: TensorFlowTensor) {
    let tensor = try TensorFlowTensor(strings: [Array(prefix.utf8)], [], of: graph.library)
    return (try output(saver.filenameTensor), tensor)
  }

  /// Sees that the files of a prefix are on the disk and not only on their way.
  private func syncFiles(_ prefix: String) throws(ModelError) {
    let parts = prefix.split(separator: "/", omittingEmptySubsequences: false)
    let folder = parts.count > 1 ? parts.dropLast().joined(separator: "/") : "."
    do throws(FileError) {
      for name in try FileSystem.entryNames(in: folder) where name.hasPrefix((parts.last ?? "") + ".") {
        try FileSystem.sync(folder + "/" + name)
      }
      try FileSystem.syncItem(folder)
    } catch {
      throw ModelError(.run, .unwritable(prefix, detail: error.message))
    }
  }
}

extension ModelError {
  /// The same, said as other files that cannot be written are: TensorFlow writes the system's words
  /// behind the file's name.
  fileprivate func asUnwritable(_ path: String) -> ModelError {
    guard case .callFailed(_, _, let message) = reason else { return self }
    let words = message.split(separator: ";").last?.drop { $0 == " " } ?? ""
    return ModelError(.run, .unwritable(path, detail: String(words)))
  }
}
