internal import TensorIOCore
internal import TensorIOSystem

/// The description of a SavedModel: the file `saved_model.pb` of its folder.
struct SavedModelFile: Sendable {
  static let name = "saved_model.pb"
  /// The longest file that is read; protobuf ends here.
  static let limit = 2 << 30
  /// The most graphs that are told apart.
  static let mostGraphs = 64

  /// All bytes of the file.
  let bytes: [UInt8]
  /// The graphs, each with the bytes of its nodes.
  private(set) var graphs: [(facts: MetaGraph, graph: WireMessage)] = []

  /// Reads the file in a folder.
  init(folder: ModelFile) throws(ModelError) {
    guard FileKind(at: folder.path) == .folder else {
      throw ModelError(
        .runtime,
        .modelRefused(problem: "it is no SavedModel, which is a folder with \(Self.name)"),
        file: folder.path)
    }
    let name = folder.name + "/" + Self.name
    let bytes: [UInt8]
    do throws(FileFault) {
      bytes = try FileBytes.contents(of: folder.path + "/" + Self.name, limit: Self.limit)
    } catch {
      throw ModelError(.bundle, error.reason(named: name), file: folder.path)
    }
    try folder.check(bytes: bytes, of: Self.name)
    do throws(WireFault) {
      try self.init(bytes)
    } catch {
      throw ModelError(
        .runtime, .modelRefused(problem: "\(name) is damaged: \(error.rawValue)"),
        file: folder.path)
    }
  }

  /// Reads the bytes of such a file.
  init(_ bytes: [UInt8]) throws(WireFault) {
    self.bytes = bytes
    try WireMessage(bytes).forEachField { (field, value) throws(WireFault) in
      guard field == 2 else { return }
      graphs.append(try MetaGraph.read(try value.message()))
      guard graphs.count <= Self.mostGraphs else { throw .entries }
    }
  }
}
