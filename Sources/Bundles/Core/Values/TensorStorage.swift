import TensorIOBundle

/// The elements of a tensor, in an array of their own type.
enum TensorStorage: Sendable, Hashable {
  case float32([Float])
  /// The bits of half-precision numbers.
  case float16([UInt16])
  case float64([Double])
  case uint8([UInt8])
  case int8([Int8])
  case int16([Int16])
  case int32([Int32])
  case int64([Int64])
  case bool([Bool])
  case string(Strings)

  /// Stores an array without copying it.
  init<Element: TensorElement>(_ elements: [Element]) {
    // A cast of an array casts each element; a cast of `Any` that contains the array does not.
    let array: Any = elements
    self =
      switch array {
      case let values as [Float]: .float32(values)
      case let values as [Double]: .float64(values)
      case let values as [UInt8]: .uint8(values)
      case let values as [Int8]: .int8(values)
      case let values as [Int16]: .int16(values)
      case let values as [Int32]: .int32(values)
      case let values as [Int64]: .int64(values)
      case let values as [Bool]: .bool(values)
      default: preconditionFailure("\(Element.self) cannot be the element of a tensor")
      }
  }

  /// Copies elements from memory, which is large enough and whose type has a fixed size.
  init(_ memory: RawSpan, _ elementType: ElementType, count: Int) {
    self =
      switch elementType {
      case .float32: .float32(memory.array(of: Float.self, count: count))
      case .float16: .float16(memory.array(of: UInt16.self, count: count))
      case .float64: .float64(memory.array(of: Double.self, count: count))
      case .uint8: .uint8(memory.array(of: UInt8.self, count: count))
      case .int8: .int8(memory.array(of: Int8.self, count: count))
      case .int16: .int16(memory.array(of: Int16.self, count: count))
      case .int32: .int32(memory.array(of: Int32.self, count: count))
      case .int64: .int64(memory.array(of: Int64.self, count: count))
      case .bool: .bool(memory.map(UInt8.self, count: count) { $0 != 0 })
      case .string: .string([])
      }
  }

  /// The type of the elements.
  var elementType: ElementType {
    switch self {
    case .float32: .float32
    case .float16: .float16
    case .float64: .float64
    case .uint8: .uint8
    case .int8: .int8
    case .int16: .int16
    case .int32: .int32
    case .int64: .int64
    case .bool: .bool
    case .string: .string
    }
  }

  /// The number of elements.
  var count: Int {
    switch self {
    case .float32(let values): values.count
    case .float16(let values): values.count
    case .float64(let values): values.count
    case .uint8(let values): values.count
    case .int8(let values): values.count
    case .int16(let values): values.count
    case .int32(let values): values.count
    case .int64(let values): values.count
    case .bool(let values): values.count
    case .string(let strings): strings.count
    }
  }

  /// Returns the array without copying it, if it has elements of a type.
  func array<Element: TensorElement>(of type: Element.Type) -> [Element]? {
    guard self.elementType == Element.elementType else { return nil }
    let array: Any? =
      switch self {
      case .float32(let values): values
      case .float64(let values): values
      case .uint8(let values): values
      case .int8(let values): values
      case .int16(let values): values
      case .int32(let values): values
      case .int64(let values): values
      case .bool(let values): values
      case .float16, .string: nil
      }
    return array as? [Element]
  }

  /// The element at a row-major index, converted to `Double`; 0 for a string.
  subscript(index: Int) -> Double {
    switch self {
    case .float32(let values): Double(values[index])
    case .float16(let values): Double(HalfFloat.value(of: values[index]))
    case .float64(let values): values[index]
    case .uint8(let values): Double(values[index])
    case .int8(let values): Double(values[index])
    case .int16(let values): Double(values[index])
    case .int32(let values): Double(values[index])
    case .int64(let values): Double(values[index])
    case .bool(let values): values[index] ? 1 : 0
    case .string: 0
    }
  }

  /// The elements as numbers, in the narrowest type that represents them exactly.
  var elements: Numbers.Elements {
    switch self {
    case .float32(let values): .floats(values)
    case .float16(let values): .floats(values.map(HalfFloat.value(of:)))
    case .float64(let values): .doubles(values)
    case .uint8(let values): .integers(values.map { Int64($0) })
    case .int8(let values): .integers(values.map { Int64($0) })
    case .int16(let values): .integers(values.map { Int64($0) })
    case .int32(let values): .integers(values.map { Int64($0) })
    case .int64(let values): .integers(values)
    case .bool(let values): .booleans(values)
    case .string: .integers([])
    }
  }

  /// All elements as `Float`.
  var floats: [Float] {
    switch self {
    case .float32(let values): values
    case .float16(let values): values.map(HalfFloat.value(of:))
    case .float64(let values): values.map { Float($0) }
    case .uint8(let values): values.map { Float($0) }
    case .int8(let values): values.map { Float($0) }
    case .int16(let values): values.map { Float($0) }
    case .int32(let values): values.map { Float($0) }
    case .int64(let values): values.map { Float($0) }
    case .bool(let values): values.map { $0 ? 1 : 0 }
    case .string: []
    }
  }

  /// Returns the elements in a range.
  func slice(_ range: Range<Int>) -> TensorStorage {
    switch self {
    case .float32(let values): .float32(Array(values[range]))
    case .float16(let values): .float16(Array(values[range]))
    case .float64(let values): .float64(Array(values[range]))
    case .uint8(let values): .uint8(Array(values[range]))
    case .int8(let values): .int8(Array(values[range]))
    case .int16(let values): .int16(Array(values[range]))
    case .int32(let values): .int32(Array(values[range]))
    case .int64(let values): .int64(Array(values[range]))
    case .bool(let values): .bool(Array(values[range]))
    case .string(let strings): .string(Strings(bytes: Array(strings.bytes[range])))
    }
  }
}

extension Numbers.Elements {
  /// The elements as the storage of a tensor, without copying them.
  var storage: TensorStorage {
    switch self {
    case .floats(let values): .float32(values)
    case .doubles(let values): .float64(values)
    case .integers(let values): .int64(values)
    case .booleans(let values): .bool(values)
    }
  }
}
