import Synchronization
import TensorIOBundle
import TensorIOSystem

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// The description of a SavedModel: the file `saved_model.pb` of its folder.
struct SavedModelFile: Sendable {
  static let name = "saved_model.pb"
  /// The longest file that is read; protobuf ends here.
  static let maxByteCount = 2 << 30
  /// The most graphs that are told apart.
  static let maxGraphs = 64

  /// All bytes of the file.
  let bytes: [UInt8]
  /// The graphs, each with the bytes of its nodes.
  private(set) var graphs: [(facts: MetaGraph, graph: ProtobufMessage)] = []

  /// Reads the file in a folder.
  init(folder: ModelFile) throws(ModelError) {
    guard FileKind(at: folder.path) == .directory else {
      throw ModelError(
        .runtime,
        .modelRejected(detail: "it is no SavedModel, which is a folder with \(Self.name)"),
        file: folder.path)
    }
    let name = folder.name + "/" + Self.name
    let bytes: [UInt8]
    do throws(FileError) {
      bytes = try FileBytes.contents(of: folder.path + "/" + Self.name, limit: Self.maxByteCount)
    } catch {
      throw ModelError(.bundle, error.reason(named: name), file: folder.path)
    }
    try folder.verify(bytes: bytes, of: Self.name)
    do throws(ProtobufError) {
      try self.init(bytes)
    } catch {
      throw ModelError(
        .runtime, .modelRejected(detail: "\(name) is damaged: \(error.rawValue)"),
        file: folder.path)
    }
  }

  /// Reads the bytes of such a file.
  init(_ bytes: [UInt8]) throws(ProtobufError) {
    self.bytes = bytes
    try ProtobufMessage(bytes).forEachField { (field, value) throws(ProtobufError) in
      guard field == 2 else { return }
      graphs.append(try MetaGraph.read(try value.message()))
      guard graphs.count <= Self.maxGraphs else { throw .tooManyEntries }
    }
  }
}

extension SavedModelFile {
  /// The graph for a mode: the one with the mode's tag, or the only one there is.
  func graph(for mode: ModelMode) throws(ModelError) -> (facts: MetaGraph, graph: ProtobufMessage) {
    // As TensorFlow chooses, to whom tags are a set: it loads what is reviewed.
    let tagged = graphs.first { Set($0.facts.tags) == [mode.tag] }
    if let found = tagged ?? graphs.first(where: { $0.facts.tags.contains(mode.tag) }) {
      return found
    }
    guard graphs.count == 1 else { throw ModelError(.runtime, noGraph(for: mode)) }
    return graphs[0]
  }

  private func noGraph(for mode: ModelMode) -> ModelError.Reason {
    guard !graphs.isEmpty else {
      return .modelRejected(detail: "its saved_model.pb holds no graph")
    }
    let tags = graphs.map { "'\($0.facts.tags.joined(separator: ", "))'" }.joined(separator: "; ")
    return .modelRejected(
      detail: "no graph has the tag '\(mode.tag)' of the mode '\(mode.rawValue)'; tags are \(tags)"
    )
  }
}

extension ModelMode {
  /// The tag that TensorFlow gives the graphs of a mode.
  var tag: String {
    switch self {
    case .predict: "serve"
    case .train: "train"
    case .evaluate: "eval"
    }
  }

  /// The names of the signatures in which a layer's key is looked for first.
  var signatureNames: [String] {
    switch self {
    case .predict: ["serving_default", "predict"]
    case .train: ["train", "serving_default"]
    case .evaluate: ["eval", "serving_default"]
    }
  }
}

extension MetaGraph {
  /// The signatures, those of a mode first.
  func signatures(for mode: ModelMode) -> [Signature] {
    let first = mode.signatureNames.compactMap { name in signatures.first { $0.name == name } }
    return first + signatures.filter { !first.contains($0) }
  }
}

extension SavedModelFile {
  /// Lends a folder of our own in which the description is the very bytes that were reviewed.
  ///
  /// TensorFlow loads folders and no memory, and whoever may write to a bundle could exchange its
  /// graph between the review and the loading. The other folders are linked to: what they hold is
  /// numbers, which may be wrong, and do nothing.
  func withSnapshot<Value>(
    of model: ModelFile, _ body: (String) throws(ModelError) -> Value
  ) throws(ModelError) -> Value {
    let folder = try Self.mappingWriteErrors { try SnapshotFolder() }
    defer { folder.remove() }
    try Self.mappingWriteErrors {
      try AtomicFile.write(bytes, to: folder.path + "/" + Self.name)
      try Self.linkSubfolders(of: FilePath.resolved(model.path) ?? model.path, into: folder.path)
    }
    return try body(folder.path)
  }

  private static func linkSubfolders(of model: String, into folder: String) throws {
    for name in try FileSystem.entryNames(in: model) where FileKind(at: model + "/" + name) == .directory {
      try FileManager.default.createSymbolicLink(
        atPath: folder + "/" + name, withDestinationPath: model + "/" + name)
    }
  }

  private static func mappingWriteErrors<Value>(_ body: () throws -> Value) throws(ModelError) -> Value {
    do {
      return try body()
    } catch {
      let problem = (error as? FileError)?.message ?? "\(error)"
      throw ModelError(.runtime, .unwritable("a temporary folder", detail: problem))
    }
  }
}

/// A folder for the snapshot of a graph, under a name that was used before, where there is one.
///
/// TensorFlow counts what it loads by the names of the folders, and forgets none of them: 2 kB for each
/// new one, for as long as the process lives.
struct SnapshotFolder {
  private static let reusablePaths = Mutex<[String]>([])
  private let folder: TemporaryDirectory

  var path: String { folder.path }

  init() throws(FileError) {
    if let known = Self.reuse() {
      folder = known
    } else {
      folder = try TemporaryDirectory(prefix: "tensorio-graph")
    }
  }

  /// `nil` where all are in use, or somebody else has taken the name.
  private static func reuse() -> TemporaryDirectory? {
    let path = reusablePaths.withLock { $0.popLast() }
    return path.flatMap { try? TemporaryDirectory(recreating: $0) }
  }

  /// Removes the folder, and keeps its name for the next.
  func remove() {
    folder.remove()
    Self.reusablePaths.withLock { $0.append(folder.path) }
  }
}
