internal import CLiteRT
internal import TensorIOCore

extension ElementType {
  private static let numbers: [(ElementType, Int)] = [
    (.float32, CLiteRTElementFloat32), (.float16, CLiteRTElementFloat16),
    (.float64, CLiteRTElementFloat64), (.uint8, CLiteRTElementUInt8),
    (.int8, CLiteRTElementInt8), (.int16, CLiteRTElementInt16), (.int32, CLiteRTElementInt32),
    (.int64, CLiteRTElementInt64), (.bool, CLiteRTElementBool), (.string, CLiteRTElementString),
  ]

  /// The type with LiteRT's number.
  init?(liteRT number: Int32) {
    guard let known = Self.numbers.first(where: { $0.1 == number }) else { return nil }
    self = known.0
  }

  /// LiteRT's number of the type.
  var liteRT: Int32 {
    Int32(Self.numbers.first { $0.0 == self }?.1 ?? 0)
  }

  /// The most bytes that one input or output may take.
  static let byteLimit = 2 << 30

  /// How many bytes a tensor takes, or an error when that is absurd.
  ///
  /// The runtime itself would multiply, overflow, and then allocate or hang.
  @discardableResult
  func requireModestSize(_ shape: TensorShape, of name: String) throws(ModelError) -> Int {
    let (bytes, overflow) = (shape.elementCount ?? .max)
      .multipliedReportingOverflow(by: byteCount ?? 1)
    guard !overflow, bytes <= Self.byteLimit else {
      throw ModelError(
        .runtime, .modelRefused(problem: "\(name) with the shape \(shape) is too large"))
    }
    return bytes
  }
}

extension LiteRtLayout {
  /// The lengths of the axes, -1 where one varies.
  var lengths: [Int] {
    var layout = self
    return unsafe withUnsafePointer(to: &layout) { layout in
      unsafe (0..<min(clitert_rank(layout), CLiteRTMaximumRank)).map { axis in
        unsafe Int(clitert_axis(layout, axis))
      }
    }
  }
}
