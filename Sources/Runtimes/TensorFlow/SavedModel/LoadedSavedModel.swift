import Synchronization
import TensorIOBundle
import TensorIOCore
import TensorIOSystem

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// The review of a graph before it is loaded.
enum GraphReviewPolicy {
  /// Loads the graph without a review.
  case none
  /// Reviews the graph in place.
  case review
  /// Reviews the graph and loads a snapshot of the reviewed bytes.
  case reviewSnapshot
}

/// A graph of a SavedModel with its variables in memory.
final class LoadedSavedModel: Sendable {
  let folder: ModelFile
  let metaGraph: MetaGraph
  let graph: TensorFlowGraph
  /// The modes that use this graph.
  let modes: [ModelMode]
  /// The review of the graph, or `nil` if the graph is trusted.
  private let review: GraphReview?
  /// What the graph does with its variables; `nil` if it was not loaded for training.
  private let variableUse: VariableUse?
  /// The variables, once they have been accessed.
  private let cachedVariables = Mutex<TensorFlowVariables?>(nil)

  /// Reviews and loads the graph for a binding.
  init(
    _ folder: ModelFile, _ savedModel: SavedModelFile, for binding: ModelBinding,
    _ reviewPolicy: GraphReviewPolicy, in library: TensorFlowLibrary
  ) throws(ModelError) {
    let (metaGraph, message) = try savedModel.graph(for: binding.mode)
    let definition = try GraphDefinition(reading: message)
    self.folder = folder
    self.metaGraph = metaGraph
    modes = ModelMode.allCases.filter {
      (try? savedModel.graph(for: $0))?.metaGraph.tags == metaGraph.tags
    }
    variableUse =
      binding.operations.isEmpty ? nil : VariableUse(definition, metaGraph, binding)
    review = reviewPolicy == .none ? nil : GraphReview(definition, metaGraph)
    try review?.requireAllowedOperators { library.operators }
    try review?.requireSafeLoading(metaGraph)
    if let review, !review.nodesInitializingTables.isEmpty {
      for asset in metaGraph.assets { try Self.requireFile(of: asset, in: folder) }
    }
    try Self.requireVariablesFile(of: metaGraph, definition, in: folder)
    let (tags, threads) = (metaGraph.tags, binding.threads)
    do throws(ModelError) {
      graph =
        try reviewPolicy == .reviewSnapshot
        ? Self.loadSnapshot(savedModel, of: folder, tags: tags, threads: threads, library)
        : TensorFlowGraph(folder: folder.path, tags: tags, threads: threads, library)
    } catch {
      let missing = definition.operators.subtracting(library.operators)
      throw missing.isEmpty ? error : ModelError(.runtime, .missingOperators(missing.sorted()))
    }
  }

  /// Throws if an asset is missing or a link that leads out of the model's folder.
  private static func requireFile(
    of asset: MetaGraph.Asset, in folder: ModelFile
  ) throws(ModelError) {
    let name = "assets/" + asset.fileName
    guard let path = FilePath.resolved(folder.path + "/" + name), FileKind(at: path) == .file else {
      throw ModelError(.bundle, .missingFile(folder.name + "/" + name))
    }
    guard let root = FilePath.resolved(folder.path), path.hasPrefix(root + "/") else {
      throw ModelError(.bundle, .unsafeName(folder.name + "/" + name))
    }
  }

  /// Loads the reviewed bytes instead of the files in the folder.
  private static func loadSnapshot(
    _ savedModel: SavedModelFile, of folder: ModelFile, tags: [String], threads: Int,
    _ library: TensorFlowLibrary
  ) throws(ModelError) -> TensorFlowGraph {
    try savedModel.withSnapshot(of: folder) { (snapshot) throws(ModelError) in
      do throws(ModelError) {
        return try TensorFlowGraph(folder: snapshot, tags: tags, threads: threads, library)
      } catch {
        throw error.replacingSnapshotPath(snapshot, with: folder.path)
      }
    }
  }

  /// Throws if a run for the binding would read or write files.
  func requireSafe(_ binding: ResolvedBinding) throws(ModelError) {
    try requireSafe(binding.outputs.map(\.output) + binding.trainingOperations)
  }

  /// Throws if computing some outputs would read or write files.
  func requireSafe(_ outputs: [TensorFlowGraph.Output]) throws(ModelError) {
    for output in outputs { try review?.requireSafeRun(graph.operationName(of: output)) }
  }

  /// Requires the variables file, because TensorFlow loads a graph without it and the first run
  /// fails.
  private static func requireVariablesFile(
    of metaGraph: MetaGraph, _ definition: GraphDefinition, in folder: ModelFile
  ) throws(ModelError) {
    let name = "variables/variables.index"
    guard metaGraph.saver != nil, definition.hasVariables,
      FileKind(at: folder.path + "/" + name) != .file
    else { return }
    throw ModelError(.bundle, .missingFile(folder.name + "/" + name))
  }
}

extension ModelError {
  /// Returns the error with the path of the snapshot replaced by the model's path.
  fileprivate func replacingSnapshotPath(_ snapshot: String, with path: String) -> ModelError {
    guard case ModelError.modelRejected = self, let detail = text("detail") else {
      return self
    }
    return ModelError(stage, .modelRejected(detail: detail.replacing(snapshot, with: path)))
  }
}

extension GraphDefinition {
  /// Parses the nodes of a graph.
  init(reading message: ProtobufMessage) throws(ModelError) {
    do throws(ProtobufError) {
      try self.init(message)
    } catch {
      throw ModelError(.runtime, .modelRejected(detail: "the graph is corrupt: \(error.rawValue)"))
    }
  }

  /// The operators of all nodes, except for functions of the graph.
  fileprivate var operators: Set<String> {
    Set(allNodes.lazy.map(\.op)).subtracting(functions.keys)
  }

  /// Whether the graph has variables.
  fileprivate var hasVariables: Bool {
    nodes.contains(where: \.isVariable)
  }
}

extension LoadedSavedModel {
  /// Returns the variables, which are prepared on first use.
  func variables() throws(ModelError) -> TensorFlowVariables {
    try cachedVariables.withLock { (cached) throws(ModelError) in
      if let cached { return cached }
      let variables = try TensorFlowVariables(
        of: graph, used: variableUse?.usedVariables, trainable: metaGraph.trainableVariables)
      cached = variables
      return variables
    }
  }
}

extension LoadedSavedModel {
  /// Returns how to compute the outputs of a binding without a training step.
  func evaluation(of binding: ResolvedBinding) -> ResolvedBinding.Evaluation {
    guard let variableUse, binding.trains(variableUse, in: graph) else { return .outputs }
    return metaGraph.signatures(for: .evaluate).lazy.compactMap { [graph] signature in
      binding.evaluation(by: signature, in: graph, variableUse)
    }.first ?? .none
  }
}

extension LoadedSavedModel {
  /// The folder that contains the variables.
  private static let variablesFolder = "variables"
  /// The file with a digest of the variables, which is invalid for new weights.
  private static let fingerprintFileName = "fingerprint.pb"

  /// Writes the variables to files whose paths begin with `prefix`.
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

  /// Reads the variables from files whose paths begin with `prefix`.
  func restore(from prefix: String) throws(ModelError) {
    let saver = try requireSaver()
    guard FileKind(at: prefix + ".index") == .file else {
      throw ModelError(.bundle, .missingFile(prefix + ".index"))
    }
    let run = GraphRun(
      feeds: [try filenameFeed(prefix, of: saver)], targets: [try output(saver.restoreOperation)])
    _ = try graph.run(run)
  }

  /// Writes a SavedModel with the current variables to a new folder.
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
        .runtime, .unsupported("saving or restoring the weights of a graph without a saver"),
        file: folder.path)
    }
    return saver
  }

  private func output(_ name: String) throws(ModelError) -> TensorFlowGraph.Output {
    guard let output = graph.output(named: name) ?? graph.operation(named: name.nodeName) else {
      throw ModelError(
        .runtime, .modelRejected(detail: "the saver refers to '\(name)', which does not exist"))
    }
    return output
  }

  private func filenameFeed(
    _ prefix: String, of saver: MetaGraph.Saver
  ) throws(ModelError) -> (output: TensorFlowGraph.Output, tensor: TensorFlowTensor) {
    let tensor = try TensorFlowTensor(strings: [Array(prefix.utf8)], [], of: graph.library)
    return (try output(saver.filenameTensor), tensor)
  }

  /// Flushes the files of a prefix and their folder to disk.
  private func syncFiles(_ prefix: String) throws(ModelError) {
    let parts = prefix.split(separator: "/", omittingEmptySubsequences: false)
    let folder = parts.count > 1 ? parts.dropLast().joined(separator: "/") : "."
    do throws(FileError) {
      for name in try FileSystem.entryNames(in: folder)
      where name.hasPrefix((parts.last ?? "") + ".") {
        try FileSystem.sync(folder + "/" + name)
      }
      try FileSystem.syncItem(folder)
    } catch {
      throw ModelError(.run, .unwritable(prefix, detail: error.message))
    }
  }
}

extension ModelError {
  /// Converts an error of a call to one for a file that cannot be written.
  ///
  /// TensorFlow's message is the file name followed by the system's message after a semicolon.
  fileprivate func asUnwritable(_ path: String) -> ModelError {
    guard case ModelError.callFailed = self, let message = text("message") else {
      return self
    }
    let detail = message.split(separator: ";").last?.drop { $0 == " " } ?? ""
    return ModelError(.run, .unwritable(path, detail: String(detail)))
  }
}
