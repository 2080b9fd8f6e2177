import TensorIOTestSupport

/// A node of a synthetic graph.
struct SketchedNode {
  var name: String
  var operation: String
  var inputs: [String] = []
  /// The attribute values.
  var attributes: [String: WireWriter] = [:]

  static let placeholder = SketchedNode(
    name: "x", operation: "Placeholder", attributes: ["dtype": .type(1)])
  static let copy = SketchedNode(
    name: "y", operation: "Identity", inputs: ["x"], attributes: ["T": .type(1)])

  /// Returns a string constant.
  static func text(_ name: String, _ value: String, isList: Bool = false) -> SketchedNode {
    let tensor = WireWriter { tensor in
      tensor.message(8) { tensor in
        tensor.number(1, 7)
        tensor.message(2) { shape in if isList { shape.message(2) { $0.number(1, 1) } } }
        tensor.text(8, value)
      }
    }
    return SketchedNode(
      name: name, operation: "Const", attributes: ["dtype": .type(7), "value": tensor])
  }

  func write(to writer: inout WireWriter) {
    writer.text(1, name)
    writer.text(2, operation)
    for input in inputs { writer.text(3, input) }
    for (name, value) in attributes.sorted(by: { $0.key < $1.key }) {
      writer.message(5) { entry in
        entry.text(1, name)
        entry.bytes(2, value.bytes)
      }
    }
  }
}

extension WireWriter {
  /// Returns an attribute value with an element type.
  static func type(_ number: Int) -> WireWriter { WireWriter { $0.number(6, number) } }

  /// Returns an attribute value with a string.
  static func text(_ bytes: [UInt8]) -> WireWriter { WireWriter { $0.bytes(2, bytes) } }

  /// Returns an attribute value with a function.
  static func function(_ name: String) -> WireWriter {
    WireWriter { value in value.message(10) { $0.text(1, name) } }
  }

  /// Returns a graph with functions that all have the same arguments.
  static func graph(
    _ nodes: [SketchedNode], functions: [String: [SketchedNode]] = [:], arguments: [String] = []
  ) -> WireWriter {
    WireWriter { graph in
      for node in nodes { graph.message(1, node.write) }
      graph.message(2) { library in
        for (name, body) in functions {
          library.message(1) { function in
            function.message(1) { signature in
              signature.text(1, name)
              for argument in arguments { signature.message(2) { $0.text(1, argument) } }
            }
            for node in body { function.message(3, node.write) }
          }
        }
      }
    }
  }

  /// Returns a SavedModel with one graph.
  static func savedModel(
    _ graph: WireWriter, tags: [String] = ["serve"], saver: [String] = []
  ) -> WireWriter {
    WireWriter { model in
      model.number(1, 1)
      model.message(2) { meta in
        meta.message(1) { info in for tag in tags { info.text(4, tag) } }
        meta.bytes(2, graph.bytes)
        guard !saver.isEmpty else { return }
        meta.message(3) { writer in
          for (index, name) in saver.enumerated() { writer.text(index + 1, name) }
        }
      }
    }
  }
}
