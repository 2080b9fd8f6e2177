import TensorIOCore
public import TensorIOImage

/// A value that results consist of: a number, a text, an image, a record, or a list of these.
///
/// Declare the records of an own task with ``ResultRecord``; everything else conforms already.
public protocol ResultValue: Sendable {
  /// Returns values as a column.
  static func column(of values: [Self]) -> ResultColumn
}

extension Float: ResultValue {
  /// Returns numbers as a column.
  public static func column(of values: [Float]) -> ResultColumn {
    .numbers(Numbers(.floats(values)))
  }
}

extension Double: ResultValue {
  /// Returns numbers as a column.
  public static func column(of values: [Double]) -> ResultColumn {
    .numbers(Numbers(.doubles(values)))
  }
}

extension Int: ResultValue {
  /// Returns integers as a column.
  public static func column(of values: [Int]) -> ResultColumn {
    .numbers(Numbers(.integers(values.map(Int64.init))))
  }
}

extension Bool: ResultValue {
  /// Returns Boolean values as a column.
  public static func column(of values: [Bool]) -> ResultColumn {
    .numbers(Numbers(.booleans(values)))
  }
}

extension String: ResultValue {
  /// Returns texts as a column.
  public static func column(of values: [String]) -> ResultColumn { .texts(values) }
}

extension ImageBuffer: ResultValue {
  /// Returns images as a column.
  public static func column(of values: [ImageBuffer]) -> ResultColumn { .images(values) }
}

extension Array: ResultValue where Element: ResultValue {
  /// Returns lists as a column.
  public static func column(of values: [[Element]]) -> ResultColumn {
    // A single list, the usual case, is not copied. Key paths of generic types would be made by the runtime.
    let all = values.count == 1 ? values[0] : values.flatMap { $0 }
    return .lists(ends: ResultColumn.ends(values.map { $0.count }), of: Element.column(of: all))
  }
}

extension Optional: ResultValue where Wrapped: ResultValue {
  /// Returns values that may be missing as a column.
  public static func column(of values: [Wrapped?]) -> ResultColumn {
    .optionals(
      isPresent: values.map { $0 != nil }, of: Wrapped.column(of: values.compactMap { $0 }))
  }
}

extension ResultColumn {
  /// Returns the ends of lists of some lengths.
  static func ends(_ counts: [Int]) -> [Int] {
    var end = 0
    return counts.map { count in
      end += count
      return end
    }
  }
}
