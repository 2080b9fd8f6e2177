extension JSONNode {
  /// The text of a string.
  public var string: String? {
    kind == .string ? JSONText(entry, in: tape.bytes).string : nil
  }

  /// The truth of a boolean.
  public var bool: Bool? {
    switch entry.kind {
    case .yes: true
    case .no: false
    default: nil
    }
  }

  /// Whether the value is a number written without a fraction and without an exponent.
  public var isInteger: Bool { entry.kind == .integer }

  /// The value of a number that is written as an integer and fits.
  ///
  /// `1.0` and `1e3` are no integers here: whoever wrote them meant something that is measured,
  /// and every place of the format that wants an integer counts.
  public var int: Int64? {
    guard isInteger else { return nil }
    let digits = tape.bytes
    let isNegative = digits[range.lowerBound] == ASCII.minus
    var value: Int64 = 0
    for index in range.lowerBound + (isNegative ? 1 : 0)..<range.upperBound {
      // Counted downwards, since the smallest integer has no positive.
      let (product, isTooLong) = value.multipliedReportingOverflow(by: 10)
      let digit = Int64(digits[index] &- ASCII.zero)
      let (difference, isTooLarge) = product.subtractingReportingOverflow(digit)
      if isTooLong || isTooLarge { return nil }
      value = difference
    }
    if isNegative { return value }
    return value == .min ? nil : -value
  }

  /// The `Double` nearest to a number.
  ///
  /// It is finite: the reader refuses numbers that are not.
  public var double: Double? {
    guard kind == .number else { return nil }
    let bytes = tape.bytes
    return DecimalNumber.short(bytes.span, range) ?? DecimalNumber(bytes, range).double
  }

  /// The `Float` nearest to a number; infinite when the number is too large for one.
  public var float: Float? {
    kind == .number ? DecimalNumber(tape.bytes, range).float : nil
  }
}
