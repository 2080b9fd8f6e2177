import TensorIOJSON

/// Separates the elements of tensors from the rest of a request's JSON.
///
/// The value of each `data` in `inputs` is replaced by its index, so that the rest is small, and the
/// elements can be read directly into the memory of a tensor.
struct InferenceJSONSplitter {
  /// The value of a `data` member.
  struct Value: Sendable {
    /// The range of its bytes in the body.
    let range: Range<Int>
    /// The elements with their type and shape, if the datatype of the input precedes them and they are
    /// valid; they are read while their end is searched.
    var elements: (datatype: TensorDatatype, JSONArrayReader.Elements, shape: [Int])?
  }

  private enum Container {
    case object, array
  }

  private let text: [UInt8]
  private let end: Int
  private var offset = 0
  /// The offset after the last elements that were replaced; what follows is copied in one go.
  private var restStart = 0
  private var rest: [UInt8] = []
  private var values: [Value] = []
  private var open: [Container] = []
  /// Whether the key of the root's current member is `inputs`.
  private var isInInputs = false
  /// The datatype of the current input, once it is known.
  private var datatype: TensorDatatype?
  private let readsElements: Bool
  private let context: RequestContext

  /// The number of bytes between two checks whether the request is still needed.
  private static let checkInterval = 1 << 18
  /// The maximum depth that is followed; the parser of the rest rejects deeper texts.
  private static let maxDepth = 128

  /// Splits the JSON at the beginning of a body.
  ///
  /// - Parameters:
  ///   - body: The body.
  ///   - end: The number of bytes of the JSON.
  ///   - context: The state of the client's request.
  ///   - readsElements: Whether elements are read when their datatype is known.
  /// - Returns: The JSON without the elements, and their ranges.
  /// - Throws: A ``ClientError`` if the JSON ends inside of elements, or is nested too deeply.
  static func split(
    _ body: [UInt8], end: Int, _ context: RequestContext, readsElements: Bool = true
  ) throws(ClientError) -> (rest: [UInt8], values: [Value]) {
    var splitter = InferenceJSONSplitter(
      text: body, end: end, context, readsElements: readsElements)
    // The rest is as long as the text if it has no elements.
    if readsElements { try context.reserve(forElementsIn: body[..<end]) }
    try context.memory.grow(by: end)
    try splitter.scan()
    splitter.copyRest(to: splitter.offset)
    return (splitter.rest, splitter.values)
  }

  private init(text: [UInt8], end: Int, _ context: RequestContext, readsElements: Bool) {
    (self.text, self.end, self.readsElements) = (text, end, readsElements)
    self.context = context
  }

  private mutating func scan() throws(ClientError) {
    var nextCheck = 0
    while offset < end {
      if offset >= nextCheck {
        try context.checkCancellation()
        nextCheck = offset + Self.checkInterval
      }
      let byte = text[offset]
      switch byte {
      case UInt8(ascii: "\""): try scanString()
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        guard open.count < Self.maxDepth else { throw Self.tooDeep }
        open.append(byte == UInt8(ascii: "{") ? .object : .array)
        if open.count == 3 { datatype = nil }
        offset += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        _ = open.popLast()
        offset += 1
      default: offset += 1
      }
    }
  }

  private static let tooDeep = ClientError(
    .badRequest, "invalid-json",
    "failed to parse the request JSON buffer: the JSON is nested too deeply")

  private mutating func copyRest(to end: Int) { rest += text[restStart..<end] }

  private mutating func skipWhitespace() {
    while offset < end, text[offset].isJSONWhitespace { offset += 1 }
  }

  /// Skips a string and, if it is the key `data` of an input, replaces its value.
  private mutating func scanString() throws(ClientError) {
    let start = offset
    let stop = endOfString(from: start)
    offset = stop
    guard open.count == 1 || open.count == 3 && isInInputs else { return }
    skipWhitespace()
    guard offset < end, text[offset] == .colon else { return }
    let key = text[start..<stop]
    if open.count == 1 {
      isInInputs = key.elementsEqual(#""inputs""#.utf8)
      return
    }
    guard open == [.object, .array, .object] else { return }
    if key.elementsEqual(#""datatype""#.utf8) { return readDatatype() }
    guard key.elementsEqual(#""data""#.utf8) else { return }
    offset += 1
    skipWhitespace()
    let value = try value(from: offset)
    copyRest(to: offset)
    rest += String(values.count).utf8
    values.append(value)
    (offset, restStart) = (value.range.upperBound, value.range.upperBound)
  }

  /// Reads the string after a colon, which is a datatype.
  private mutating func readDatatype() {
    offset += 1
    skipWhitespace()
    guard offset < end, text[offset] == UInt8(ascii: "\"") else { return }
    let stop = endOfString(from: offset)
    let word = text[offset..<stop].dropFirst().dropLast()
    datatype = TensorDatatype(rawValue: word.utf8Text)
    offset = stop
  }

  /// Returns the value at an offset.
  private func value(from start: Int) throws(ClientError) -> Value {
    if readsElements, let datatype, let type = datatype.jsonElements {
      var reader = JSONArrayReader(text, at: start) { [context] in context.isCanceled }
      if let elements = try? reader.read(type), reader.offset <= end {
        return Value(
          range: start..<reader.offset, elements: (datatype, elements, reader.shape))
      }
    }
    return Value(range: start..<(try endOfValue(from: start)))
  }

  private func endOfString(from start: Int) -> Int {
    var index = start + 1
    while index < end {
      switch text[index] {
      case UInt8(ascii: "\""): return index + 1
      case UInt8(ascii: "\\"): index += 2
      default: index += 1
      }
    }
    return end
  }

  /// Returns the end of a value: its closing bracket, or the delimiter after it.
  private func endOfValue(from start: Int) throws(ClientError) -> Int {
    let text = text
    let span = text.span
    var index = start
    var depth = 0
    var nextCheck = index + Self.checkInterval
    while index < end {
      if index >= nextCheck {
        try context.checkCancellation()
        nextCheck = index + Self.checkInterval
      }
      let byte = span[index]
      // Most bytes belong to numbers.
      if byte < UInt8(ascii: "[") && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: ",") {
        index &+= 1
        continue
      }
      switch byte {
      case UInt8(ascii: "\""): index = endOfString(from: index) - 1
      case UInt8(ascii: "["), UInt8(ascii: "{"):
        depth += 1
        guard depth < Self.maxDepth else { throw Self.tooDeep }
      case UInt8(ascii: "]"), UInt8(ascii: "}"):
        if depth == 0 { return index }
        depth -= 1
        if depth == 0 { return index + 1 }
      case UInt8(ascii: ",") where depth == 0: return index
      default: break
      }
      index += 1
    }
    return end
  }
}

extension UInt8 {
  /// Whether JSON permits the byte between tokens.
  fileprivate var isJSONWhitespace: Bool {
    self == .space || self == .tab || self == .lineFeed || self == .carriageReturn
  }
}
