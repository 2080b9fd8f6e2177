package import TensorIOBundle
package import TensorIOCore

extension TensorFlowBackend: HeadWritingBackend {
  /// Returns `saved_model.pb` of a folder, and the name of the node with the probabilities.
  package func location(ofHeadIn file: ModelFile) throws(ModelError) -> HeadLocation {
    let nodes = try Self.graph(in: try SavedModelFile(folder: file)).definition.nodes
      .filter { !$0.isPartOfHead }
    // Classifiers often have a node with the first name.
    let names = [ClassifierHead.outputName, "class_\(ClassifierHead.outputName)"]
    let name = names.first { name in !nodes.contains { $0.name == name } }
    guard let name else {
      throw ModelError(
        .runtime, .unmetRequirement("the graph has nodes named '\(names[0])' and '\(names[1])'"),
        file: file.path)
    }
    return HeadLocation(file: "\(file.name)/\(SavedModelFile.name)", output: name)
  }

  /// Returns a copy of `saved_model.pb` that also returns the scores of a head.
  package func copy(
    of file: ModelFile, adding head: ClassifierHead, pooling: HeadPooling?, for use: ModelBinding
  ) throws(ModelError) -> [UInt8] {
    guard pooling == nil else {
      throw ModelError(
        .runtime, .unsupported("the setting \"pooling\" of a SavedModel with a head"),
        file: file.path)
    }
    let saved = try SavedModelFile(folder: file)
    let (metaGraph, definition) = try Self.graph(in: saved)
    let name = use.outputs.first { $0.role == .embedding }?.name ?? ""
    let signatures = try metaGraph.signatures(for: use)
    let known = signatures.lazy.compactMap { signature in
      signature.outputs.first { $0.key == name }.map {
        (signature: signature, tensor: $0.tensorName)
      }
    }.first
    let isNode = definition.nodes.contains { $0.name == name.nodeName }
    guard let tensor = isNode ? name : known?.tensor else {
      throw ModelError(
        .runtime, .unmetRequirement("the model has no output '\(name)'"), file: file.path)
    }
    let output = try location(ofHeadIn: file).output
    do throws(ProtobufError) {
      return try saved.adding(
        head, to: (tensor, metaGraph.elementType(of: tensor)), output: output,
        signature: (known?.signature ?? signatures.first)?.name, tags: metaGraph.tags)
    } catch {
      throw ModelError(.runtime, .modelRejected(detail: error.rawValue), file: file.path)
    }
  }

  /// Returns a copy of `saved_model.pb` without the head that was added.
  package func copyWithoutHead(
    of file: ModelFile, outputs: [String]
  ) throws(ModelError) -> [UInt8]? {
    let saved = try SavedModelFile(folder: file)
    do throws(ProtobufError) {
      return try saved.removingHead()
    } catch {
      throw ModelError(.runtime, .modelRejected(detail: error.rawValue), file: file.path)
    }
  }

  /// Returns the unchanged `saved_model.pb` with the name of what the last dense layer takes; `nil` for an output, and for
  /// a classifier of TensorFlow 2, whose layers are in functions.
  package func copyReturningEmbedding(
    of file: ModelFile, _ source: EmbeddingSource, for use: ModelBinding
  ) throws(ModelError) -> EmbeddingModelCopy? {
    guard source == .lastLayer, let name = use.outputs.first?.name else { return nil }
    let saved = try SavedModelFile(folder: file)
    let (metaGraph, definition) = try Self.graph(in: saved)
    let tensor = try metaGraph.signatures(for: use).lazy.compactMap { signature in
      signature.outputs.first { $0.key == name }?.tensorName
    }.first
    guard let node = definition.denseLayer(before: (tensor ?? name).nodeName),
      let embedding = node.dataInputs.first, node.dataInputs.count == 2
    else { return nil }
    do throws(ProtobufError) {
      guard let shape = try saved.shape(ofWeights: node.dataInputs[1], in: definition) else {
        return nil
      }
      return EmbeddingModelCopy(bytes: saved.bytes, tensor: embedding, shape: [-1, shape[0]])
    } catch {
      throw ModelError(.runtime, .modelRejected(detail: error.rawValue), file: file.path)
    }
  }

  private static func graph(
    in file: SavedModelFile
  ) throws(ModelError) -> (metaGraph: MetaGraph, definition: GraphDefinition) {
    let (metaGraph, graph) = try file.graph(for: .predict)
    return (metaGraph, try GraphDefinition(reading: graph))
  }
}

extension GraphDefinition {
  /// The operators after the dense layer of a classifier.
  private static let transparentOperators: Set = [
    "Identity", "Softmax", "Sigmoid", "Add", "AddV2", "BiasAdd", "Squeeze", "Reshape",
  ]
  private static let maxSteps = 16

  /// Returns the dense layer whose results become those of a node.
  fileprivate func denseLayer(before name: String) -> Node? {
    let known = nodes.byName
    var current = known[name]
    for _ in 0..<Self.maxSteps {
      guard let node = current else { return nil }
      if node.op == "MatMul" { return node }
      guard Self.transparentOperators.contains(node.op) else { return nil }
      current = node.dataInputs.first.flatMap { known[$0] }
    }
    return nil
  }
}

extension MetaGraph {
  /// Returns the number of the type of a tensor that a signature returns; that of 32-bit floats for others.
  fileprivate func elementType(of tensor: String) -> UInt64 {
    signatures.flatMap(\.outputs).last { $0.tensorName == tensor && $0.elementType > 0 }?
      .elementType ?? TensorFlowHeadWriter.float32
  }
}

extension SavedModelFile {
  /// Returns the shape of a matrix of weights: a constant, or a variable; `nil` for others.
  fileprivate func shape(
    ofWeights name: String, in definition: GraphDefinition
  ) throws(ProtobufError) -> [Int]? {
    let known = definition.nodes.byName
    var node = known[name]
    for _ in 0..<4 {
      guard let current = node, ["Identity", "ReadVariableOp"].contains(current.op) else { break }
      node = current.dataInputs.first.flatMap { known[$0] }
    }
    guard let source = node, ["Const", "VarHandleOp", "VariableV2"].contains(source.op) else {
      return nil
    }
    var shape: [Int] = []
    for (_, graph) in graphs {
      try graph.forEachField { (field, value) throws(ProtobufError) in
        guard field == 1 else { return }
        var (name, found): (String, [Int]) = ("", [])
        try value.message().forEachField { (field, value) throws(ProtobufError) in
          switch field {
          case 1: name = try value.string()
          case 5 where name == source.name:
            let entry = try value.message().mapEntry()
            if ["shape", "value"].contains(entry.name) { found = try entry.value.shapeOfAttribute }
          default: break
          }
        }
        if name == source.name, !found.isEmpty { shape = found }
      }
    }
    return shape.count == 2 && shape[0] > 0 ? shape : nil
  }
}

extension ProtobufMessage {
  /// The dimensions of an attribute that is a shape or a tensor.
  fileprivate var shapeOfAttribute: [Int] {
    get throws(ProtobufError) {
      var shape: [Int] = []
      try forEachField { (field, value) throws(ProtobufError) in
        switch field {
        case 7: shape = try value.message().dimensions
        case 8:
          try value.message().forEachField { (field, value) throws(ProtobufError) in
            if field == 2 { shape = try value.message().dimensions }
          }
        default: break
        }
      }
      return shape
    }
  }

  private var dimensions: [Int] {
    get throws(ProtobufError) {
      var lengths: [Int] = []
      try forEachField { (field, value) throws(ProtobufError) in
        guard field == 2 else { return }
        var length = 0
        try value.message().forEachField { (field, value) throws(ProtobufError) in
          if field == 1 { length = try value.integer() }
        }
        lengths.append(length)
      }
      return lengths
    }
  }
}
