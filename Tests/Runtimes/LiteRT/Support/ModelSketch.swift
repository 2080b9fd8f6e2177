/// A small model that tests modify: `output = input + (1, 2, 3, 4)`.
struct ModelSketch: Sendable {
  var identifier = "TFL3"
  /// The operator codes.
  var kinds: [Int32] = [Kind.add]
  /// The names of custom operators, in the order of the operator codes.
  var customNames: [String] = []
  /// The versions of the operators, in the order of the operator codes.
  var versions: [Int32] = []
  var graphs = [GraphSketch()]
  var buffers: [FlatValue] = [
    .table([:]), .table([0: .bytes(ModelSketch.bytes(floats: [1, 2, 3, 4]))]),
    .table([0: .bytes([49])]),
  ]
  var metadata: [FlatValue] = []
  var metadataBuffers: [Int32] = []
  var signatures: [FlatValue] = []

  enum Kind {
    static let (add, convolution, dense, reshape, relu) =
      (0, 3, 9, 22, 19)
      as (
        Int32, Int32, Int32, Int32, Int32
      )
    static let (pooling, custom, conditional, loop, composite) =
      (17, 32, 118, 119, 206)
      as (
        Int32, Int32, Int32, Int32, Int32
      )
    static let svdf: Int32 = 27
    /// `VAR_HANDLE`, `READ_VARIABLE`, `ASSIGN_VARIABLE` and `CALL_ONCE`.
    static let variables: [Int32] = [142, 143, 144, 129]
  }

  var value: FlatValue {
    .table([
      0: .integer(3),
      1: .list(codes),
      2: .list(graphs.map(\.value)), 4: .list(buffers), 5: .integers(metadataBuffers),
      6: .list(metadata), 7: .list(signatures),
    ])
  }

  private var codes: [FlatValue] {
    kinds.enumerated().map { index, kind in
      let name = customNames.indices.contains(index) ? FlatValue.text(customNames[index]) : nil
      var fields: [Int: FlatValue] = [0: .byte(UInt8(min(kind, 127))), 3: .integer(kind)]
      fields[1] = name
      if versions.indices.contains(index) { fields[2] = .integer(versions[index]) }
      return .table(fields)
    }
  }

  var bytes: [UInt8] { FlatBuilder(value, identifier: identifier).bytes }

  func changed(_ change: (inout ModelSketch) -> Void) -> ModelSketch {
    var copy = self
    change(&copy)
    return copy
  }

  static func bytes(floats numbers: [Float]) -> [UInt8] {
    numbers.flatMap { number in
      (0..<4).map { UInt8(truncatingIfNeeded: number.bitPattern >> (8 * UInt32($0))) }
    }
  }

  static func bytes(integers numbers: [Int32]) -> [UInt8] {
    numbers.flatMap { number in (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) } }
  }

  static func signature(inputs: [Int32], outputs: [Int32], graph: Int32) -> FlatValue {
    let entries = { (tensors: [Int32]) -> FlatValue in
      .list(tensors.map { .table([0: .text("tensor \($0)"), 1: .integer($0)]) })
    }
    return .table([
      0: entries(inputs), 1: entries(outputs), 2: .text("serve"), 4: .integer(graph),
    ])
  }
}

struct GraphSketch: Sendable {
  var tensors = [
    TensorSketch("input", [1, 4]), TensorSketch("addend", [4], buffer: 1),
    TensorSketch("output", [1, 4]),
  ]
  var inputs: [Int32] = [0]
  var outputs: [Int32] = [2]
  var operators = [OperatorSketch()]

  var value: FlatValue {
    .table([
      0: .list(tensors.map(\.value)), 1: .integers(inputs), 2: .integers(outputs),
      3: .list(operators.map(\.value)),
    ])
  }
}

struct TensorSketch: Sendable {
  var name: String?
  var shape: [Int32]
  var type: UInt8 = 0
  var buffer: Int32 = 0
  /// Additional fields by field number.
  var fields: [Int: FlatValue] = [:]

  init(_ name: String?, _ shape: [Int32], buffer: Int32 = 0) {
    self.name = name
    self.shape = shape
    self.buffer = buffer
  }

  var value: FlatValue {
    var all = fields
    all[0] = .integers(shape)
    all[1] = .byte(type)
    all[2] = .integer(buffer)
    all[3] = name.map(FlatValue.text)
    return .table(all)
  }

  /// A tensor that refers to a variable.
  static var handle: TensorSketch {
    var tensor = TensorSketch("handle", [])
    tensor.type = 13
    return tensor
  }

  static func quantization(
    scales: [Float], zeroPoints: [Int64], axis: Int32 = 0
  ) -> FlatValue {
    .table([2: .floats(scales), 3: .longs(zeroPoints), 6: .integer(axis)])
  }
}

struct OperatorSketch: Sendable {
  var kind: Int32 = 0
  var inputs: [Int32] = [0, 1]
  var outputs: [Int32] = [2]
  /// Additional fields by field number.
  var fields: [Int: FlatValue] = [3: .byte(11), 4: .table([:])]

  var value: FlatValue {
    var all = fields
    all[0] = .integer(kind)
    all[1] = .integers(inputs)
    all[2] = .integers(outputs)
    return .table(all)
  }

  /// Sets the builtin options.
  mutating func take(_ options: [Int: FlatValue], form: UInt8) {
    fields[3] = .byte(form)
    fields[4] = .table(options)
  }
}

/// The operators of variables, whose kinds are `ModelSketch.Kind.variables` from index 1.
extension OperatorSketch {
  /// An operator that runs a subgraph before the first run.
  static func initialization(graph: Int32) -> OperatorSketch {
    var entry = OperatorSketch(kind: 4, inputs: [], outputs: [])
    entry.take([0: .integer(graph)], form: 103)
    return entry
  }

  /// An operator that refers to the variable `v`.
  static func handle(at tensor: Int32) -> OperatorSketch {
    var entry = OperatorSketch(kind: 1, inputs: [], outputs: [tensor])
    entry.take([1: .text("v")], form: 111)
    return entry
  }

  /// An operator that reads or assigns a variable.
  static func access(kind: Int32, inputs: [Int32], outputs: [Int32]) -> OperatorSketch {
    OperatorSketch(kind: kind, inputs: inputs, outputs: outputs, fields: [:])
  }
}
