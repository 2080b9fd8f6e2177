/// The parts of a `.tflite` file that are validated.
struct ParsedModel {
  let bytes: ModelBytes
  /// The operator codes that operators refer to by index.
  let operatorCodes: [OperatorTraits]
  var subgraphs: [ParsedSubgraph]
  let buffers: [ParsedBuffer]
  let metadata: [ParsedMetadata]
  /// The buffers that the older form of metadata refers to.
  let metadataBuffers: [Int]
  let signatures: [ParsedSignature]

  /// The file identifier.
  static let identifier = "TFL3"

  /// The subgraphs that callers can run: the first one and those with a signature.
  var callableSubgraphs: [Int] {
    Set([0] + signatures.map(\.subgraphIndex)).filter(subgraphs.indices.contains).sorted()
  }
}

struct ParsedSubgraph {
  let table: FlatBufferTable
  var tensors: [ParsedTensor]
  let inputs: [Int]
  let outputs: [Int]
  let operators: [ParsedOperator]
}

struct ParsedTensor {
  let table: FlatBufferTable
  let shape: [Int]
  /// The shape with -1 for dimensions of any size; empty if the shape is fixed.
  let shapeSignature: [Int]
  let type: TFLiteTensorType
  /// The number of the element type in the file.
  let typeCode: UInt8
  let valueKind: ValueKind
  let bufferIndex: Int
  let hasExternalBuffer: Bool
  let isNamed: Bool
  /// Whether the tensor keeps its value between runs.
  var isVariable: Bool { variableFlag != nil }
  /// The offset of the byte that declares a variable, or `nil` if the tensor is none.
  var variableFlag: Int?
  let isSparse: Bool
  let quantization: ParsedQuantization?
}

struct ParsedQuantization {
  let scales: [Float]
  let zeroPoints: [Int64]
  let axis: Int
  /// The tensors that hold scales and zero points for quantization types that store them there.
  let parameterTensors: [Int]
}

struct ParsedOperator {
  let operatorCodeIndex: Int
  let inputs: [Int]
  let outputs: [Int]
  /// The tensors for values inside the operator, with the offset of their count; `nil` if there are
  /// none.
  let intermediates: (countOffset: Int, tensors: [Int])?
  let builtinOptionsType: UInt8
  let builtinOptions: FlatBufferTable?
  /// The options of operators that were added after `builtin_options` was full.
  let builtinOptions2: FlatBufferTable?
  /// The range of custom options.
  let customOptionsRange: Range<Int>?
  /// The range of custom options stored outside the flatbuffer.
  let largeCustomOptionsRange: Range<UInt64>?
}

struct ParsedBuffer {
  /// The range of the data in the file, or `nil` if there is none.
  let byteRange: Range<UInt64>?
  /// Whether the data is stored outside the flatbuffer.
  let isExternal: Bool

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
  /// Reads a model.
  ///
  /// - Throws: An error if an offset is out of bounds or the step budget is exhausted.
  init(_ bytes: ModelBytes) throws(ModelValidationError) {
    let reader = FlatBufferReader(bytes)
    let model = try reader.root(identifier: Self.identifier)
    self.bytes = bytes
    operatorCodes = try reader.tables(model, 1) { code throws(ModelValidationError) in
      OperatorTraits(code)
    }
    subgraphs = try reader.tables(model, 2) { graph throws(ModelValidationError) in
      try ParsedSubgraph(graph, reader)
    }
    buffers = try reader.tables(model, 4) { buffer throws(ModelValidationError) in
      try ParsedBuffer(buffer, reader)
    }
    metadataBuffers = try reader.integers(model, 5)
    metadata = try reader.tables(model, 6) { entry throws(ModelValidationError) in
      ParsedMetadata(
        isNamed: try reader.vector(entry, 0, elementSize: 1) != nil,
        bufferIndex: Int(try reader.number(entry, 1, default: UInt32(0))))
    }
    signatures = try reader.tables(model, 7) { signature throws(ModelValidationError) in
      try ParsedSignature(signature, reader)
    }
    try require(!subgraphs.isEmpty, .subgraphs, "the model has no subgraph")
  }
}

extension ParsedSubgraph {
  fileprivate init(_ graph: FlatBufferTable, _ reader: FlatBufferReader)
    throws(ModelValidationError)
  {
    table = graph
    tensors = try reader.tables(graph, 0) { tensor throws(ModelValidationError) in
      try ParsedTensor(tensor, reader)
    }
    inputs = try reader.integers(graph, 1)
    outputs = try reader.integers(graph, 2)
    operators = try reader.tables(graph, 3) { entry throws(ModelValidationError) in
      try ParsedOperator(entry, reader)
    }
  }
}

extension ParsedTensor {
  fileprivate init(_ tensor: FlatBufferTable, _ reader: FlatBufferReader)
    throws(ModelValidationError)
  {
    shape = try reader.integers(tensor, 0)
    shapeSignature = try reader.integers(tensor, 7)
    table = tensor
    typeCode = try reader.number(tensor, 1, default: UInt8(0))
    type = TFLiteTensorType(code: typeCode)
    valueKind = ValueKind(code: typeCode)
    bufferIndex = Int(try reader.number(tensor, 2, default: UInt32(0)))
    hasExternalBuffer = try reader.number(tensor, 10, default: UInt32(0)) != 0
    isNamed = try reader.hasString(tensor, 3)
    let isVariable = try reader.number(tensor, 5, default: UInt8(0)) != 0
    variableFlag = isVariable ? tensor.offset(ofField: 5) : nil
    isSparse = try reader.table(tensor, 6) != nil
    quantization = try reader.table(tensor, 4).map { table throws(ModelValidationError) in
      try ParsedQuantization(table, reader)
    }
  }
}

extension ParsedQuantization {
  /// The quantization types that store scales and zero points in separate tensors.
  private static let typesWithParameterTensors: ClosedRange<UInt8> = 2...3

  fileprivate init(_ table: FlatBufferTable, _ reader: FlatBufferReader)
    throws(ModelValidationError)
  {
    scales = try reader.numbers(table, 2).map { (bits: UInt32) in Float(bitPattern: bits) }
    zeroPoints = try reader.numbers(table, 3)
    axis = Int(try reader.number(table, 6, default: Int32(0)))
    let type = try reader.number(table, 4, default: UInt8(0))
    guard Self.typesWithParameterTensors.contains(type), let details = try reader.table(table, 5)
    else {
      parameterTensors = []
      return
    }
    let scale = try reader.number(details, 0, default: Int32(0))
    let zeroPoint = try reader.number(details, 1, default: Int32(0))
    parameterTensors = zeroPoint == -1 ? [Int(scale)] : [Int(scale), Int(zeroPoint)]
  }
}

extension ParsedOperator {
  fileprivate init(_ table: FlatBufferTable, _ reader: FlatBufferReader)
    throws(ModelValidationError)
  {
    operatorCodeIndex = Int(try reader.number(table, 0, default: UInt32(0)))
    inputs = try reader.integers(table, 1)
    outputs = try reader.integers(table, 2)
    intermediates = try reader.nonemptyIntegers(table, 8)
    builtinOptionsType = try reader.number(table, 3, default: 0)
    builtinOptions = try reader.table(table, 4)
    builtinOptions2 = try reader.table(table, 12)
    customOptionsRange =
      try reader.vector(table, 5, elementSize: 1, countsElements: false)?.byteRange
    largeCustomOptionsRange = try reader.externalRange(table, offset: 9, size: 10)
  }
}

extension ParsedBuffer {
  fileprivate init(_ table: FlatBufferTable, _ reader: FlatBufferReader)
    throws(ModelValidationError)
  {
    let external = try reader.externalRange(table, offset: 1, size: 2)
    isExternal = external != nil
    if let external {
      byteRange = external
    } else if let vector = try reader.vector(table, 0, elementSize: 1, countsElements: false) {
      byteRange = UInt64(vector.byteRange.lowerBound)..<UInt64(vector.byteRange.upperBound)
    } else {
      byteRange = nil
    }
  }
}

extension ParsedSignature {
  fileprivate init(_ table: FlatBufferTable, _ reader: FlatBufferReader)
    throws(ModelValidationError)
  {
    typealias Entry = (tensor: Int, isNamed: Bool)
    let entries = { (field: Int) throws(ModelValidationError) -> [Entry] in
      try reader.tables(table, field) { entry throws(ModelValidationError) in
        (Int(try reader.number(entry, 1, default: UInt32(0))), try reader.hasString(entry, 0))
      }
    }
    let (inputs, outputs) = (try entries(0), try entries(1))
    self.inputs = inputs.map(\.tensor)
    self.outputs = outputs.map(\.tensor)
    hasTensorNames = (inputs + outputs).allSatisfy(\.isNamed)
    subgraphIndex = Int(try reader.number(table, 4, default: UInt32(0)))
  }
}

/// The storage class of a tensor type.
enum TFLiteTensorType: Equatable {
  /// Elements of a fixed number of bytes.
  case plain(byteCount: Int)
  /// Elements smaller than a byte, which converters pack in several ways.
  case packed
  case string
  /// Types without data in a file: resources, variants and unknown types.
  case opaque

  init(code: UInt8) {
    self = Self.typesByCode.indices.contains(Int(code)) ? Self.typesByCode[Int(code)] : .opaque
  }

  /// Returns the minimum byte count of `count` elements.
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

/// The element types that have additional rules.
enum ValueKind {
  case int32
  /// A type for quantized values, with its range.
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
