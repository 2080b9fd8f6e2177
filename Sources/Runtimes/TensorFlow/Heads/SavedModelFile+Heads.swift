import TensorIOBundle
import TensorIOCore

/// Graphs with other last layers.
///
/// The nodes of a head follow those of the graph, and its output becomes one of the signature, if there is one. Everything
/// else stays as it is, so that it can be restored.
extension SavedModelFile {
  private enum Field {
    static let (metaGraph, graph, signature): (UInt64, UInt64, UInt64) = (2, 2, 5)
  }

  /// Returns the bytes of the file with a head behind a tensor of one of its graphs.
  ///
  /// - Parameters:
  ///   - head: The layers.
  ///   - source: The tensor, and the number of its type.
  ///   - output: The name of the node with the probabilities, and of the output of the signature.
  ///   - signature: The name of the signature; `nil` for none.
  ///   - tags: The tags of the graph.
  /// - Returns: The bytes.
  /// - Throws: `ProtobufError` if the file is not valid.
  func adding(
    _ head: ClassifierHead, to source: (tensor: String, elementType: UInt64), output: String,
    signature: String?, tags: [String]
  ) throws(ProtobufError) -> [UInt8] {
    var nodes = TensorFlowHeadWriter()
    nodes.add(head, to: source.tensor, elementType: source.elementType, output: output)
    let ending = nodes.graph.bytes
    return try changingGraphs { (metaGraph, field, value, writer) throws(ProtobufError) in
      switch field {
      case Field.graph where metaGraph.tags == tags:
        try writer.message(Int(field)) { (graph) throws(ProtobufError) in
          try value.message().forEachField { graph.field($0, $1) }
          try ProtobufMessage(ending).forEachField { graph.field($0, $1) }
        }
      case Field.signature where metaGraph.tags == tags:
        let entry = try value.message().mapEntry()
        guard entry.name == signature else { return writer.field(field, value) }
        try writer.message(Int(field)) { (map) throws(ProtobufError) in
          map.string(1, entry.name)
          try map.message(2) { (definition) throws(ProtobufError) in
            try entry.value.forEachField { definition.field($0, $1) }
            definition.message(2) { Self.writeOutput(output, head.scoreCount, to: &$0) }
          }
        }
      default: writer.field(field, value)
      }
    }
  }

  /// Returns the bytes of the file without the nodes and outputs of a head; `nil` if it has none.
  func removingHead() throws(ProtobufError) -> [UInt8]? {
    var outputs: Set<String> = []
    for (_, graph) in graphs {
      for node in try GraphDefinition(graph).nodes where node.isPartOfHead {
        outputs.insert(node.name)
      }
    }
    guard !outputs.isEmpty else { return nil }
    return try changingGraphs { (_, field, value, writer) throws(ProtobufError) in
      switch field {
      case Field.graph:
        try writer.message(Int(field)) { (graph) throws(ProtobufError) in
          try value.message().forEachField { (field, value) throws(ProtobufError) in
            if field == 1, outputs.contains(try value.message().firstString) { return }
            graph.field(field, value)
          }
        }
      case Field.signature:
        let entry = try value.message().mapEntry()
        try writer.message(Int(field)) { (map) throws(ProtobufError) in
          map.string(1, entry.name)
          try map.message(2) { (definition) throws(ProtobufError) in
            try entry.value.forEachField { (field, value) throws(ProtobufError) in
              if field == 2 {
                let tensor = try value.message().mapEntry().value
                if outputs.contains(try tensor.firstString.nodeName) { return }
              }
              definition.field(field, value)
            }
          }
        }
      default: writer.field(field, value)
      }
    }
  }

  private func changingGraphs(
    _ change: (MetaGraph, UInt64, ProtobufValue, inout ProtobufWriter) throws(ProtobufError) -> Void
  ) throws(ProtobufError) -> [UInt8] {
    var file = ProtobufWriter()
    file.reserve(bytes.count)
    var index = 0
    try ProtobufMessage(bytes).forEachField { (field, value) throws(ProtobufError) in
      guard field == Field.metaGraph else { return file.field(field, value) }
      let metaGraph = graphs[index].metaGraph
      index += 1
      let message = try value.message()
      try file.message(Int(field)) { (writer) throws(ProtobufError) in
        try message.forEachField { (field, value) throws(ProtobufError) in
          try change(metaGraph, field, value, &writer)
        }
      }
    }
    return file.bytes
  }

  /// Writes an output of a signature: a number for each class and item.
  private static func writeOutput(
    _ name: String, _ count: Int, to writer: inout ProtobufWriter
  ) {
    writer.string(1, name)
    writer.message(2) { tensor in
      tensor.string(1, name + ":0")
      tensor.varint(2, 1)
      tensor.message(3) { shape in
        shape.message(2) { $0.varint(1, UInt64(bitPattern: -1)) }
        shape.message(2) { $0.varint(1, UInt64(count)) }
      }
    }
  }
}

extension GraphDefinition.Node {
  /// Whether a head has added the node: its last node has a name of its own.
  var isPartOfHead: Bool {
    let prefix = ClassifierHead.namePrefix
    return name.hasPrefix(prefix)
      || (op == "Softmax" && dataInputs.contains { $0.hasPrefix(prefix) })
  }
}

extension ProtobufMessage {
  /// The string of the first field, which is the name of a node and of a tensor.
  fileprivate var firstString: String {
    get throws(ProtobufError) {
      var name = ""
      try forEachField { (field, value) throws(ProtobufError) in
        if field == 1 { name = try value.string() }
      }
      return name
    }
  }
}
