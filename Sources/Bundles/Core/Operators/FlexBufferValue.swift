/// A value in a FlexBuffer, the schemaless format of a custom operator's options.
///
/// The bytes are untrusted. A value of another type, or outside the bytes, is `nil`:
///
/// ```swift
/// import TensorIO
///
/// func stride(of node: CustomOperatorNode) throws(ModelError) -> Int {
///   try node.flexOptions()["stride"]?.integer ?? 1
/// }
/// ```
public struct FlexBufferValue: Sendable {
  private let bytes: [UInt8]
  /// The offset of the value, or of the relative offset that refers to it.
  private let position: Int
  /// The size of the value or the relative offset at `position`.
  private let width: Int
  private let kind: UInt8
  /// The size of the elements that the value refers to.
  private let elementWidth: Int

  /// Creates a value without contents.
  init() { self.init([], at: 0, width: 1, packedType: 0) }

  /// Reads the root value of a FlexBuffer; `nil` if the bytes are too short or malformed.
  public init?(root bytes: [UInt8]) {
    guard let width = bytes.last.map(Int.init), [1, 2, 4, 8].contains(width),
      bytes.count >= 2 + width
    else { return nil }
    self.init(
      bytes, at: bytes.count - 2 - width, width: width, packedType: bytes[bytes.count - 2])
  }

  private init(_ bytes: [UInt8], at position: Int, width: Int, packedType: UInt8) {
    self.bytes = bytes
    self.position = position
    self.width = width
    kind = packedType >> 2
    elementWidth = 1 << Int(packedType & 3)
  }

  /// The codes of types in the format.
  private enum Kind {
    static let (null, integer, unsigned, real): (UInt8, UInt8, UInt8, UInt8) = (0, 1, 2, 3)
    static let (key, string): (UInt8, UInt8) = (4, 5)
    static let (indirectInteger, indirectUnsigned, indirectReal): (UInt8, UInt8, UInt8) = (6, 7, 8)
    static let (map, vector): (UInt8, UInt8) = (9, 10)
    static let typedVectors: ClosedRange<UInt8> = 11...15
    static let fixedVectors: ClosedRange<UInt8> = 16...24
    static let (blob, boolean, booleans): (UInt8, UInt8, UInt8) = (25, 26, 36)
  }
}

extension FlexBufferValue {
  /// The value as an integer; a floating-point number is truncated.
  public var integer: Int? {
    switch kind {
    case Kind.integer: signed(at: position, width)
    case Kind.unsigned, Kind.boolean: unsigned(at: position, width)
    case Kind.indirectInteger: target.flatMap { signed(at: $0, elementWidth) }
    case Kind.indirectUnsigned: target.flatMap { unsigned(at: $0, elementWidth) }
    case Kind.real, Kind.indirectReal: double.flatMap { Int(exactly: $0.rounded(.towardZero)) }
    default: nil
    }
  }

  /// The value as a floating-point number.
  public var double: Double? {
    switch kind {
    case Kind.real: real(at: position, width)
    case Kind.indirectReal: target.flatMap { real(at: $0, elementWidth) }
    default: integer.map(Double.init)
    }
  }

  /// The value as a Boolean; numbers other than 0 are true.
  public var bool: Bool? { integer.map { $0 != 0 } }

  /// The text of a string or key.
  public var string: String? {
    guard let target else { return nil }
    switch kind {
    case Kind.key:
      guard let end = bytes[target...].firstIndex(of: 0) else { return nil }
      return String(validating: bytes[target..<end], as: UTF8.self)
    case Kind.string:
      guard let count = size(at: target), target + count <= bytes.count else { return nil }
      return String(validating: bytes[target..<target + count], as: UTF8.self)
    default: return nil
    }
  }

  /// The bytes of a blob or a string.
  public var blob: [UInt8]? {
    guard kind == Kind.blob || kind == Kind.string, let target, let count = size(at: target),
      target + count <= bytes.count
    else { return nil }
    return Array(bytes[target..<target + count])
  }

  /// The number of elements of a vector or map; 0 for other values.
  public var count: Int {
    switch kind {
    case Kind.map, Kind.vector, Kind.typedVectors, Kind.booleans:
      guard let target, let count = size(at: target), elementsFit(count, from: target) else {
        return 0
      }
      return count
    case Kind.fixedVectors:
      let count = Int(kind - Kind.fixedVectors.lowerBound) / 3 + 2
      return target.map { elementsFit(count, from: $0) ? count : 0 } ?? 0
    default: return 0
    }
  }

  /// Returns an element of a vector, or a value of a map in the order of its keys.
  public subscript(index: Int) -> FlexBufferValue? {
    let count = count
    guard index >= 0, index < count, let target else { return nil }
    return FlexBufferValue(
      bytes, at: target + index * elementWidth, width: elementWidth,
      packedType: packedType(ofElement: index, count, from: target))
  }

  /// Returns the value of a key of a map.
  public subscript(key: String) -> FlexBufferValue? {
    guard kind == Kind.map, let keys else { return nil }
    let index = (0..<min(keys.count, count)).first { keys[$0]?.string == key }
    return index.flatMap { self[$0] }
  }

  /// The keys of a map; `nil` for other values.
  private var keys: FlexBufferValue? {
    guard let target, let keyWidth = unsigned(at: target - 2 * elementWidth, elementWidth),
      [1, 2, 4, 8].contains(keyWidth)
    else { return nil }
    let widthCode = UInt8(keyWidth.trailingZeroBitCount)
    return FlexBufferValue(
      bytes, at: target - 3 * elementWidth, width: elementWidth,
      packedType: Self.keyVector << 2 | widthCode)
  }

  private static let keyVector: UInt8 = 14
}

extension FlexBufferValue {
  /// The offset of what the value refers to.
  private var target: Int? {
    guard let distance = unsigned(at: position, width), distance <= position else { return nil }
    return position - distance
  }

  /// The number of elements before the elements at `target`.
  private func size(at target: Int) -> Int? {
    guard let count = unsigned(at: target - elementWidth, elementWidth),
      count <= bytes.count
    else { return nil }
    return count
  }

  /// Whether a vector with its types is inside the bytes.
  private func elementsFit(_ count: Int, from target: Int) -> Bool {
    let typeBytes = kind == Kind.map || kind == Kind.vector ? count : 0
    return target + count * elementWidth + typeBytes <= bytes.count
  }

  private func packedType(ofElement index: Int, _ count: Int, from target: Int) -> UInt8 {
    switch kind {
    case Kind.map, Kind.vector: bytes[target + count * elementWidth + index]
    case Kind.booleans: Kind.boolean << 2
    case Kind.fixedVectors: ((kind - Kind.fixedVectors.lowerBound) % 3 + Kind.integer) << 2
    default: (kind - Kind.typedVectors.lowerBound + Kind.integer) << 2
    }
  }

  private func bits(at offset: Int, _ width: Int) -> UInt64? {
    guard offset >= 0, offset <= bytes.count - width else { return nil }
    return bytes[offset..<offset + width].reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  private func unsigned(at offset: Int, _ width: Int) -> Int? {
    bits(at: offset, width).flatMap { Int(exactly: $0) }
  }

  private func signed(at offset: Int, _ width: Int) -> Int? {
    let unused = 64 - 8 * width
    return bits(at: offset, width).map { Int(Int64(bitPattern: $0 << unused) >> unused) }
  }

  private func real(at offset: Int, _ width: Int) -> Double? {
    guard let bits = bits(at: offset, width) else { return nil }
    return switch width {
    case 8: Double(bitPattern: bits)
    case 4: Double(Float(bitPattern: UInt32(bits)))
    case 2: Double(HalfFloat.value(of: UInt16(bits)))
    default: nil
    }
  }
}
