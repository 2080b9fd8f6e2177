import TensorIOCore

extension Array where Element: FixedWidthInteger {
  /// Returns the numbers of an input in another type.
  ///
  /// - Throws: A ``ClientError`` that names the input and its datatype if the type does not represent a number.
  func narrowed<Narrow: FixedWidthInteger>(
    to type: Narrow.Type, of input: String, _ datatype: TensorDatatype
  ) throws(ClientError) -> [Narrow] {
    var result: [Narrow] = []
    result.reserveCapacity(count)
    for value in self {
      guard let narrow = Narrow(exactly: value) else {
        throw .invalidInput(input, "the number \(value) does not fit \(datatype.rawValue)")
      }
      result.append(narrow)
    }
    return result
  }

  /// The memory of the numbers, in little-endian order.
  var littleEndianBytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count * MemoryLayout<Element>.size)
    for value in self {
      for shift in stride(from: 0, to: Element.bitWidth, by: 8) {
        bytes.append(UInt8(truncatingIfNeeded: value >> shift))
      }
    }
    return bytes
  }
}

extension Array where Element: FixedWidthInteger {
  /// Returns the numbers of an input as a tensor of a narrower datatype that runtimes have; `nil` for other types.
  ///
  /// - Throws: A ``ClientError`` if a number is out of range.
  func tensor(
    of datatype: TensorDatatype, shape: [Int], input: String
  ) throws(ClientError) -> Tensor? {
    switch datatype {
    case .int8: Tensor(try narrowed(to: Int8.self, of: input, datatype), shape: shape)
    case .int16: Tensor(try narrowed(to: Int16.self, of: input, datatype), shape: shape)
    case .int32: Tensor(try narrowed(to: Int32.self, of: input, datatype), shape: shape)
    case .uint8: Tensor(try narrowed(to: UInt8.self, of: input, datatype), shape: shape)
    default: nil
    }
  }

  /// Returns the memory of the numbers of an input as integers of a datatype; `nil` for other types.
  ///
  /// - Throws: A ``ClientError`` if a number is out of range.
  func bytes(
    of datatype: TensorDatatype, input: String
  ) throws(ClientError) -> [UInt8]? {
    try datatype.visitInteger(NarrowingVisitor(numbers: self, datatype: datatype, input: input))
  }
}

private struct NarrowingVisitor<Number: FixedWidthInteger>: IntegerVisitor {
  let numbers: [Number]
  let datatype: TensorDatatype
  let input: String

  func visit<Integer: FixedWidthInteger>(_ type: Integer.Type) throws(ClientError) -> [UInt8] {
    guard Number.self != Integer.self else { return numbers.littleEndianBytes }
    return try numbers.narrowed(to: type, of: input, datatype).littleEndianBytes
  }
}
