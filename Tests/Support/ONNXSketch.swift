/// Writes ONNX files, including invalid ones; the numbers are those of the fields in `onnx.proto`.
public struct ONNXSketch {
  /// The operators of the main graph.
  public var nodes: [WireWriter] = []
  /// The constants of the main graph.
  public var constants: [WireWriter] = []
  /// The functions that operators call.
  public var functions: [WireWriter] = []
  /// The inputs of the main graph.
  public var inputs: [WireWriter] = [ONNXSketch.floats("x")]
  /// The outputs of the main graph.
  public var outputs: [WireWriter] = [ONNXSketch.floats("y")]
  /// The version of the standard operators.
  public var operatorSet = 17
  /// The metadata of the model, by key.
  public var metadata: [String: String] = [:]

  /// Creates a model whose main graph has one input, `x`, and one output, `y`.
  public init(_ nodes: WireWriter..., constants: [WireWriter] = []) {
    self.nodes = nodes
    self.constants = constants
  }

  /// The main graph.
  public var graph: WireWriter {
    WireWriter { graph in
      for node in nodes { graph.bytes(1, node.bytes) }
      for constant in constants { graph.bytes(5, constant.bytes) }
      for input in inputs { graph.bytes(11, input.bytes) }
      for output in outputs { graph.bytes(12, output.bytes) }
    }
  }

  /// The file.
  public var bytes: [UInt8] {
    WireWriter { model in
      model.number(1, 8)
      model.bytes(7, graph.bytes)
      model.message(8) { $0.number(2, operatorSet) }
      model.entries(14, metadata)
      for function in functions { model.bytes(25, function.bytes) }
    }.bytes
  }
}

extension ONNXSketch {
  /// An operator.
  public static func node(
    _ type: String, _ inputs: [String] = ["x"], _ outputs: [String] = ["y"], domain: String = "",
    _ attributes: WireWriter...
  ) -> WireWriter {
    WireWriter { node in
      for input in inputs { node.text(1, input) }
      for output in outputs { node.text(2, output) }
      node.text(4, type)
      for attribute in attributes { node.bytes(5, attribute.bytes) }
      if !domain.isEmpty { node.text(7, domain) }
    }
  }

  /// An attribute with an integer, or with a list of them.
  public static func attribute(_ name: String, _ integers: Int...) -> WireWriter {
    WireWriter { attribute in
      attribute.text(1, name)
      guard integers.count != 1 else {
        attribute.number(3, integers[0])
        return attribute.number(20, 2)
      }
      for integer in integers { attribute.number(8, integer) }
      attribute.number(20, 7)
    }
  }

  /// An attribute with a string.
  public static func attribute(_ name: String, text: String) -> WireWriter {
    WireWriter { attribute in
      attribute.text(1, name)
      attribute.text(4, text)
      attribute.number(20, 3)
    }
  }

  /// An attribute with a graph.
  public static func attribute(_ name: String, graph: WireWriter) -> WireWriter {
    WireWriter { attribute in
      attribute.text(1, name)
      attribute.bytes(6, graph.bytes)
      attribute.number(20, 5)
    }
  }

  /// An attribute with a tensor.
  public static func attribute(_ name: String, tensor: WireWriter) -> WireWriter {
    WireWriter { attribute in
      attribute.text(1, name)
      attribute.bytes(5, tensor.bytes)
      attribute.number(20, 4)
    }
  }

  /// A float constant whose elements are 0 unless they are given.
  public static func constant(
    _ name: String, _ shape: [Int], type: Int = 1, bytes: [UInt8]? = nil, floats: [Float] = [],
    external: [String: String] = [:]
  ) -> WireWriter {
    WireWriter { tensor in
      for dimension in shape { tensor.number(1, dimension) }
      tensor.number(2, type)
      tensor.text(8, name)
      let zeros = [UInt8](repeating: 0, count: max(0, 4 &* shape.reduce(1, &*)))
      let given = floats.flatMap { number in
        (0..<4).map { UInt8(truncatingIfNeeded: number.bitPattern >> (8 * $0)) }
      }
      if external.isEmpty { tensor.bytes(9, bytes ?? (floats.isEmpty ? zeros : given)) }
      tensor.entries(13, external)
      if !external.isEmpty { tensor.number(14, 1) }
    }
  }

  /// A float tensor as an input or output; -1 is a length that varies.
  public static func floats(_ name: String, _ shape: [Int] = [1]) -> WireWriter {
    WireWriter { value in
      value.text(1, name)
      value.message(2) { type in
        type.message(1) { tensor in
          tensor.number(1, 1)
          tensor.message(2) { dimensions in
            for length in shape {
              dimensions.message(1) { length < 0 ? $0.text(2, "n") : $0.number(1, length) }
            }
          }
        }
      }
    }
  }

  /// A function of the domain `f` that calls others.
  public static func function(_ name: String, calling names: [String]) -> WireWriter {
    WireWriter { function in
      function.text(1, name)
      function.text(4, "x")
      function.text(5, "y")
      for name in names { function.bytes(7, node(name, domain: "f").bytes) }
      function.text(10, "f")
    }
  }
}
