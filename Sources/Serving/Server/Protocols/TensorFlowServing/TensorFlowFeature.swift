import TensorIOCore

/// The values of `tf.Feature` messages: byte strings, floats or integers.
struct TensorFlowFeature: Sendable {
  private var strings: [[UInt8]] = []
  /// The memory of floats.
  private var floats: [UInt8] = []
  private var integers: [Int64] = []

  private static let floatByteCount = 4
  /// The maximum number of integers and of strings, each of which may take one byte of a message.
  private static let maxCount = 1 << 24

  /// The number of values.
  var count: Int { strings.count + floats.count / Self.floatByteCount + integers.count }

  /// Adds the values of a message.
  mutating func append(_ feature: ProtobufMessage) throws(ProtobufError) {
    var kind: UInt64?
    try feature.forEachField { (number, value) throws(ProtobufError) in
      guard (1...3).contains(number) else { return }
      guard kind == nil || kind == number else { throw .repeatedField }
      kind = number
      try value.message().forEachField { (field, value) throws(ProtobufError) in
        guard field == 1 else { return }
        switch number {
        case 1:
          guard strings.count < Self.maxCount else { throw .tooManyEntries }
          strings.append(Array(try value.message().contents))
        case 2: floats += try value.memory(size: Self.floatByteCount)
        default:
          try value.appendIntegers(to: &integers, limit: Self.maxCount) { Int64(bitPattern: $0) }
        }
      }
    }
  }

  /// Returns the values as a tensor of an input.
  ///
  /// - Throws: A ``ClientError`` if the input does not take values of this type.
  func tensor(
    for input: InferenceModelMetadata.TensorMetadata, shape: [Int]
  ) throws(ClientError) -> InferenceTensor {
    let lists = [
      ("bytes_list", strings.count), ("float_list", floats.count), ("int64_list", integers.count),
    ]
    let found = lists.filter { $0.1 > 0 }.map(\.0)
    guard let list = found.first, found.count == 1 else {
      throw .invalidInput(
        input.name, "has values in \(found.joined(separator: " and ")); expected one of them")
    }
    switch (input.datatype, list) {
    case (.bytes, "bytes_list"):
      return InferenceTensor(input.name, .bytes, shape: shape, .strings(strings))
    case (_, "bytes_list") where input.imageLayout != nil:
      // The encoded file of each example.
      return InferenceTensor(input.name, .bytes, shape: shape, .strings(strings))
    case (.fp32, "float_list"):
      return InferenceTensor(input.name, .fp32, shape: shape, .bytes(floats))
    case (.fp64, "float_list"), (.fp16, "float_list"):
      let values = ProtobufMessage(floats).floats(limit: floats.count)
      return input.tensor(values, shape: shape)
    case (.fp16, "int64_list"), (.fp32, "int64_list"), (.fp64, "int64_list"):
      return input.tensor(try converted(input) { Float(exactly: $0) }, shape: shape)
    case (.bool, "int64_list"):
      let values = try converted(input) { [0: false, 1: true][$0] }
      return InferenceTensor(
        input.name, .bool, shape: shape, .tensor(Tensor(values, shape: shape)))
    case (.int8, "int64_list"), (.int16, "int64_list"), (.int32, "int64_list"),
      (.int64, "int64_list"), (.uint8, "int64_list"):
      return try input.tensor(integers, shape: shape)
    default:
      throw .invalidInput(
        input.name, "values of \(input.datatype.rawValue) cannot be in \(list)")
    }
  }

  private func converted<Value>(
    _ input: InferenceModelMetadata.TensorMetadata, _ convert: (Int64) -> Value?
  ) throws(ClientError) -> [Value] {
    var values: [Value] = []
    values.reserveCapacity(integers.count)
    for integer in integers {
      guard let value = convert(integer) else {
        throw .invalidInput(
          input.name, "the number \(integer) does not fit \(input.datatype.rawValue)")
      }
      values.append(value)
    }
    return values
  }
}
