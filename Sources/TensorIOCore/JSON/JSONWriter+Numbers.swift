extension JSONWriter {
  /// Writes an array of numbers, in one line.
  public mutating func numbers(_ values: some Collection<Float>) {
    row(values) { $0.appendNumber($1) }
  }

  /// Writes an array of numbers, in one line.
  public mutating func numbers(_ values: some Collection<Double>) {
    row(values) { $0.appendNumber($1) }
  }

  /// Writes an array of integers, in one line.
  public mutating func numbers(_ values: some Collection<some BinaryInteger>) {
    row(values) { $0.append($1.description.utf8) }
  }

  private mutating func row<Values: Collection>(
    _ values: Values, append number: (inout JSONWriter, Values.Element) -> Void
  ) {
    let usualLength = 12
    separate()
    reserve(values.count * usualLength)
    append(ASCII.openBracket)
    var isFirst = true
    for value in values {
      if !isFirst { append(ASCII.comma) }
      isFirst = false
      number(&self, value)
    }
    append(ASCII.closeBracket)
  }

  /// Appends the shortest decimal that reads back as the number.
  ///
  /// Whole numbers are written without a fraction, as integers are; negative zero keeps one,
  /// since as an integer it would lose its sign.
  mutating func appendNumber<Number: BinaryFloatingPoint & LosslessStringConvertible>(
    _ number: Number
  ) {
    guard number.isFinite else {
      nonfiniteCount += 1
      return append(JSONWriter.nothing)
    }
    let start = bytes.count
    append(number.description.utf8)
    let isWhole = bytes.count - start > 2 && bytes.suffix(2).elementsEqual([ASCII.dot, ASCII.zero])
    if isWhole, number != 0 || number.sign == .plus { dropLast(2) }
  }
}
