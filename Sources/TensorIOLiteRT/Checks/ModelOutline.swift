/// What a `.tflite` file says, as far as it is checked.
struct ModelOutline {
  let bytes: ModelBytes
  /// The kinds of operators, by the numbers that operators refer to.
  let kinds: [OperatorKind]
  let graphs: [GraphOutline]
  let buffers: [BufferOutline]
  let metadata: [MetadataOutline]
  /// What the older form of metadata refers to.
  let metadataBuffers: [Int]
  let signatures: [SignatureOutline]

  /// The graphs that callers can run: the first, and those with a signature.
  var exposed: [Int] {
    Set([0] + signatures.map(\.graph)).filter(graphs.indices.contains).sorted()
  }
}

struct GraphOutline {
  let tensors: [TensorOutline]
  let inputs: [Int]
  let outputs: [Int]
  let operators: [OperatorOutline]
}

struct TensorOutline {
  let shape: [Int]
  /// The shape with -1 where a length may vary; empty when none does.
  let signature: [Int]
  let type: TensorType
  let values: ValueKind
  let buffer: Int
  let isElsewhere: Bool
  let isNamed: Bool
  let isVariable: Bool
  let isSparse: Bool
  let quantization: QuantizationOutline?
}

struct QuantizationOutline {
  let scales: [Float]
  let zeroPoints: [Int64]
  let axis: Int
  /// The tensors that hold scales and zero points, where these are too many to be listed.
  let tensors: [Int]
}

struct OperatorOutline {
  /// The place of its kind in the model's list.
  let kind: Int
  let inputs: [Int]
  let outputs: [Int]
  /// What the options are those of.
  let optionsForm: UInt8
  let options: FlatTable?
  /// Options of operators that are newer than that list of options.
  let newerOptions: FlatTable?
  /// Where options lie that are not in a table.
  let distantOptions: Range<UInt64>?
}

struct BufferOutline {
  /// Where the bytes are; `nil` when there are none.
  let place: Range<UInt64>?

  var byteCount: UInt64 { place.map { $0.upperBound - $0.lowerBound } ?? 0 }
}

struct MetadataOutline {
  let isNamed: Bool
  let buffer: Int
}

struct SignatureOutline {
  let isNamed: Bool
  let inputs: [Int]
  let outputs: [Int]
  let graph: Int
}
