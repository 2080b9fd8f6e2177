extension Array where Element: FixedWidthInteger {
  /// Returns the numbers of an input in another type.
  ///
  /// - Throws: A ``ClientError`` that names the input if the type does not represent a number.
  func narrowed<Narrow: FixedWidthInteger>(
    to type: Narrow.Type, of input: String, _ typeName: String
  ) throws(ClientError) -> [Narrow] {
    var result: [Narrow] = []
    result.reserveCapacity(count)
    for value in self {
      guard let narrow = Narrow(exactly: value) else {
        throw .invalidInput(input, "the number \(value) does not fit \(typeName)")
      }
      result.append(narrow)
    }
    return result
  }
}
