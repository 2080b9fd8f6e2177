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
