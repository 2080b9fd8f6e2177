import TensorIOCore
import TensorIOJSON

/// The elements of a tensor in JSON.
struct InferenceJSONData {
  private let text: [UInt8]
  private let value: InferenceJSONSplitter.Value
  private let context: RequestContext
  private var range: Range<Int> { value.range }

  /// Creates the elements that a value of a text has.
  init(_ text: [UInt8], _ value: InferenceJSONSplitter.Value, _ context: RequestContext) {
    (self.text, self.value, self.context) = (text, value, context)
  }

  /// Returns the elements, which may be flat or nested.
  ///
  /// - Throws: A ``ClientError`` if they do not have the datatype or the shape.
  func content(
    _ datatype: TensorDatatype, shape: [Int], input name: String
  ) throws(ClientError) -> InferenceTensor.Content {
    guard text[range].first == UInt8(ascii: "[") else {
      throw .invalidInput(name, "'data' must be an array")
    }
    let count = try InferenceTensor.elementCount(of: shape, input: name)
    if datatype == .bytes { return .strings(try strings(count, shape, name)) }
    guard let type = datatype.jsonElements else {
      throw .invalidInput(
        name,
        "receiving \(datatype.rawValue) data via JSON is not supported. Please use the "
          + "binary data format for input \(name)")
    }
    if let (known, elements, nesting) = value.elements, known == datatype {
      try check(elements.count, nesting, shape, count, name)
      return try elements.content(datatype, shape: shape, input: name)
    }
    var reader = JSONArrayReader(text, at: range.lowerBound) { [context] in context.isCanceled }
    let elements: JSONArrayReader.Elements
    do throws(JSONArrayReader.ReadError) {
      elements = try reader.read(type, capacity: count)
    } catch {
      throw .invalidInput(
        name, "'data' at byte \(error.offset): \(error.message) of datatype \(datatype.rawValue)")
    }
    guard reader.offset == range.upperBound || isBlank(from: reader.offset) else {
      throw .invalidInput(
        name, "'data' at byte \(reader.offset): unexpected text after the elements")
    }
    try check(elements.count, reader.shape, shape, count, name)
    return try elements.content(datatype, shape: shape, input: name)
  }

  private func isBlank(from offset: Int) -> Bool {
    offset <= range.upperBound
      && text[offset..<range.upperBound].allSatisfy { $0 <= 0x20 }
  }

  /// Checks that elements are flat or nested like the shape.
  private func check(
    _ actual: Int, _ nesting: [Int], _ shape: [Int], _ expected: Int, _ name: String
  ) throws(ClientError) {
    guard actual == expected else {
      throw .invalidInput(
        name, "'data' has \(actual) elements; expected \(expected) for shape \(shape.jsonText)")
    }
    guard nesting.count > 1, nesting.filter({ $0 != 1 }) != shape.filter({ $0 != 1 }) else {
      return
    }
    throw .invalidInput(
      name,
      "'data' is nested as \(nesting.jsonText); expected a flat array, or "
        + shape.jsonText)
  }

  /// The number of strings between two checks whether the request is still needed.
  private static let checkInterval = 1 << 12

  /// Returns the strings of a flat or nested array.
  private func strings(
    _ count: Int, _ shape: [Int], _ name: String
  ) throws(ClientError) -> [[UInt8]] {
    let document = try context.json(
      Array(text[range]), invalid: "input '\(name)': 'data' is not valid JSON")
    var strings: [[UInt8]] = []
    var pending = [document.root]
    while let node = pending.popLast() {
      if strings.count % Self.checkInterval == 0 { try context.checkCancellation() }
      if let elements = node.elements {
        pending += elements.reversed()
      } else if let text = node.string {
        strings.append(Array(text.utf8))
      } else {
        throw .invalidInput(name, "'data' of datatype BYTES must consist of strings")
      }
    }
    try check(strings.count, [], shape, count, name)
    return strings
  }
}

extension TensorDatatype {
  /// How JSON represents the elements; `nil` if it does not.
  var jsonElements: JSONArrayReader.ElementType? {
    switch self {
    case .bool: .bool
    case .uint8, .uint16, .uint32, .uint64: .unsigned
    case .int8, .int16, .int32, .int64: .signed
    case .fp32: .float
    case .fp64: .double
    case .fp16, .bf16, .bytes: nil
    }
  }
}

extension JSONArrayReader.Elements {
  /// Returns the elements in the memory of a datatype.
  fileprivate func content(
    _ datatype: TensorDatatype, shape: [Int], input name: String
  ) throws(ClientError) -> InferenceTensor.Content {
    switch self {
    case .floats(let values): return .tensor(Tensor(values, shape: shape))
    case .doubles(let values): return .tensor(Tensor(values, shape: shape))
    case .bools(let values): return .tensor(Tensor(values, shape: shape))
    case .signed(let values):
      return .tensor(
        try values.tensor(of: datatype, shape: shape, input: name) ?? Tensor(values, shape: shape))
    case .unsigned(let values):
      if let tensor = try values.tensor(of: datatype, shape: shape, input: name) {
        return .tensor(tensor)
      }
      return .bytes(try values.bytes(of: datatype, input: name) ?? values.littleEndianBytes)
    }
  }
}
