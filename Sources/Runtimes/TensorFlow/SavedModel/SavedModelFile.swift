import Synchronization
import TensorIOBundle
import TensorIOCore
import TensorIOSystem

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// The file `saved_model.pb` of a SavedModel folder.
struct SavedModelFile: Sendable {
  static let name = "saved_model.pb"
  /// The maximum file size, which is that of a protobuf message.
  static let maxByteCount = 2 << 30
  /// The maximum number of graphs.
  static let maxGraphs = 64

  /// The contents of the file.
  let bytes: [UInt8]
  /// The graphs with their unparsed nodes.
  private(set) var graphs: [(metaGraph: MetaGraph, graph: ProtobufMessage)] = []

  /// Reads the file in a SavedModel folder.
  init(folder: ModelFile) throws(ModelError) {
    guard FileKind(at: folder.path) == .directory else {
      throw ModelError(
        .runtime,
        .modelRejected(detail: "not a SavedModel: expected a folder with \(Self.name)"),
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
        .runtime, .modelRejected(detail: "\(name) is corrupt: \(error.rawValue)"),
        file: folder.path)
    }
  }

  /// Reads the contents of a `saved_model.pb`.
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
  /// Returns the graph with the mode's tag, or the only graph if there is just one.
  ///
  /// - Throws: `ModelError` if several graphs exist and none has the tag.
  func graph(
    for mode: ModelMode
  ) throws(ModelError) -> (metaGraph: MetaGraph, graph: ProtobufMessage) {
    // TensorFlow compares tags as sets; the reviewed graph must be the one that it loads.
    let tagged = graphs.first { Set($0.metaGraph.tags) == [mode.tag] }
    if let graph = tagged ?? graphs.first(where: { $0.metaGraph.tags.contains(mode.tag) }) {
      return graph
    }
    guard graphs.count == 1 else { throw ModelError(.runtime, missingGraph(for: mode)) }
    return graphs[0]
  }

  private func missingGraph(for mode: ModelMode) -> ModelError.Reason {
    guard !graphs.isEmpty else {
      return .modelRejected(detail: "\(Self.name) contains no graph")
    }
    let tags = graphs.map { "'\($0.metaGraph.tags.joined(separator: ", "))'" }
      .joined(separator: "; ")
    return .modelRejected(
      detail: "no graph has the tag '\(mode.tag)' for mode '\(mode.rawValue)'; tags: \(tags)")
  }
}

extension ModelMode {
  /// The tag of the mode's graph.
  var tag: String {
    switch self {
    case .predict: "serve"
    case .train: "train"
    case .evaluate: "eval"
    }
  }

  /// The names of the signatures that are searched first for the key of a layer.
  var signatureNames: [String] {
    switch self {
    case .predict: ["serving_default", "predict"]
    case .train: ["train", "serving_default"]
    case .evaluate: ["eval", "serving_default"]
    }
  }
}

extension MetaGraph {
  /// Returns the signature that a binding names, or else all, those of its mode first.
  ///
  /// - Throws: `ModelError` with a diagnostic if there is no signature of the name.
  func signatures(for binding: ModelBinding) throws(ModelError) -> [Signature] {
    guard let name = binding.signature else { return signatures(for: binding.mode) }
    guard let signature = signatures.first(where: { $0.name == name }) else {
      throw ModelBinding.unknownSignature(name, among: signatures.map(\.name).sorted())
    }
    return [signature]
  }

  /// Returns the signatures, those of the mode first.
  func signatures(for mode: ModelMode) -> [Signature] {
    let first = mode.signatureNames.compactMap { name in signatures.first { $0.name == name } }
    return first + signatures.filter { !first.contains($0) }
  }
}

extension SavedModelFile {
  /// Calls `body` with the path of a temporary SavedModel folder that contains the reviewed bytes.
  ///
  /// TensorFlow loads models only from folders. Without the snapshot, a process that can write to
  /// the bundle could replace the graph between the review and the load. The variables and assets
  /// are symbolic links; they contain data, not operators.
  func withSnapshot<Value>(
    of model: ModelFile, _ body: (String) throws(ModelError) -> Value
  ) throws(ModelError) -> Value {
    let folder = try Self.mappingWriteErrors { try SnapshotFolder() }
    defer { folder.remove() }
    try Self.mappingWriteErrors {
      try AtomicFile.write(bytes, to: folder.path + "/" + Self.name, isDurable: false)
      try Self.linkSubfolders(of: FilePath.resolved(model.path) ?? model.path, into: folder.path)
    }
    return try body(folder.path)
  }

  private static func linkSubfolders(of model: String, into folder: String) throws {
    for name in try FileSystem.entryNames(in: model)
    where FileKind(at: model + "/" + name) == .directory {
      try FileManager.default.createSymbolicLink(
        atPath: folder + "/" + name, withDestinationPath: model + "/" + name)
    }
  }

  private static func mappingWriteErrors<Value>(_ body: () throws -> Value) throws(ModelError)
    -> Value
  {
    do {
      return try body()
    } catch {
      let detail = (error as? FileError)?.message ?? "\(error)"
      throw ModelError(.runtime, .unwritable("a temporary folder", detail: detail))
    }
  }
}

/// A temporary folder for the snapshot of a graph, at a path that is reused.
///
/// TensorFlow retains a metric for each loaded folder for the life of the process, which takes 2 kB for
/// each new path.
struct SnapshotFolder {
  private static let reusablePaths = Mutex<[String]>([])
  private let folder: TemporaryDirectory

  var path: String { folder.path }

  init() throws(FileError) {
    if let reused = Self.reuse() {
      folder = reused
    } else {
      folder = try TemporaryDirectory(prefix: "tensorio-graph")
    }
  }

  /// Returns a folder at a path that was used before, or `nil` if all are in use or occupied.
  private static func reuse() -> TemporaryDirectory? {
    let path = reusablePaths.withLock { $0.popLast() }
    return path.flatMap { try? TemporaryDirectory(recreating: $0) }
  }

  /// Removes the folder and makes its path available for reuse.
  func remove() {
    folder.remove()
    Self.reusablePaths.withLock { $0.append(folder.path) }
  }
}
