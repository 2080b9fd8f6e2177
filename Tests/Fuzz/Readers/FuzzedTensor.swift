import TensorIOBundle

@testable import TensorIOCore

/// A tensor made of fuzzed bytes: a kind, the number of dimensions, the dimensions, the number of values,
/// and the values, which are repeated if the shape has more elements.
enum FuzzedTensor {
  /// The maximum number of elements; more would slow down fuzzing.
  private static let maxElements = 1 << 14
  private static let largeDimensions = [
    Int(Int32.max), 1 << 30, 1 << 20, 65_536, 65_535, 8400, 1000, 300,
  ]
  private static let specialValues: [Float] = [
    .nan, .infinity, -.infinity, .greatestFiniteMagnitude, -.greatestFiniteMagnitude,
    .leastNonzeroMagnitude, -0.0, 1e9, 1e20, -1e20, 2_147_483_648, 9_223_372_036_854_775_808, 0.5,
    -1, 65_535, -200,
  ]

  /// Returns the value of an output; `nil` if the bytes end too early or the shape is too large.
  static func value(of layer: Layer, _ bytes: inout ArraySlice<UInt8>) -> LayerValue? {
    guard let kind = bytes.popFirst(), let rank = bytes.popFirst() else { return nil }
    var shape = layer.shape.dimensions.map { $0 ?? 1 }
    if rank != .max {
      shape = []
      for _ in 0..<rank % 6 {
        guard let length = bytes.popFirst() else { return nil }
        shape.append(length < 248 ? Int(length) : largeDimensions[Int(length) - 248])
      }
    }
    guard let length = bytes.popFirst(), let count = shape.checkedProduct, count <= maxElements
    else { return nil }
    let source = Array(bytes.prefix(Int(length)))
    bytes = bytes.dropFirst(Int(length))
    let pool = source.isEmpty ? [0] : source
    let codes = (0..<count).map { pool[$0 % pool.count] }
    return switch kind % 12 {
    case 0: numbers(codes.map { number($0, scale: 64) }, shape)
    case 1: numbers(codes.map { number($0, scale: 1) }, shape)
    case 2: numbers(codes.map { number($0, scale: 8, offset: 120) }, shape)
    case 3: numbers(bitPatterns(pool, count), shape)
    case 4: .numbers(Numbers(.doubles(codes.map { Double(number($0, scale: 16)) }), shape: shape))
    case 5: .numbers(Numbers(.integers(codes.map { integer($0) }), shape: shape))
    case 6: .numbers(Numbers(.booleans(codes.map { $0 % 2 == 1 }), shape: shape))
    case 7: Numbers(Tensor(codes, shape: shape)).map { .numbers($0) } ?? .bytes(codes)
    case 8:
      .classification(
        Classification(labels: ["a", "b"], scores: codes.map { number($0, scale: 64) }))
    case 9: .bytes(codes)
    case 10: .strings(Strings(codes.map { "\($0)" }))
    default: .list(codes.prefix(8).map { .number(Double(number($0, scale: 64))) })
    }
  }

  private static func numbers(_ values: [Float], _ shape: [Int]) -> LayerValue {
    .numbers(Numbers(.floats(values), shape: shape))
  }

  /// Returns the number that a byte stands for.
  static func number(_ code: UInt8, scale: Float, offset: Float = 0) -> Float {
    code < 240 ? (Float(code) - offset) / scale : specialValues[Int(code) - 240]
  }

  private static func integer(_ code: UInt8) -> Int64 {
    switch code {
    case 255: .max
    case 254: .min
    case 253: 65_535
    case 252: -1
    default: Int64(code)
    }
  }

  /// Returns numbers whose bits are those of the bytes.
  private static func bitPatterns(_ pool: [UInt8], _ count: Int) -> [Float] {
    (0..<count).map { index in
      let bits = (0..<4).reduce(UInt32(0)) { bits, offset in
        bits << 8 | UInt32(pool[(4 * index + offset) % pool.count])
      }
      return Float(bitPattern: bits)
    }
  }
}
