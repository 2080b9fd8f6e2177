internal import TensorIOCore
internal import TensorIOSystem

/// What is done before a graph is loaded, lest it do more than compute.
enum GraphCaution {
  case none
  case review
  /// A review of what cannot be changed before it is loaded.
  case reviewOfCopy
}

/// One graph of a SavedModel with its variables in memory.
final class LoadedWeights: Sendable {
  let folder: ModelFile
  let facts: MetaGraph
  let graph: LoadedGraph
  /// The modes that this graph is for.
  let modes: [ModelMode]
  /// What the graph does besides computing; `nil` where that does not matter.
  private let review: GraphReview?

  /// Reviews the graph for a use, then loads it.
  init(
    _ folder: ModelFile, _ savedModel: SavedModelFile, for use: ModelUse,
    _ caution: GraphCaution, in library: TensorFlowLibrary
  ) throws(ModelError) {
    let (facts, message) = try savedModel.graph(for: use.mode)
    let nodes = try GraphNodes(reading: message)
    self.folder = folder
    self.facts = facts
    modes = ModelMode.allCases.filter { (try? savedModel.graph(for: $0))?.facts.tags == facts.tags }
    review = caution == .none ? nil : GraphReview(nodes, saver: facts.saver)
    try review?.requireListed { library.operators }
    try review?.requireHarmlessLoading(facts)
    try Self.requireVariables(of: facts, nodes, in: folder)
    do throws(ModelError) {
      graph =
        try caution == .reviewOfCopy
        ? Self.load(savedModel, of: folder, tags: facts.tags, threads: use.threads, library)
        : LoadedGraph(folder: folder.path, tags: facts.tags, threads: use.threads, library)
    } catch {
      let gone = nodes.operators.subtracting(library.operators)
      throw gone.isEmpty ? error : ModelError(.runtime, .missingOperators(gone.sorted()))
    }
  }

  /// Loads what was reviewed, whatever lies in the folder meanwhile.
  private static func load(
    _ savedModel: SavedModelFile, of folder: ModelFile, tags: [String], threads: Int,
    _ library: TensorFlowLibrary
  ) throws(ModelError) -> LoadedGraph {
    try savedModel.withSnapshot(of: folder) { (snapshot) throws(ModelError) in
      do throws(ModelError) {
        return try LoadedGraph(folder: snapshot, tags: tags, threads: threads, library)
      } catch {
        throw error.naming(folder.path, insteadOf: snapshot)
      }
    }
  }

  /// Throws when a run for a use would read or write files.
  func requireHarmless(_ use: BoundUse) throws(ModelError) {
    for name in use.operationNames(in: graph) { try review?.requireHarmlessRun(name) }
  }

  /// TensorFlow loads a graph without its variables, and fails when it is run.
  private static func requireVariables(
    of facts: MetaGraph, _ nodes: GraphNodes, in folder: ModelFile
  ) throws(ModelError) {
    let name = "variables/variables.index"
    guard facts.saver != nil, nodes.hasVariables, FileKind(at: folder.path + "/" + name) != .file
    else { return }
    throw ModelError(.bundle, .missingFile(folder.name + "/" + name))
  }
}

extension ModelError {
  /// The same, in the words of the place that the user knows.
  fileprivate func naming(_ path: String, insteadOf other: String) -> ModelError {
    guard case .modelRefused(let problem) = reason else { return self }
    return ModelError(stage, .modelRefused(problem: problem.replacing(other, with: path)))
  }
}

extension GraphNodes {
  /// Reads the graph of a SavedModel.
  fileprivate init(reading message: WireMessage) throws(ModelError) {
    do throws(WireFault) {
      try self.init(message)
    } catch {
      throw ModelError(.runtime, .modelRefused(problem: "its graph is damaged: \(error.rawValue)"))
    }
  }

  /// The operators that nodes have, without the functions of the graph itself.
  fileprivate var operators: Set<String> {
    Set(allNodes.lazy.map(\.operation)).subtracting(functions.keys)
  }

  /// Whether there are values that a file has to give.
  fileprivate var hasVariables: Bool {
    nodes.contains { ["VarHandleOp", "VariableV2", "Variable"].contains($0.operation) }
  }
}
