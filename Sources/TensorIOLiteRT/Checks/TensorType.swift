/// A type of elements, by the number that files have for it.
enum TensorType: Equatable {
  /// Elements of so many bytes each.
  case plain(byteCount: Int)
  /// Elements of less than a byte, which converters pack in more than one way.
  case packed
  case text
  /// What has no bytes in a file: resources, variants, and types that are not known here.
  case opaque

  init(number: UInt8) {
    self = Self.all.indices.contains(Int(number)) ? Self.all[Int(number)] : .opaque
  }

  /// The fewest bytes of that many elements.
  func leastBytes(_ count: Int) -> Int {
    switch self {
    case .plain(let byteCount):
      let (bytes, overflow) = count.multipliedReportingOverflow(by: byteCount)
      return overflow ? .max : bytes
    case .packed: return count / 4
    case .text, .opaque: return count
    }
  }

  private static let all: [TensorType] = [
    .plain(byteCount: 4), .plain(byteCount: 2), .plain(byteCount: 4), .plain(byteCount: 1),
    .plain(byteCount: 8), .text, .plain(byteCount: 1), .plain(byteCount: 2),
    .plain(byteCount: 8), .plain(byteCount: 1), .plain(byteCount: 8), .plain(byteCount: 16),
    .plain(byteCount: 8), .opaque, .opaque, .plain(byteCount: 4), .plain(byteCount: 2), .packed,
    .plain(byteCount: 2), .packed, .packed, .plain(byteCount: 1), .plain(byteCount: 1),
  ]
}

/// Types of elements about which there is more to say.
enum ValueKind {
  case int32
  /// Numbers that stand for others, if their zero is one of them.
  case quantized(ClosedRange<Int64>)
  case other

  init(number: UInt8) {
    switch number {
    case 2: self = .int32
    case 3: self = .quantized(0...255)
    case 7: self = .quantized(-32768...32767)
    case 9: self = .quantized(-128...127)
    default: self = .other
    }
  }
}
