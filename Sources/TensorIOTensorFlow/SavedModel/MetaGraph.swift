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
  var writer = ""

  /// A named list of inputs and outputs.
  struct Signature: Sendable, Hashable {
    let name: String
    var inputs: [Entry] = []
    var outputs: [Entry] = []
    /// What kind of computation it is.
    var method = ""
  }

  /// One input or output of a signature.
  struct Entry: Sendable, Hashable {
    /// The name by which the signature lists it.
    let key: String
    /// The name that it has in the graph; empty where it is made of several tensors.
    var tensor = ""
  }

  /// The names by which a graph's variables are saved and restored.
  struct Saver: Sendable, Hashable {
    var fileNameTensor = ""
    var saveTensor = ""
    var restoreOperation = ""
  }
}

extension MetaGraph {
  /// The most entries that a list of signatures, or of their inputs, may have.
  static let longestList = 10_000
  /// The name of the signature that stands for an operation which a loader runs.
  private static let initializerName = "__saved_model_init_op"

  /// Reads one, and gives its graph besides, which is large and soon done with.
  static func read(_ message: WireMessage) throws(WireFault) -> (MetaGraph, graph: WireMessage) {
    var read = MetaGraph()
    var (about, graph, saver): (WireMessage?, WireMessage?, WireMessage?)
    try message.forEachField { (field, value) throws(WireFault) in
      switch field {
      case 1: about = try value.message(inPlaceOf: about)
      case 2: graph = try value.message(inPlaceOf: graph)
      case 3: saver = try value.message(inPlaceOf: saver)
      case 4: try read.readCollection(try value.message())
      case 5: try read.readSignature(try value.message())
      default: break
      }
    }
    if let about { try read.readAbout(about) }
    if let saver { read.saver = try Saver(saver) }
    read.signatures.sort { $0.name < $1.name }
    return (read, graph ?? WireMessage([]))
  }

  private mutating func readAbout(_ message: WireMessage) throws(WireFault) {
    try message.forEachField { (field, value) throws(WireFault) in
      switch field {
      case 4: tags.append(try value.text())
      case 5: writer = try value.text()
      default: break
      }
    }
    guard tags.count <= Self.longestList else { throw .entries }
  }

  private mutating func readSignature(_ message: WireMessage) throws(WireFault) {
    let entry = try message.entry()
    let signature = try Signature(name: entry.name, entry.value)
    guard entry.name != Self.initializerName else {
      initializers += signature.outputs.map(\.tensor)
      return
    }
    signatures.append(signature)
    guard signatures.count <= Self.longestList else { throw .entries }
  }

  /// Old graphs name their initializer in a collection.
  private mutating func readCollection(_ message: WireMessage) throws(WireFault) {
    let entry = try message.entry()
    guard ["saved_model_main_op", "legacy_init_op"].contains(entry.name) else { return }
    try entry.value.forEachField { (field, value) throws(WireFault) in
      guard field == 1 else { return }
      try value.message().forEachField { (field, value) throws(WireFault) in
        if field == 1 { initializers.append(try value.text()) }
      }
    }
  }
}

extension MetaGraph.Saver {
  /// A saver that names nothing is none.
  fileprivate init?(_ message: WireMessage) throws(WireFault) {
    try message.forEachField { (field, value) throws(WireFault) in
      switch field {
      case 1: fileNameTensor = try value.text()
      case 2: saveTensor = try value.text()
      case 3: restoreOperation = try value.text()
      default: break
      }
    }
    if restoreOperation.isEmpty { return nil }
  }
}

extension MetaGraph.Signature {
  fileprivate init(name: String, _ message: WireMessage) throws(WireFault) {
    self.init(name: name)
    try message.forEachField { (field, value) throws(WireFault) in
      switch field {
      case 1: inputs.append(try MetaGraph.Entry(try value.message()))
      case 2: outputs.append(try MetaGraph.Entry(try value.message()))
      case 3: method = try value.text()
      default: break
      }
    }
    guard max(inputs.count, outputs.count) <= MetaGraph.longestList else { throw .entries }
    inputs.sort { $0.key < $1.key }
    outputs.sort { $0.key < $1.key }
  }
}

extension MetaGraph.Entry {
  fileprivate init(_ message: WireMessage) throws(WireFault) {
    let entry = try message.entry()
    self.init(key: entry.name)
    try entry.value.forEachField { (field, value) throws(WireFault) in
      if field == 1 { tensor = try value.text() }
    }
  }
}
