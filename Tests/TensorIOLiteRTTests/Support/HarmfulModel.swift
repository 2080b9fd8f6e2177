import Testing
@testable import TensorIOLiteRT

/// A small model with one thing wrong.
struct HarmfulModel: Sendable, CustomTestStringConvertible {
  let rule: ModelValidationRule
  let what: String
  let sketch: ModelSketch

  var testDescription: String { "\(rule): \(what)" }

  private init(
    _ rule: ModelValidationRule, _ what: String, in base: ModelSketch = ModelSketch(),
    _ change: (inout ModelSketch) -> Void
  ) {
    self.rule = rule
    self.what = what
    sketch = base.changed(change)
  }

  static let all = file + tensors + quantized + operators + graphs

  private static let file = [
    HarmfulModel(.format, "another format") { $0.identifier = "TFL2" },
    HarmfulModel(.subgraphs, "no graph") { $0.graphs = [] },
    HarmfulModel(.dataBounds, "a distant buffer") {
      $0.buffers[1] = .table([1: .long(40), 2: .long(1 << 30)])
    },
    HarmfulModel(.dataBounds, "a distant buffer beyond all numbers") {
      $0.buffers[1] = .table([1: .long(40), 2: .long(.max)])
    },
    HarmfulModel(.dataBounds, "distant options") {
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
    HarmfulModel(.metadata, "none of the older form") { $0.metadataBuffers = [-1] },
    HarmfulModel(.signatures, "no graph") {
      $0.signatures = [ModelSketch.signature(inputs: [0], outputs: [2], graph: 1)]
    },
    HarmfulModel(.signatures, "an input as an output") {
      $0.signatures = [ModelSketch.signature(inputs: [0], outputs: [0], graph: 0)]
    },
    HarmfulModel(.names, "a signature's tensor without one") {
      let nameless = FlatValue.list([.table([1: .integer(2)])])
      let named = FlatValue.list([.table([0: .text("input"), 1: .integer(0)])])
      $0.signatures = [.table([0: named, 1: nameless, 2: .text("serve")])]
    },
    HarmfulModel(.signatures, "no tensor") {
      $0.signatures = [ModelSketch.signature(inputs: [3], outputs: [2], graph: 0)]
    },
  ]

  private static let tensors = [
    HarmfulModel(.shape, "a negative length") { $0.graphs[0].tensors[0].shape = [-1, 4] },
    HarmfulModel(.shape, "nine axes") {
      $0.graphs[0].tensors[0].shape = [1, 1, 1, 1, 1, 1, 1, 1, 4]
    },
    HarmfulModel(.shape, "a signature of another shape") {
      $0.graphs[0].tensors[0].fields[7] = .integers([-1, 5])
    },
    HarmfulModel(.shape, "a signature with more axes") {
      $0.graphs[0].tensors[0].fields[7] = .integers([-1, 1, 4])
    },
    HarmfulModel(.tensorSize, "too many bytes") { $0.graphs[0].tensors[0].shape = [1 << 26, 5] },
    HarmfulModel(.tensorSize, "a product beyond all numbers") {
      $0.graphs[0].tensors[0].shape = [.max, .max, .max, .max]
    },
    HarmfulModel(.dataBounds, "a buffer that is not there") { $0.graphs[0].tensors[2].buffer = 3 },
    HarmfulModel(.externalBuffer, "values in another file") {
      $0.graphs[0].tensors[1].fields[10] = .integer(1)
    },
    HarmfulModel(.constantSize, "too few values") { $0.graphs[0].tensors[1].shape = [5] },
    HarmfulModel(.constantSize, "too many values") { $0.graphs[0].tensors[1].shape = [1] },
    HarmfulModel(.strings, "fewer texts than elements", in: texts) {
      $0.graphs[0].tensors[3].shape = [3]
    },
    HarmfulModel(.strings, "a text beyond the end", in: texts) {
      $0.buffers[2] = .table([0: .bytes(ModelSketch.bytes(integers: [2, 16, 17, 19]) + [65, 66])])
    },
    HarmfulModel(.strings, "fewer than none", in: texts) {
      $0.buffers[2] = .table([0: .bytes(ModelSketch.bytes(integers: [-1, 16, 17, 18]))])
    },
    HarmfulModel(.strings, "too few bytes to say how many", in: texts) {
      $0.buffers[2] = .table([0: .bytes([2, 0])])
    },
    HarmfulModel(.names, "an input without one") { $0.graphs[0].tensors[0].name = nil },
    HarmfulModel(.names, "an output with an empty one") { $0.graphs[0].tensors[2].name = "" },
    HarmfulModel(.names, "an input's that C cannot read") {
      $0.graphs[0].tensors[0].name = "\0input"
    },
  ]

  /// A model with a constant of two texts that nothing uses.
  private static let texts = ModelSketch().changed {
    var tensor = TensorSketch("texts", [2], buffer: 2)
    tensor.type = 5
    $0.graphs[0].tensors.append(tensor)
    $0.buffers[2] = .table([0: .bytes(ModelSketch.bytes(integers: [2, 16, 17, 18]) + [65, 66])])
  }

  private static let quantized = [
    quantized("no zero points", TensorSketch.quantization(scales: [1], zeroPoints: [])),
    quantized("a scale that is no number", .init(scales: [.nan], zeroPoints: [0])),
    quantized(
      "a scale too small to divide by", .init(scales: [.leastNonzeroMagnitude], zeroPoints: [0])),
    quantized("a scale below zero", .init(scales: [-1], zeroPoints: [0])),
    HarmfulModel(.quantization, "a zero point that is no byte", in: bytes) {
      $0.graphs[0].tensors[0].fields[4] = .init(scales: [1], zeroPoints: [128])
    },
    HarmfulModel(.quantization, "a sum of bytes that stand for nothing", in: bytes) {
      $0.graphs[0].tensors[2].fields[4] = nil
    },
    HarmfulModel(.quantization, "a sum of bytes without a scale", in: bytes) {
      $0.graphs[0].tensors[2].fields[4] = .table([:])
    },
    HarmfulModel(.quantization, "several scales for one number") {
      var tensor = TensorSketch("number", [])
      tensor.fields[4] = .init(scales: [1, 1], zeroPoints: [0, 0])
      $0.graphs[0].tensors.append(tensor)
    },
    quantized("an axis too many", .init(scales: [1], zeroPoints: [0], axis: 2)),
    quantized("an axis too few", .init(scales: [1], zeroPoints: [0], axis: -1)),
    quantized("as many scales as another axis has", .init(scales: [1, 1], zeroPoints: [0, 0])),
    quantized(
      "a tensor of scales that is not there", .table([4: .byte(2), 5: .table([0: .integer(7)])])),
  ]

  private static func quantized(_ what: String, _ code: FlatValue) -> HarmfulModel {
    HarmfulModel(.quantization, what) { $0.graphs[0].tensors[0].fields[4] = code }
  }

  /// The same sum, of numbers that bytes stand for.
  static let bytes = ModelSketch().changed {
    $0.buffers[1] = .table([0: .bytes([1, 2, 3, 4])])
    for tensor in 0..<3 {
      $0.graphs[0].tensors[tensor].type = 9
      $0.graphs[0].tensors[tensor].fields[4] = .init(scales: [1], zeroPoints: [-128])
    }
  }

  private static let operators = [
    HarmfulModel(.operatorCodes, "one that is not listed") { $0.graphs[0].operators[0].kind = 1 },
    HarmfulModel(.operands, "an input that is not there") {
      $0.graphs[0].operators[0].inputs = [0, 3]
    },
    HarmfulModel(.operands, "an input below all") { $0.graphs[0].operators[0].inputs = [-2, 1] },
    HarmfulModel(.operands, "a missing input") { $0.graphs[0].operators[0].inputs = [-1, 1] },
    HarmfulModel(.operands, "a missing output") { $0.graphs[0].operators[0].outputs = [-1] },
    HarmfulModel(.operands, "an output that is not there") {
      $0.graphs[0].operators[0].outputs = [3]
    },
    HarmfulModel(.executionOrder, "what the operator itself writes") {
      $0.graphs[0].operators[0].inputs = [2, 1]
    },
    HarmfulModel(.executionOrder, "an output that nothing writes") {
      $0.graphs[0].tensors.append(TensorSketch("more", [4]))
      $0.graphs[0].outputs = [2, 3]
    },
    HarmfulModel(.singleAssignment, "a constant") { $0.graphs[0].operators[0].outputs = [1] },
    HarmfulModel(.singleAssignment, "an input") { $0.graphs[0].operators[0].outputs = [0] },
    HarmfulModel(.singleAssignment, "a tensor twice") { $0.graphs[0].operators.append(OperatorSketch()) },
    HarmfulModel(.options, "none of its own", in: pooling) {
      $0.graphs[0].operators[0].fields[3] = .byte(11)
    },
    HarmfulModel(.options, "none", in: pooling) { $0.graphs[0].operators[0].fields[4] = nil },
    HarmfulModel(.options, "a stride of zero", in: pooling) {
      $0.graphs[0].operators[0].take([1: .integer(1), 3: .integer(1), 4: .integer(1)], form: 5)
    },
    HarmfulModel(.outputShapes, "a sum of larger tensors") {
      $0.graphs[0].tensors[0].shape = [2, 4]
    },
    HarmfulModel(.outputShapes, "a sum that no one asked for") { $0.graphs[0].tensors[2].shape = [] },
    HarmfulModel(.outputShapes, "a window with fewer steps", in: pooling) {
      $0.graphs[0].tensors[1].shape = [1, 3, 4, 1]
    },
    HarmfulModel(.outputShapes, "rows times a matrix", in: dense) {
      $0.graphs[0].tensors[2].shape = [1, 4]
    },
    HarmfulModel(.outputShapes, "rows that keep their axes", in: dense) {
      $0.graphs[0].tensors[0].shape = [3, 1, 2]
      $0.graphs[0].operators[0].take([2: .byte(1)], form: 8)
    },
    HarmfulModel(.outputShapes, "a reshape to another number", in: reshape(to: [2, -1])) {
      $0.graphs[0].tensors[2].shape = [3]
    },
  ]

  /// The largest of each four of 4 × 4 pixels.
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

  /// Two numbers of two, without a bias.
  static let dense = ModelSketch().changed {
    $0.kinds = [ModelSketch.Kind.dense]
    $0.graphs[0].tensors[0].shape = [1, 2]
    $0.graphs[0].tensors[1].shape = [2, 2]
    $0.graphs[0].tensors[2].shape = [1, 2]
    $0.graphs[0].operators[0].inputs = [0, 1, -1]
    $0.graphs[0].operators[0].take([:], form: 8)
  }

  /// Four numbers in another shape, which the file holds.
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

  /// Rows through a matrix, which keep their axes.
  static let rows = dense.changed {
    $0.graphs[0].tensors[0].shape = [3, 1, 2]
    $0.graphs[0].tensors[2].shape = [3, 1, 2]
    $0.graphs[0].operators[0].take([2: .byte(1)], form: 8)
  }

  /// A custom operator that leaves an input out, as it may.
  static let custom = ModelSketch().changed {
    $0.kinds = [ModelSketch.Kind.custom]
    $0.graphs[0].operators[0].inputs = [0, -1]
    $0.graphs[0].operators[0].fields = [:]
  }

  /// A window that an operator computes of which nothing is known: nobody can say what it will see.
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

  /// Numbers that another tensor says the scales of.
  static let scaled = ModelSketch().changed {
    $0.graphs[0].tensors[0].fields[4] = .table([
      4: .byte(2), 5: .table([0: .integer(1), 1: .integer(-1)]),
    ])
  }

  private static let graphs = [
    HarmfulModel(.inputsAndOutputs, "an input that is not there") { $0.graphs[0].inputs = [3] },
    HarmfulModel(.inputsAndOutputs, "an output that is not there") { $0.graphs[0].outputs = [-1] },
    HarmfulModel(.subgraphCalls, "a graph that is not there", in: conditional) {
      $0.graphs[0].operators[0].take([0: .integer(1), 1: .integer(2)], form: 92)
    },
    HarmfulModel(.subgraphCalls, "a graph that runs itself", in: conditional) {
      $0.graphs[0].operators[0].take([0: .integer(1), 1: .integer(0)], form: 92)
    },
    HarmfulModel(.subgraphCalls, "graphs that run each other", in: conditional) {
      $0.kinds.append(ModelSketch.Kind.composite)
      $0.graphs[1].operators[0].kind = 2
      $0.graphs[1].operators[0].fields[12] = .table([1: .integer(0)])
    },
  ]

  /// A graph with two operators, the first of which runs another graph.
  static let conditional = ModelSketch().changed {
    $0.kinds = [ModelSketch.Kind.add, ModelSketch.Kind.conditional]
    $0.graphs.append(GraphSketch())
    $0.graphs[0].operators[0].kind = 1
    $0.graphs[0].operators[0].take([0: .integer(1), 1: .integer(1)], form: 92)
  }
}

extension FlatValue {
  /// The quantization of a tensor.
  fileprivate init(scales: [Float], zeroPoints: [Int64], axis: Int32 = 0) {
    self = TensorSketch.quantization(scales: scales, zeroPoints: zeroPoints, axis: axis)
  }
}
