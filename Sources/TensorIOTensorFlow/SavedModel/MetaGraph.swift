import TensorIOBundle
import TensorIOCore

/// One of the graphs of a SavedModel, as far as a caller can name what is in it.
struct MetaGraph: Sendable, Hashable {
  /// The words by which a loader asks for it.
  var tags: [String] = []
  /// Its entry points, in the order of their names.
  var signatures: [Signature] = []
  /// How its variables are saved and restored; `nil` where they cannot be.
  var saver: Saver?
  /// The operations that a loader runs when the variables are there.
  var initializers: [String] = []
  /// The version of TensorFlow that wrote it.
  var tensorFlowVersion = ""

  /// A named list of inputs and outputs.
  struct Signature: Sendable, Hashable {
    let name: String
    var inputs: [SignatureTensor] = []
    var outputs: [SignatureTensor] = []
    /// What kind of computation it is.
    var methodName = ""
  }

  /// One input or output of a signature.
  struct SignatureTensor: Sendable, Hashable {
    /// The name by which the signature lists it.
    let key: String
    /// The name that it has in the graph; empty where it is made of several tensors.
    var tensorName = ""
  }

  /// The names by which a graph's variables are saved and restored.
  struct Saver: Sendable, Hashable {
    var filenameTensor = ""
    var saveTensor = ""
    var restoreOperation = ""
  }
}

extension MetaGraph {
  /// The most entries that a list of signatures, or of their inputs, may have.
  static let maxEntries = 10_000
  /// The name of the signature that stands for an operation which a loader runs.
  private static let initializerSignatureName = "__saved_model_init_op"

  /// Reads one, and gives its graph besides, which is large and soon done with.
  static func read(_ message: ProtobufMessage) throws(ProtobufError) -> (MetaGraph, graph: ProtobufMessage) {
    var read = MetaGraph()
    var (about, graph, saver): (ProtobufMessage?, ProtobufMessage?, ProtobufMessage?)
    try message.forEachField { (field, value) throws(ProtobufError) in
      switch field {
      case 1: about = try value.singularMessage(previous: about)
      case 2: graph = try value.singularMessage(previous: graph)
      case 3: saver = try value.singularMessage(previous: saver)
      case 4: try read.readCollection(try value.message())
      case 5: try read.readSignature(try value.message())
      default: break
      }
    }
    if let about { try read.readMetaInfo(about) }
    if let saver { read.saver = try Saver(saver) }
    read.signatures.sort { $0.name < $1.name }
    return (read, graph ?? ProtobufMessage([]))
  }

  private mutating func readMetaInfo(_ message: ProtobufMessage) throws(ProtobufError) {
    try message.forEachField { (field, value) throws(ProtobufError) in
      switch field {
      case 4: tags.append(try value.string())
      case 5: tensorFlowVersion = try value.string()
      default: break
      }
    }
    guard tags.count <= Self.maxEntries else { throw .tooManyEntries }
  }

  private mutating func readSignature(_ message: ProtobufMessage) throws(ProtobufError) {
    let entry = try message.mapEntry()
    let signature = try Signature(name: entry.name, entry.value)
    guard entry.name != Self.initializerSignatureName else {
      initializers += signature.outputs.map(\.tensorName)
      return
    }
    signatures.append(signature)
    guard signatures.count <= Self.maxEntries else { throw .tooManyEntries }
  }

  /// Old graphs name their initializer in a collection.
  private mutating func readCollection(_ message: ProtobufMessage) throws(ProtobufError) {
    let entry = try message.mapEntry()
    guard ["saved_model_main_op", "legacy_init_op"].contains(entry.name) else { return }
    try entry.value.forEachField { (field, value) throws(ProtobufError) in
      guard field == 1 else { return }
      try value.message().forEachField { (field, value) throws(ProtobufError) in
        if field == 1 { initializers.append(try value.string()) }
      }
    }
  }
}

extension MetaGraph.Saver {
  /// A saver that names nothing is none.
  fileprivate init?(_ message: ProtobufMessage) throws(ProtobufError) {
    try message.forEachField { (field, value) throws(ProtobufError) in
      switch field {
      case 1: filenameTensor = try value.string()
      case 2: saveTensor = try value.string()
      case 3: restoreOperation = try value.string()
      default: break
      }
    }
    if restoreOperation.isEmpty { return nil }
  }
}

extension MetaGraph.Signature {
  fileprivate init(name: String, _ message: ProtobufMessage) throws(ProtobufError) {
    self.init(name: name)
    try message.forEachField { (field, value) throws(ProtobufError) in
      switch field {
      case 1: inputs.append(try MetaGraph.SignatureTensor(try value.message()))
      case 2: outputs.append(try MetaGraph.SignatureTensor(try value.message()))
      case 3: methodName = try value.string()
      default: break
      }
    }
    guard max(inputs.count, outputs.count) <= MetaGraph.maxEntries else { throw .tooManyEntries }
    inputs.sort { $0.key < $1.key }
    outputs.sort { $0.key < $1.key }
  }
}

extension MetaGraph.SignatureTensor {
  fileprivate init(_ message: ProtobufMessage) throws(ProtobufError) {
    let entry = try message.mapEntry()
    self.init(key: entry.name)
    try entry.value.forEachField { (field, value) throws(ProtobufError) in
      if field == 1 { tensorName = try value.string() }
    }
  }
}

extension MetaGraph {
  /// The use that a graph's own signature makes of it.
  func defaultBinding() throws(ModelError) -> ModelBinding {
    guard let signature = signatures(for: .predict).first(where: { !$0.outputs.isEmpty }) else {
      throw ModelError(
        .runtime, .modelRejected(detail: "it has no signature that says what goes in and comes out")
      )
    }
    let description = ModelDescription(
      inputs: signature.inputs.map { $0.layer(avoiding: nodeNames) },
      outputs: signature.outputs.map { $0.layer(avoiding: nodeNames) })
    return ModelBinding(description, mode: .predict)
  }

  /// The names that the signatures know of the graph's own.
  private var nodeNames: Set<String> {
    Set(signatures.flatMap { $0.inputs + $0.outputs }.map(\.tensorName.nodeName))
  }
}

extension MetaGraph.SignatureTensor {
  /// A layer for the tensor, by its key; by its own name where the key means another tensor.
  fileprivate func layer(avoiding graphNames: Set<String>) -> Layer {
    let isOther = graphNames.contains(key) && tensorName != key && tensorName != key + ":0"
    let shape = TensorShape([])
    return Layer(name: isOther ? tensorName : key, kind: .array(NumericLayer(shape: shape)))
  }
}
