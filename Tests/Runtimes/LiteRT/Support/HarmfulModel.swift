import Testing

@testable import TensorIOLiteRT

/// A small model that violates one rule.
struct HarmfulModel: Sendable, CustomTestStringConvertible {
  let rule: ModelValidationRule
  let defect: String
  let sketch: ModelSketch

  var testDescription: String { "\(rule): \(defect)" }

  private init(
    _ rule: ModelValidationRule, _ defect: String, in base: ModelSketch = ModelSketch(),
    _ change: (inout ModelSketch) -> Void
  ) {
    self.rule = rule
    self.defect = defect
    sketch = base.changed(change)
  }

  static let all = file + tensors + quantized + operators + graphs + variables

  private static let file = [
    HarmfulModel(.format, "another format") { $0.identifier = "TFL2" },
    HarmfulModel(.subgraphs, "no graph") { $0.graphs = [] },
    HarmfulModel(.dataBounds, "an external buffer") {
      $0.buffers[1] = .table([1: .long(40), 2: .long(1 << 30)])
    },
    HarmfulModel(.dataBounds, "an external buffer whose end overflows") {
      $0.buffers[1] = .table([1: .long(40), 2: .long(.max)])
    },
    HarmfulModel(.dataBounds, "external options") {
      $0.graphs[0].operators[0].fields[9] = .long(40)
      $0.graphs[0].operators[0].fields[10] = .long(1 << 30)
    },
    HarmfulModel(.metadata, "no name") { $0.metadata = [.table([1: .integer(2)])] },
    HarmfulModel(.metadata, "no buffer") {
      $0.metadata = [.table([0: .text("min_runtime_version"), 1: .integer(9)])]
    },
    HarmfulModel(.metadata, "an empty buffer") {
      $0.metadata = [.table([0: .text("min_runtime_version"), 1: .integer(0)])]
    },
    HarmfulModel(.metadata, "an invalid buffer of the older form") { $0.metadataBuffers = [-1] },
    HarmfulModel(.signatures, "no graph") {
      $0.signatures = [ModelSketch.signature(inputs: [0], outputs: [2], graph: 1)]
    },
    HarmfulModel(.signatures, "an input as an output") {
      $0.signatures = [ModelSketch.signature(inputs: [0], outputs: [0], graph: 0)]
    },
    HarmfulModel(.names, "an unnamed tensor of a signature") {
      let nameless = FlatValue.list([.table([1: .integer(2)])])
      let named = FlatValue.list([.table([0: .text("input"), 1: .integer(0)])])
      $0.signatures = [.table([0: named, 1: nameless, 2: .text("serve")])]
    },
    HarmfulModel(.signatures, "a missing tensor") {
      $0.signatures = [ModelSketch.signature(inputs: [3], outputs: [2], graph: 0)]
    },
  ]

  private static let tensors = [
    HarmfulModel(.shape, "a negative dimension") { $0.graphs[0].tensors[0].shape = [-1, 4] },
    HarmfulModel(.shape, "nine dimensions") {
      $0.graphs[0].tensors[0].shape = [1, 1, 1, 1, 1, 1, 1, 1, 4]
    },
    HarmfulModel(.shape, "a different shape signature") {
      $0.graphs[0].tensors[0].fields[7] = .integers([-1, 5])
    },
    HarmfulModel(.shape, "a shape signature with more dimensions") {
      $0.graphs[0].tensors[0].fields[7] = .integers([-1, 1, 4])
    },
    HarmfulModel(.tensorSize, "too many bytes") { $0.graphs[0].tensors[0].shape = [1 << 26, 5] },
    HarmfulModel(.tensorSize, "an overflowing size") {
      $0.graphs[0].tensors[0].shape = [.max, .max, .max, .max]
    },
    HarmfulModel(.dataBounds, "a missing buffer") { $0.graphs[0].tensors[2].buffer = 3 },
    HarmfulModel(.externalBuffer, "data in another file") {
      $0.graphs[0].tensors[1].fields[10] = .integer(1)
    },
    HarmfulModel(.constantSize, "too few values") { $0.graphs[0].tensors[1].shape = [5] },
    HarmfulModel(.constantSize, "too many values") { $0.graphs[0].tensors[1].shape = [1] },
    HarmfulModel(.strings, "fewer strings than elements", in: strings) {
      $0.graphs[0].tensors[3].shape = [3]
    },
    HarmfulModel(.strings, "a string beyond the end", in: strings) {
      $0.buffers[2] = .table([0: .bytes(ModelSketch.bytes(integers: [2, 16, 17, 19]) + [65, 66])])
    },
    HarmfulModel(.strings, "a negative count", in: strings) {
      $0.buffers[2] = .table([0: .bytes(ModelSketch.bytes(integers: [-1, 16, 17, 18]))])
    },
    HarmfulModel(.strings, "too few bytes for the count", in: strings) {
      $0.buffers[2] = .table([0: .bytes([2, 0])])
    },
    HarmfulModel(.names, "an unnamed input") { $0.graphs[0].tensors[0].name = nil },
    HarmfulModel(.names, "an output with an empty name") { $0.graphs[0].tensors[2].name = "" },
    HarmfulModel(.names, "an input's name with a NUL character") {
      $0.graphs[0].tensors[0].name = "\0input"
    },
  ]

  /// A model with an unused constant of two strings.
  private static let strings = ModelSketch().changed {
    var tensor = TensorSketch("strings", [2], buffer: 2)
    tensor.type = 5
    $0.graphs[0].tensors.append(tensor)
    $0.buffers[2] = .table([0: .bytes(ModelSketch.bytes(integers: [2, 16, 17, 18]) + [65, 66])])
  }

  private static let quantized = [
    quantized("no zero points", TensorSketch.quantization(scales: [1], zeroPoints: [])),
    quantized("a scale that is NaN", .init(scales: [.nan], zeroPoints: [0])),
    quantized(
      "a subnormal scale", .init(scales: [.leastNonzeroMagnitude], zeroPoints: [0])),
    quantized("a negative scale", .init(scales: [-1], zeroPoints: [0])),
    HarmfulModel(.quantization, "a zero point outside the range", in: bytes) {
      $0.graphs[0].tensors[0].fields[4] = .init(scales: [1], zeroPoints: [128])
    },
    HarmfulModel(.quantization, "a sum without quantization", in: bytes) {
      $0.graphs[0].tensors[2].fields[4] = nil
    },
    HarmfulModel(.quantization, "a sum without a scale", in: bytes) {
      $0.graphs[0].tensors[2].fields[4] = .table([:])
    },
    HarmfulModel(.quantization, "several scales for a scalar") {
      var tensor = TensorSketch("number", [])
      tensor.fields[4] = .init(scales: [1, 1], zeroPoints: [0, 0])
      $0.graphs[0].tensors.append(tensor)
    },
    quantized("a dimension out of range", .init(scales: [1], zeroPoints: [0], axis: 2)),
    quantized("a negative dimension index", .init(scales: [1], zeroPoints: [0], axis: -1)),
    quantized("the wrong number of scales", .init(scales: [1, 1], zeroPoints: [0, 0])),
    quantized(
      "a missing tensor of scales", .table([4: .byte(2), 5: .table([0: .integer(7)])])),
  ]

  private static func quantized(_ defect: String, _ quantization: FlatValue) -> HarmfulModel {
    HarmfulModel(.quantization, defect) { $0.graphs[0].tensors[0].fields[4] = quantization }
  }

  /// The same sum with quantized values.
  static let bytes = ModelSketch().changed {
    $0.buffers[1] = .table([0: .bytes([1, 2, 3, 4])])
    for tensor in 0..<3 {
      $0.graphs[0].tensors[tensor].type = 9
      $0.graphs[0].tensors[tensor].fields[4] = .init(scales: [1], zeroPoints: [-128])
    }
  }

  private static let operators = [
    HarmfulModel(.operatorCodes, "an unlisted operator code") {
      $0.graphs[0].operators[0].kind = 1
    },
    HarmfulModel(.operands, "an input out of range") {
      $0.graphs[0].operators[0].inputs = [0, 3]
    },
    HarmfulModel(.operands, "a negative input") { $0.graphs[0].operators[0].inputs = [-2, 1] },
    HarmfulModel(.operands, "an omitted required input") {
      $0.graphs[0].operators[0].inputs = [-1, 1]
    },
    HarmfulModel(.operands, "an omitted output") { $0.graphs[0].operators[0].outputs = [-1] },
    HarmfulModel(.operands, "an output out of range") {
      $0.graphs[0].operators[0].outputs = [3]
    },
    HarmfulModel(.executionOrder, "an operator that reads its output") {
      $0.graphs[0].operators[0].inputs = [2, 1]
    },
    HarmfulModel(.executionOrder, "an output that is never written") {
      $0.graphs[0].tensors.append(TensorSketch("more", [4]))
      $0.graphs[0].outputs = [2, 3]
    },
    HarmfulModel(.singleAssignment, "a constant") { $0.graphs[0].operators[0].outputs = [1] },
    HarmfulModel(.singleAssignment, "an input") { $0.graphs[0].operators[0].outputs = [0] },
    HarmfulModel(.singleAssignment, "a tensor twice") {
      $0.graphs[0].operators.append(OperatorSketch())
    },
    HarmfulModel(.options, "options of another type", in: pooling) {
      $0.graphs[0].operators[0].fields[3] = .byte(11)
    },
    HarmfulModel(.options, "no options", in: pooling) { $0.graphs[0].operators[0].fields[4] = nil },
    HarmfulModel(.options, "a stride of zero", in: pooling) {
      $0.graphs[0].operators[0].take([1: .integer(1), 3: .integer(1), 4: .integer(1)], form: 5)
    },
    HarmfulModel(.outputShapes, "a sum of larger tensors") {
      $0.graphs[0].tensors[0].shape = [2, 4]
    },
    HarmfulModel(.outputShapes, "a sum declared as a scalar") {
      $0.graphs[0].tensors[2].shape = []
    },
    HarmfulModel(.outputShapes, "a window with fewer steps", in: pooling) {
      $0.graphs[0].tensors[1].shape = [1, 3, 4, 1]
    },
    HarmfulModel(.outputShapes, "rows times a matrix", in: dense) {
      $0.graphs[0].tensors[2].shape = [1, 4]
    },
    HarmfulModel(.outputShapes, "rows that keep their dimensions", in: dense) {
      $0.graphs[0].tensors[0].shape = [3, 1, 2]
      $0.graphs[0].operators[0].take([2: .byte(1)], form: 8)
    },
    HarmfulModel(.outputShapes, "a reshape to a different element count", in: reshape(to: [2, -1]))
    {
      $0.graphs[0].tensors[2].shape = [3]
    },
    HarmfulModel(.outputShapes, "a width that overflows an integer") { $0 = enlarged(times: 5) },
  ]

  /// An image that each operator enlarges by a factor of 32,767.
  private static func enlarged(times count: Int32) -> ModelSketch {
    ModelSketch().changed {
      $0.kinds = [5]
      $0.graphs[0].tensors = (0...count).map { TensorSketch("image \($0)", [1, 1, 1, 1]) }
      $0.graphs[0].outputs = [count]
      $0.graphs[0].operators = (0..<count).map { index in
        var entry = OperatorSketch(inputs: [index], outputs: [index + 1])
        entry.take([0: .integer(32767)], form: 94)
        return entry
      }
    }
  }

  /// Max pooling of 4 × 4 pixels with a 2 × 2 window.
  static let pooling = ModelSketch().changed {
    $0.kinds = [ModelSketch.Kind.pooling]
    $0.graphs[0].tensors = [
      TensorSketch("input", [1, 4, 4, 1]), TensorSketch("output", [1, 2, 2, 1]),
    ]
    $0.graphs[0].outputs = [1]
    $0.graphs[0].operators[0].inputs = [0]
    $0.graphs[0].operators[0].outputs = [1]
    let two = FlatValue.integer(2)
    $0.graphs[0].operators[0].take([1: two, 2: two, 3: two, 4: two], form: 5)
  }

  /// A fully connected layer of two numbers without a bias.
  static let dense = ModelSketch().changed {
    $0.kinds = [ModelSketch.Kind.dense]
    $0.graphs[0].tensors[0].shape = [1, 2]
    $0.graphs[0].tensors[1].shape = [2, 2]
    $0.graphs[0].tensors[2].shape = [1, 2]
    $0.graphs[0].operators[0].inputs = [0, 1, -1]
    $0.graphs[0].operators[0].take([:], form: 8)
  }

  /// A reshape of four numbers to a constant shape.
  static func reshape(to shape: [Int32], output: [Int32] = [2, 2]) -> ModelSketch {
    ModelSketch().changed {
      $0.kinds = [ModelSketch.Kind.reshape]
      $0.buffers[1] = .table([0: .bytes(ModelSketch.bytes(integers: shape))])
      $0.graphs[0].tensors[1].type = 2
      $0.graphs[0].tensors[1].shape = [Int32(shape.count)]
      $0.graphs[0].tensors[2].shape = output
      $0.graphs[0].operators[0].take([:], form: 17)
    }
  }

  /// A fully connected layer that keeps its dimensions.
  static let rows = dense.changed {
    $0.graphs[0].tensors[0].shape = [3, 1, 2]
    $0.graphs[0].tensors[2].shape = [3, 1, 2]
    $0.graphs[0].operators[0].take([2: .byte(1)], form: 8)
  }

  /// A custom operator with an omitted input, which is valid.
  static let custom = ModelSketch().changed {
    $0.kinds = [ModelSketch.Kind.custom]
    $0.graphs[0].operators[0].inputs = [0, -1]
    $0.graphs[0].operators[0].fields = [:]
  }

  /// A convolution whose filter is the output of a custom operator, so that no shape is inferred.
  static let computedWindow = custom.changed {
    $0.kinds.append(ModelSketch.Kind.convolution)
    $0.graphs[0].tensors = [
      TensorSketch("input", [1, 4, 4, 1]), TensorSketch("filter", [1, 2, 2, 1]),
      TensorSketch("output", [1, 9, 9, 9]),
    ]
    $0.graphs[0].operators[0].outputs = [1]
    var convolution = OperatorSketch(kind: 1, inputs: [0, 1], outputs: [2])
    convolution.take([1: .integer(1), 2: .integer(1)], form: 1)
    $0.graphs[0].operators.append(convolution)
  }

  /// A tensor whose quantization scales are in another tensor.
  static let scaled = ModelSketch().changed {
    $0.graphs[0].tensors[0].fields[4] = .table([
      4: .byte(2), 5: .table([0: .integer(1), 1: .integer(-1)]),
    ])
  }

  private static let graphs = [
    HarmfulModel(.inputsAndOutputs, "an input out of range") { $0.graphs[0].inputs = [3] },
    HarmfulModel(.inputsAndOutputs, "an output out of range") { $0.graphs[0].outputs = [-1] },
    HarmfulModel(.subgraphCalls, "a missing subgraph", in: conditional) {
      $0.graphs[0].operators[0].take([0: .integer(1), 1: .integer(2)], form: 92)
    },
    HarmfulModel(.subgraphCalls, "a subgraph that calls itself", in: conditional) {
      $0.graphs[0].operators[0].take([0: .integer(1), 1: .integer(0)], form: 92)
    },
    HarmfulModel(.subgraphCalls, "subgraphs that call each other", in: conditional) {
      $0.kinds.append(ModelSketch.Kind.composite)
      $0.graphs[1].operators[0].kind = 2
      $0.graphs[1].operators[0].fields[12] = .table([1: .integer(0)])
    },
  ]

  private static let variables = [
    HarmfulModel(.variables, "a variable without an initial value", in: variable) {
      $0.graphs[0].operators.removeFirst()
    },
    HarmfulModel(.variables, "an initial value of another variable", in: variable) {
      $0.graphs[1].operators[0].take([1: .text("other")], form: 111)
    },
    HarmfulModel(.variables, "an initial value that is read before it is assigned", in: variable) {
      $0.graphs[0].operators.insert($0.graphs[0].operators.removeFirst(), at: 2)
    },
    HarmfulModel(.variables, "an initial value of another size", in: variable) {
      $0.graphs[0].tensors[4].shape = [8]
    },
    HarmfulModel(.variables, "an initial value of another type", in: variable) {
      $0.graphs[0].tensors[4].type = 2
    },
    HarmfulModel(.variables, "a variable without a name", in: variable) {
      $0.graphs[0].operators[2].inputs = [0]
    },
    HarmfulModel(.traversalBudget, "subgraphs that call the next one many times", in: variable) {
      for graph in 2..<12 {
        $0.graphs.append(GraphSketch())
        $0.graphs[graph].operators = (0..<8).map { _ in
          OperatorSketch.initialization(graph: graph == 11 ? 1 : Int32(graph) + 1)
        }
        $0.graphs[graph].tensors = []
        ($0.graphs[graph].inputs, $0.graphs[graph].outputs) = ([], [])
      }
      $0.graphs[0].operators[0] = .initialization(graph: 2)
    },
  ]

  /// A model that adds a variable, whose initial value the second subgraph assigns.
  static let variable = ModelSketch().changed {
    $0.kinds = [ModelSketch.Kind.add] + ModelSketch.Kind.variables
    $0.graphs[0].tensors += [.handle, TensorSketch("value", [4])]
    $0.graphs[0].operators = [
      .initialization(graph: 1), .handle(at: 3), .access(kind: 2, inputs: [3], outputs: [4]),
      OperatorSketch(inputs: [0, 4]),
    ]
    var initial = GraphSketch()
    initial.tensors = [.handle, TensorSketch("initial value", [4], buffer: 1)]
    (initial.inputs, initial.outputs) = ([], [])
    initial.operators = [.handle(at: 0), .access(kind: 3, inputs: [0, 1], outputs: [])]
    $0.graphs.append(initial)
  }

  /// A model whose first operator calls another subgraph.
  static let conditional = ModelSketch().changed {
    $0.kinds = [ModelSketch.Kind.add, ModelSketch.Kind.conditional]
    $0.graphs.append(GraphSketch())
    $0.graphs[0].operators[0].kind = 1
    $0.graphs[0].operators[0].take([0: .integer(1), 1: .integer(1)], form: 92)
  }
}

extension FlatValue {
  /// Creates the quantization of a tensor.
  fileprivate init(scales: [Float], zeroPoints: [Int64], axis: Int32 = 0) {
    self = TensorSketch.quantization(scales: scales, zeroPoints: zeroPoints, axis: axis)
  }
}
