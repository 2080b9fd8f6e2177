import TensorIOCore

/// Converts tensors from and to `TensorProto`.
enum TensorFlowTensor {
  /// Returns the tensor in a message.
  ///
  /// - Throws: A ``ClientError`` that names the input.
  static func tensor(
    _ message: ProtobufMessage, _ name: String, _ context: RequestContext
  ) throws(ClientError) -> InferenceTensor {
    let bytes: Int
    do throws(ProtobufError) {
      bytes = try Proto.maxByteCount(message)
    } catch {
      throw .invalidInput(name, "malformed TensorProto: \(error.rawValue)")
    }
    try context.memory.grow(by: bytes)
    try context.checkCancellation()
    var proto = Proto()
    do throws(ProtobufError) {
      try proto.read(message)
    } catch {
      throw .invalidInput(name, "malformed TensorProto: \(error.rawValue)")
    }
    guard let datatype = TensorDatatype(tensorFlowNumber: proto.datatype) else {
      throw .invalidInput(name, "the dtype \(proto.datatype) is not supported")
    }
    guard !proto.hasUnknownRank else { throw .invalidInput(name, "the shape is unknown") }
    if let content = proto.content {
      guard datatype != .bytes else {
        throw .invalidInput(name, "strings must be in string_val")
      }
      return try InferenceTensor(name, datatype, shape: proto.shape, binary: content.contents)
    }
    // A call for another model's shape is refused before its values are repeated.
    var tensor = InferenceTensor(
      name, datatype, shape: proto.shape,
      datatype == .bytes
        ? .strings(proto.strings) : .bytes(try proto.elements(datatype, input: name)))
    tensor.repeatsLast = true
    return tensor
  }

  /// Writes a tensor.
  static func write(_ tensor: InferenceTensor, to writer: inout ProtobufWriter) {
    writer.varint(1, tensor.datatype.tensorFlowNumber)
    writer.message(2) { writer in
      for length in tensor.shape {
        writer.message(2) { $0.varint(1, UInt64(bitPattern: Int64(length))) }
      }
    }
    if let strings = tensor.strings {
      for string in strings { writer.bytes(8, string) }
    } else {
      writer.bytes(4, tensor.binary)
    }
  }
}

extension TensorFlowTensor {
  /// The fields of a `TensorProto`.
  private struct Proto {
    var datatype: UInt64 = 0
    var shape: [Int] = []
    var hasUnknownRank = false
    var content: ProtobufMessage?
    var strings: [[UInt8]] = []
    private var floats: [UInt8] = []
    private var doubles: [UInt8] = []
    private var integers: [UInt64] = []
    /// The field of the integers; `nil` if there are none.
    private var integerField: UInt64?

    private static let maxElementCount = 1 << 24

    /// Returns the memory that the fields take at most.
    static func maxByteCount(_ message: ProtobufMessage) throws(ProtobufError) -> Int {
      var bytes = 0
      try message.forEachField { (number, value) throws(ProtobufError) in
        switch number {
        case 4, 5, 6: bytes += value.maxByteCount(isInteger: false)
        case 7, 10, 11, 13, 16, 17: bytes += value.maxByteCount(isInteger: true)
        case 8: bytes += value.maxByteCount(isInteger: false, isString: true)
        default: break
        }
      }
      return bytes
    }

    mutating func read(_ message: ProtobufMessage) throws(ProtobufError) {
      var copy = self
      try message.forEachField { (number, value) throws(ProtobufError) in
        try copy.add(number, value)
      }
      self = copy
    }

    private mutating func add(_ number: UInt64, _ value: ProtobufValue) throws(ProtobufError) {
      switch number {
      case 1: datatype = UInt64(bitPattern: Int64(try value.integer()))
      case 2: try readShape(value.message())
      case 4: content = try value.message().count == 0 ? nil : value.message()
      case 5: floats += try value.memory(size: 4)
      case 6: doubles += try value.memory(size: 8)
      case 8:
        guard strings.count < Self.maxElementCount else { throw .tooManyEntries }
        strings.append(Array(try value.message().contents))
      case 7, 10, 11, 13, 16, 17:
        guard integerField == nil || integerField == number else { throw .repeatedField }
        integerField = number
        try value.appendIntegers(to: &integers, limit: Self.maxElementCount) { $0 }
      default: break
      }
    }

    private mutating func readShape(_ message: ProtobufMessage) throws(ProtobufError) {
      var (shape, isUnknown) = ([Int](), false)
      try message.forEachField { (number, value) throws(ProtobufError) in
        switch number {
        case 2:
          var length = 0
          try value.message().forEachField { (number, value) throws(ProtobufError) in
            if number == 1 { length = try value.integer() }
          }
          shape.append(length)
          guard shape.count <= ProtobufMessage.maxDimensionCount else { throw .tooManyEntries }
        case 3: isUnknown = try value.integer() != 0
        default: break
        }
      }
      (self.shape, hasUnknownRank) = (shape, isUnknown)
    }

    /// Returns the memory of the elements in the field of a datatype.
    func elements(
      _ datatype: TensorDatatype, input name: String
    ) throws(ClientError) -> [UInt8] {
      switch datatype {
      case .fp32: return floats
      case .fp64: return doubles
      case .bytes: return []
      default: break
      }
      guard integerField == nil || integerField == datatype.tensorFlowField else {
        throw .invalidInput(
          name, "the elements are in field \(integerField ?? 0), not in that of the dtype")
      }
      let size = datatype.byteCount ?? 1
      var bytes: [UInt8] = []
      bytes.reserveCapacity(integers.count * size)
      for value in integers {
        guard datatype.represents(value) else {
          throw .invalidInput(
            name, "the number \(Int64(bitPattern: value)) does not fit \(datatype.rawValue)")
        }
        for shift in stride(from: 0, to: 8 * size, by: 8) {
          bytes.append(UInt8(truncatingIfNeeded: value >> UInt64(shift)))
        }
      }
      return bytes
    }
  }
}
