import TensorIOBundle
import TensorIOCore

/// A constant of an ONNX file.
struct ONNXTensor: Sendable {
  var name = ""
  var dimensions: [Int] = []
  /// ONNX's code of the element type.
  var elementType = 0
  /// The location of the data in another file, or `nil` if it is in this one.
  var external: ExternalData?
  /// The number of bytes of `raw_data`, or `nil` if the data is in another field.
  var rawByteCount: Int? { raw?.count }

  private var raw: ProtobufMessage?
  private var floatData: [ProtobufValue] = []

  /// A range of another file.
  struct ExternalData: Sendable, Hashable {
    /// The path of the file, relative to the model's.
    var location = ""
    var offset = 0
    /// The number of bytes; `nil` up to the end of the file.
    var length: Int?
  }

  init(_ message: ProtobufMessage) throws(ProtobufError) {
    var isExternal = false
    var entries: [(name: String, value: ProtobufMessage)] = []
    try message.forEachField { (field, value) throws(ProtobufError) in
      switch field {
      case 1: dimensions += try value.integers()
      case 2: elementType = try value.integer()
      case 4: floatData.append(value)
      case 8: name = try value.string()
      case 9: raw = try value.message()
      case 13: entries.append(try value.message().mapEntry())
      case 14: isExternal = try value.integer() == 1
      default: break
      }
    }
    guard isExternal else { return }
    var data = ExternalData()
    for entry in entries {
      let text = try entry.value.string()
      switch entry.name {
      case "location": data.location = text
      case "offset": data.offset = try Self.number(text)
      case "length": data.length = try Self.number(text)
      default: break
      }
    }
    external = data
  }

  private static func number(_ text: String) throws(ProtobufError) -> Int {
    guard let number = Int(text), number >= 0 else { throw .invalidString }
    return number
  }

  /// The number of elements, or `nil` if a dimension is negative or the product overflows.
  var elementCount: Int? {
    guard dimensions.allSatisfy({ $0 >= 0 }) else { return nil }
    return dimensions.checkedProduct
  }

  /// The bytes of the elements in this file; `nil` if they are in a field for some types other than float.
  var bytes: [UInt8]? {
    if let raw { return Array(raw.contents) }
    guard elementType == ONNXElementType.float32.rawValue, external == nil else { return nil }
    return floats.flatMap { value in
      (0..<UInt32(4)).map { UInt8(truncatingIfNeeded: value.bitPattern >> (8 * $0)) }
    }
  }

  /// The elements of a float tensor in this file; empty for other types.
  var floats: [Float] {
    guard elementType == ONNXElementType.float32.rawValue, external == nil else { return [] }
    return raw?.floats(limit: .max / 8) ?? floatData.flatMap(\.floats)
  }
}

/// ONNX's element types; the raw values are the codes in files.
enum ONNXElementType: Int, Sendable, CaseIterable {
  case float32 = 1
  case uint8, int8, uint16, int16, int32, int64, string, bool, float16, float64, uint32, uint64
  case complex64, complex128, bfloat16
  case float8e4m3fn, float8e4m3fnuz, float8e5m2, float8e5m2fnuz
  case uint4, int4, float4e2m1

  /// The size of an element in bits, or `nil` if it varies.
  var bitCount: Int? {
    switch self {
    case .uint4, .int4, .float4e2m1: 4
    case .uint8, .int8, .bool, .float8e4m3fn, .float8e4m3fnuz, .float8e5m2, .float8e5m2fnuz: 8
    case .uint16, .int16, .float16, .bfloat16: 16
    case .float32, .int32, .uint32: 32
    case .float64, .int64, .uint64, .complex64: 64
    case .complex128: 128
    case .string: nil
    }
  }
}

/// An input or output of a graph.
struct ONNXValueInfo: Sendable {
  /// The maximum nesting depth of types, such as sequences of sequences.
  static let maxDepth = 8

  var name = ""
  /// Whether the file declares a shape, which may have dynamic dimensions.
  var hasShape: Bool { dimensions != nil }
  /// The declared dimensions, `nil` for dynamic ones; `nil` without a shape.
  var dimensions: [Int?]?
  /// ONNX's code of the element type; 0 for values that are not tensors.
  var elementType = 0

  init(_ message: ProtobufMessage) throws(ProtobufError) {
    var type: ProtobufMessage?
    try message.forEachField { (field, value) throws(ProtobufError) in
      switch field {
      case 1: name = try value.string()
      case 2: type = try value.singularMessage(previous: type)
      default: break
      }
    }
    if let type { try readType(type, depth: 0) }
  }

  private mutating func readType(_ type: ProtobufMessage, depth: Int) throws(ProtobufError) {
    guard depth <= Self.maxDepth else { throw .nestingTooDeep }
    var elements: [ProtobufMessage] = []
    var (dimensions, elementType): ([Int?]?, Int) = (nil, 0)
    try type.forEachField { (field, value) throws(ProtobufError) in
      switch field {
      case 1:
        try value.message().forEachField { (field, value) throws(ProtobufError) in
          if field == 1 { elementType = try value.integer() }
          if field == 2 { dimensions = try Self.dimensions(try value.message()) }
        }
      case 4, 5, 9:  // a sequence, map or optional value
        let elementField: UInt64 = field == 5 ? 2 : 1
        try value.message().forEachField { (field, value) throws(ProtobufError) in
          if field == elementField { elements.append(try value.message()) }
        }
      default: break
      }
    }
    if depth == 0 { (self.dimensions, self.elementType) = (dimensions, elementType) }
    for element in elements { try readType(element, depth: depth + 1) }
  }

  private static func dimensions(_ shape: ProtobufMessage) throws(ProtobufError) -> [Int?] {
    var dimensions: [Int?] = []
    try shape.forEachField { (field, value) throws(ProtobufError) in
      guard field == 1 else { return }
      var length: Int?
      try value.message().forEachField { (field, value) throws(ProtobufError) in
        if field == 1 { length = try value.integer() }
      }
      dimensions.append(length)
    }
    return dimensions
  }
}
