/// What a `.tflite` file says, as far as it is checked.
struct ParsedModel {
  let bytes: ModelBytes
  /// The kinds of operators, by the numbers that operators refer to.
  let operatorCodes: [OperatorTraits]
  let subgraphs: [ParsedSubgraph]
  let buffers: [ParsedBuffer]
  let metadata: [ParsedMetadata]
  /// What the older form of metadata refers to.
  let metadataBuffers: [Int]
  let signatures: [ParsedSignature]

  /// The graphs that callers can run: the first, and those with a signature.
  var callableSubgraphs: [Int] {
    Set([0] + signatures.map(\.subgraphIndex)).filter(subgraphs.indices.contains).sorted()
  }
}

struct ParsedSubgraph {
  let tensors: [ParsedTensor]
  let inputs: [Int]
  let outputs: [Int]
  let operators: [ParsedOperator]
}

struct ParsedTensor {
  let shape: [Int]
  /// The shape with -1 where a length may vary; empty when none does.
  let shapeSignature: [Int]
  let type: TFLiteTensorType
  let valueKind: ValueKind
  let bufferIndex: Int
  let hasExternalBuffer: Bool
  let isNamed: Bool
  let isVariable: Bool
  let isSparse: Bool
  let quantization: ParsedQuantization?
}

struct ParsedQuantization {
  let scales: [Float]
  let zeroPoints: [Int64]
  let axis: Int
  /// The tensors that hold scales and zero points, where these are too many to be listed.
  let parameterTensors: [Int]
}

struct ParsedOperator {
  /// The place of its kind in the model's list.
  let operatorCodeIndex: Int
  let inputs: [Int]
  let outputs: [Int]
  /// What the options are those of.
  let builtinOptionsType: UInt8
  let builtinOptions: FlatBufferTable?
  /// Options of operators that are newer than that list of options.
  let builtinOptions2: FlatBufferTable?
  /// Where options lie that are not in a table.
  let largeCustomOptionsRange: Range<UInt64>?
}

struct ParsedBuffer {
  /// Where the bytes are; `nil` when there are none.
  let byteRange: Range<UInt64>?

  var byteCount: UInt64 { byteRange.map { $0.upperBound - $0.lowerBound } ?? 0 }
}

struct ParsedMetadata {
  let isNamed: Bool
  let bufferIndex: Int
}

struct ParsedSignature {
  let hasTensorNames: Bool
  let inputs: [Int]
  let outputs: [Int]
  let subgraphIndex: Int
}

extension ParsedModel {
  /// Reads a model, or says what of it lies nowhere.
  init(_ bytes: ModelBytes) throws(ModelValidationError) {
    let walk = FlatBufferReader(bytes)
    let model = try walk.root(identifier: "TFL3")
    self.bytes = bytes
    operatorCodes = try walk.tables(model, 1) { code throws(ModelValidationError) in OperatorTraits(code) }
    subgraphs = try walk.tables(model, 2) { graph throws(ModelValidationError) in
      try ParsedSubgraph(graph, walk)
    }
    buffers = try walk.tables(model, 4) { buffer throws(ModelValidationError) in
      try ParsedBuffer(buffer, walk)
    }
    metadataBuffers = try walk.integers(model, 5)
    metadata = try walk.tables(model, 6) { entry throws(ModelValidationError) in
      ParsedMetadata(
        isNamed: try walk.vector(entry, 0, elementSize: 1) != nil,
        bufferIndex: Int(try walk.number(entry, 1, default: UInt32(0))))
    }
    signatures = try walk.tables(model, 7) { signature throws(ModelValidationError) in
      try ParsedSignature(signature, walk)
    }
    try require(!subgraphs.isEmpty, .subgraphs, "it has no graph")
  }
}

extension ParsedSubgraph {
  fileprivate init(_ graph: FlatBufferTable, _ walk: FlatBufferReader) throws(ModelValidationError) {
    tensors = try walk.tables(graph, 0) { tensor throws(ModelValidationError) in
      try ParsedTensor(tensor, walk)
    }
    inputs = try walk.integers(graph, 1)
    outputs = try walk.integers(graph, 2)
    operators = try walk.tables(graph, 3) { entry throws(ModelValidationError) in
      try ParsedOperator(entry, walk)
    }
  }
}

extension ParsedTensor {
  fileprivate init(_ tensor: FlatBufferTable, _ walk: FlatBufferReader) throws(ModelValidationError) {
    shape = try walk.integers(tensor, 0)
    shapeSignature = try walk.integers(tensor, 7)
    let number = try walk.number(tensor, 1, default: UInt8(0))
    type = TFLiteTensorType(code: number)
    valueKind = ValueKind(code: number)
    bufferIndex = Int(try walk.number(tensor, 2, default: UInt32(0)))
    hasExternalBuffer = try walk.number(tensor, 10, default: UInt32(0)) != 0
    isNamed = try walk.hasString(tensor, 3)
    isVariable = try walk.number(tensor, 5, default: UInt8(0)) != 0
    isSparse = try walk.table(tensor, 6) != nil
    quantization = try walk.table(tensor, 4).map { table throws(ModelValidationError) in
      try ParsedQuantization(table, walk)
    }
  }
}

extension ParsedQuantization {
  /// The ways to quantize that keep scales and zero points in tensors of their own.
  private static let typesWithParameterTensors: Set<UInt8> = [2, 3]

  fileprivate init(_ table: FlatBufferTable, _ walk: FlatBufferReader) throws(ModelValidationError) {
    scales = try walk.numbers(table, 2).map { (bits: UInt32) in Float(bitPattern: bits) }
    zeroPoints = try walk.numbers(table, 3)
    axis = Int(try walk.number(table, 6, default: Int32(0)))
    let way = try walk.number(table, 4, default: UInt8(0))
    guard Self.typesWithParameterTensors.contains(way), let details = try walk.table(table, 5) else {
      parameterTensors = []
      return
    }
    let scale = try walk.number(details, 0, default: Int32(0))
    let zeroPoint = try walk.number(details, 1, default: Int32(0))
    parameterTensors = zeroPoint == -1 ? [Int(scale)] : [Int(scale), Int(zeroPoint)]
  }
}

extension ParsedOperator {
  fileprivate init(_ table: FlatBufferTable, _ walk: FlatBufferReader) throws(ModelValidationError) {
    operatorCodeIndex = Int(try walk.number(table, 0, default: UInt32(0)))
    inputs = try walk.integers(table, 1)
    outputs = try walk.integers(table, 2)
    builtinOptionsType = try walk.number(table, 3, default: 0)
    builtinOptions = try walk.table(table, 4)
    builtinOptions2 = try walk.table(table, 12)
    largeCustomOptionsRange = try walk.externalRange(table, offset: 9, size: 10)
  }
}

extension ParsedBuffer {
  fileprivate init(_ table: FlatBufferTable, _ walk: FlatBufferReader) throws(ModelValidationError) {
    if let distant = try walk.externalRange(table, offset: 1, size: 2) {
      byteRange = distant
    } else if let list = try walk.vector(table, 0, elementSize: 1, countsElements: false) {
      byteRange = UInt64(list.byteRange.lowerBound)..<UInt64(list.byteRange.upperBound)
    } else {
      byteRange = nil
    }
  }
}

extension ParsedSignature {
  fileprivate init(_ table: FlatBufferTable, _ walk: FlatBufferReader) throws(ModelValidationError) {
    typealias Entry = (tensor: Int, isNamed: Bool)
    let entries = { (field: Int) throws(ModelValidationError) -> [Entry] in
      try walk.tables(table, field) { entry throws(ModelValidationError) in
        (Int(try walk.number(entry, 1, default: UInt32(0))), try walk.hasString(entry, 0))
      }
    }
    let (inputs, outputs) = (try entries(0), try entries(1))
    self.inputs = inputs.map(\.tensor)
    self.outputs = outputs.map(\.tensor)
    hasTensorNames = (inputs + outputs).allSatisfy(\.isNamed)
    subgraphIndex = Int(try walk.number(table, 4, default: UInt32(0)))
  }
}

/// A type of elements, by the number that files have for it.
enum TFLiteTensorType: Equatable {
  /// Elements of so many bytes each.
  case plain(byteCount: Int)
  /// Elements of less than a byte, which converters pack in more than one way.
  case packed
  case string
  /// What has no bytes in a file: resources, variants, and types that are not known here.
  case opaque

  init(code: UInt8) {
    self = Self.typesByCode.indices.contains(Int(code)) ? Self.typesByCode[Int(code)] : .opaque
  }

  /// The fewest bytes of that many elements.
  func minByteCount(_ count: Int) -> Int {
    switch self {
    case .plain(let byteCount):
      let (bytes, overflow) = count.multipliedReportingOverflow(by: byteCount)
      return overflow ? .max : bytes
    case .packed: return count / 4
    case .string, .opaque: return count
    }
  }

  private static let typesByCode: [TFLiteTensorType] = [
    .plain(byteCount: 4), .plain(byteCount: 2), .plain(byteCount: 4), .plain(byteCount: 1),
    .plain(byteCount: 8), .string, .plain(byteCount: 1), .plain(byteCount: 2),
    .plain(byteCount: 8), .plain(byteCount: 1), .plain(byteCount: 8), .plain(byteCount: 16),
    .plain(byteCount: 8), .opaque, .opaque, .plain(byteCount: 4), .plain(byteCount: 2), .packed,
    .plain(byteCount: 2), .packed, .packed, .plain(byteCount: 1), .plain(byteCount: 1),
  ]
}

/// Types of elements about which there is more to say.
enum ValueKind {
  case int32
  /// Numbers that stand for others, if their zero is one of them.
  case quantized(ClosedRange<Int64>)
  case other

  init(code: UInt8) {
    switch code {
    case 2: self = .int32
    case 3: self = .quantized(0...255)
    case 7: self = .quantized(-32768...32767)
    case 9: self = .quantized(-128...127)
    default: self = .other
    }
  }
}
