import TensorIOBundle
import TensorIOCore

/// A `MetaGraphDef` of a SavedModel, without its nodes.
struct MetaGraph: Sendable, Hashable {
  /// The tags by which a loader selects the graph.
  var tags: [String] = []
  /// The signatures, sorted by name.
  var signatures: [Signature] = []
  /// The saver of the variables, or `nil` if there is none.
  var saver: Saver?
  /// The operations that a loader runs after restoring the variables.
  var initializers: [String] = []
  /// The files whose paths a loader passes to the initializer.
  var assets: [Asset] = []
  /// The names of the variables that training optimizes, or `nil` if the file does not list them.
  var trainableVariables: Set<String>?
  /// The version of TensorFlow that wrote it.
  var tensorFlowVersion = ""

  /// A named list of inputs and outputs.
  struct Signature: Sendable, Hashable {
    let name: String
    var inputs: [SignatureTensor] = []
    var outputs: [SignatureTensor] = []
    /// The kind of computation, such as `tensorflow/serving/predict`.
    var methodName = ""
  }

  /// One input or output of a signature.
  struct SignatureTensor: Sendable, Hashable {
    /// The name in the signature.
    let key: String
    /// The name in the graph; empty for a composite tensor.
    var tensorName = ""
    /// The number of the type of the elements; 0 if the file does not state it.
    var elementType: UInt64 = 0
  }

  /// A file of the model's assets and the tensor that receives its path.
  struct Asset: Sendable, Hashable {
    var tensorName = ""
    /// The path relative to the folder of the assets.
    var fileName = ""

    /// The node that receives the path; `nil` if the path may lead out of the folder or the tensor
    /// is not the first output of a node.
    var pathNode: String? {
      guard BundlePath.rejectionReason(for: fileName) == nil,
        [tensorName.nodeName, tensorName.nodeName + ":0"].contains(tensorName)
      else { return nil }
      return tensorName.nodeName
    }
  }

  /// The names of the tensors and operations that save and restore variables.
  struct Saver: Sendable, Hashable {
    var filenameTensor = ""
    var saveTensor = ""
    var restoreOperation = ""
  }
}

extension MetaGraph {
  /// The maximum number of tags, of signatures, and of tensors on one side of a signature.
  static let maxEntries = 10_000
  /// The name of the signature that denotes an initializer.
  private static let initializerSignatureName = "__saved_model_init_op"

  /// Reads a meta graph and returns its nodes, which are large and not always needed, unparsed.
  static func read(
    _ message: ProtobufMessage
  ) throws(ProtobufError) -> (metaGraph: MetaGraph, graph: ProtobufMessage) {
    var metaGraph = MetaGraph()
    var (metaInfo, graph, saver): (ProtobufMessage?, ProtobufMessage?, ProtobufMessage?)
    var collectedAssets: [Asset] = []
    try message.forEachField { (field, value) throws(ProtobufError) in
      switch field {
      case 1: metaInfo = try value.singularMessage(previous: metaInfo)
      case 2: graph = try value.singularMessage(previous: graph)
      case 3: saver = try value.singularMessage(previous: saver)
      case 4:
        let entry = try value.message().mapEntry()
        try metaGraph.readInitializers(entry)
        if let assets = try Asset.read(collection: entry) { collectedAssets = assets }
        try metaGraph.readTrainableVariables(collection: entry)
      case 5: try metaGraph.readSignature(try value.message())
      case 6: metaGraph.assets.append(try Asset(try value.message()))
      // Only the names of variables are read from it, so that a fault in it is not an error.
      case 7: try? metaGraph.readTrainableVariables(objects: try value.message())
      default: break
      }
    }
    if let metaInfo { try metaGraph.readMetaInfo(metaInfo) }
    if let saver { metaGraph.saver = try Saver(saver) }
    // As TensorFlow does, a collection is used only without a list of its own.
    if metaGraph.assets.isEmpty { metaGraph.assets = collectedAssets }
    guard metaGraph.assets.count <= maxEntries else { throw .tooManyEntries }
    metaGraph.signatures.sort { $0.name < $1.name }
    return (metaGraph, graph ?? ProtobufMessage([]))
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

  /// Reads the initializer of graphs written by TensorFlow 1.
  private mutating func readInitializers(
    _ entry: (name: String, value: ProtobufMessage)
  ) throws(ProtobufError) {
    guard ["saved_model_main_op", "legacy_init_op"].contains(entry.name) else { return }
    try entry.value.forEachField { (field, value) throws(ProtobufError) in
      guard field == 1 else { return }
      try value.message().forEachField { (field, value) throws(ProtobufError) in
        if field == 1 { initializers.append(try value.string()) }
      }
    }
  }
}

extension MetaGraph {
  /// Reads the variables that graphs of TensorFlow 1 list in a collection.
  fileprivate mutating func readTrainableVariables(
    collection entry: (name: String, value: ProtobufMessage)
  ) throws(ProtobufError) {
    guard entry.name == "trainable_variables" else { return }
    var names: Set<String> = []
    try entry.value.forEachField { (field, value) throws(ProtobufError) in
      guard field == 2 else { return }
      try value.message().forEachField { (field, value) throws(ProtobufError) in
        guard field == 1 else { return }
        try value.message().forEachField { (field, value) throws(ProtobufError) in
          if field == 1 { names.insert(try value.string().nodeName) }
        }
      }
    }
    trainableVariables = names
  }

  /// Reads the trainable variables among the objects that TensorFlow 2 stores.
  fileprivate mutating func readTrainableVariables(
    objects graph: ProtobufMessage
  ) throws(ProtobufError) {
    var names: Set<String> = []
    try graph.forEachField { (field, value) throws(ProtobufError) in
      guard field == 1 else { return }
      try value.message().forEachField { (field, value) throws(ProtobufError) in
        guard field == 7 else { return }
        var (name, isTrainable) = ("", false)
        try value.message().forEachField { (field, value) throws(ProtobufError) in
          switch field {
          case 3: isTrainable = try value.integer() != 0
          case 6: name = try value.string()
          default: break
          }
        }
        if isTrainable, !name.isEmpty { names.insert(name.nodeName) }
      }
    }
    if trainableVariables == nil, !names.isEmpty { trainableVariables = names }
  }
}

extension MetaGraph.Asset {
  /// The collection that lists the assets in graphs written by TensorFlow 1.
  private static let collectionName = "saved_model_assets"

  fileprivate init(_ message: ProtobufMessage) throws(ProtobufError) {
    var tensor: ProtobufMessage?
    try message.forEachField { (field, value) throws(ProtobufError) in
      switch field {
      case 1: tensor = try value.singularMessage(previous: tensor)
      case 2: fileName = try value.string()
      default: break
      }
    }
    try tensor?.forEachField { (field, value) throws(ProtobufError) in
      if field == 1 { tensorName = try value.string() }
    }
  }

  /// Reads a collection, or returns `nil` if it is another one.
  ///
  /// A collection of another kind has no assets, because a loader would not find any.
  fileprivate static func read(
    collection entry: (name: String, value: ProtobufMessage)
  ) throws(ProtobufError) -> [MetaGraph.Asset]? {
    guard entry.name == collectionName else { return nil }
    var lists: [(field: UInt64, value: ProtobufMessage)] = []
    try entry.value.forEachField { (field, value) throws(ProtobufError) in
      lists.append((field, try value.message()))
    }
    guard lists.count == 1, lists[0].field == 5 else { return [] }
    var assets: [MetaGraph.Asset] = []
    try lists[0].value.forEachField { (field, value) throws(ProtobufError) in
      guard field == 1 else { return }
      var content: ProtobufMessage?
      try value.message().forEachField { (field, value) throws(ProtobufError) in
        if field == 2 { content = try value.singularMessage(previous: content) }
      }
      if let content { assets.append(try MetaGraph.Asset(content)) }
    }
    return assets
  }
}

extension MetaGraph.Saver {
  /// Reads a saver, or returns `nil` if it has no restore operation.
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
      switch field {
      case 1: tensorName = try value.string()
      case 2: elementType = (try? value.integer()).map(UInt64.init) ?? 0
      default: break
      }
    }
  }
}

extension MetaGraph {
  /// Returns a binding with all inputs and outputs of the default signature.
  ///
  /// - Throws: `ModelError` if the graph has no signature with outputs.
  func defaultBinding() throws(ModelError) -> ModelBinding {
    guard let signature = signatures(for: .predict).first(where: { !$0.outputs.isEmpty }) else {
      throw ModelError(
        .runtime, .modelRejected(detail: "the model has no signature with inputs and outputs"))
    }
    let description = ModelDescription(
      inputs: signature.inputs.map { $0.layer(avoiding: nodeNames) },
      outputs: signature.outputs.map { $0.layer(avoiding: nodeNames) })
    return ModelBinding(description, mode: .predict)
  }

  /// The names of the graph's nodes that occur in signatures.
  private var nodeNames: Set<String> {
    Set(signatures.flatMap { $0.inputs + $0.outputs }.map(\.tensorName.nodeName))
  }
}

extension MetaGraph.SignatureTensor {
  /// Returns a layer that is named after the key, or after the tensor if the key is the name of
  /// another node.
  fileprivate func layer(avoiding nodeNames: Set<String>) -> Layer {
    let isAmbiguous = nodeNames.contains(key) && tensorName != key && tensorName != key + ":0"
    let shape = TensorShape([])
    return Layer(name: isAmbiguous ? tensorName : key, kind: .array(NumericLayer(shape: shape)))
  }
}
