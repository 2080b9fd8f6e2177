import TensorIOJSON

/// The JSON object of a call that a model writes, which arrives in pieces.
///
/// The arguments are passed on while they arrive.
struct ToolCallObject: Sendable {
  /// What has become known of the call.
  enum Event: Hashable, Sendable {
    case name(String)
    /// A part of the arguments, as JSON text.
    case arguments(String)
  }

  /// The keys that models use for the arguments.
  private static let argumentKeys: Set = ["arguments", "parameters"]

  /// The text so far.
  private(set) var bytes: [UInt8] = []
  /// Whether the closing brace has arrived.
  private(set) var isEnded = false
  /// The name of the function, when it is known.
  private(set) var name: String?
  /// The names that make the object a call; `nil` for any name.
  private let names: Set<String>?
  /// The depth of the members: 1 in the object of a call, 0 in the arguments alone.
  private let memberDepth: Int
  private var depth = 0
  private var isInString = false
  private var isEscaped = false
  private var stringStart = 0
  private var key: String?
  private var valueStart: Int?
  private var arguments: Range<Int>?
  /// Where the arguments begin, as soon as it is known.
  private var argumentsStart: Int?
  private var passedOn: Int?

  /// Creates the object `{"name": …, "arguments": …}`.
  ///
  /// - Parameter names: The names that make the object a call, if it could be something else.
  init(names: Set<String>?) { (self.names, memberDepth) = (names, 1) }

  /// Creates the arguments of a function whose name preceded them.
  init(argumentsOf name: String) {
    (self.name, names, memberDepth, argumentsStart) = (name, nil, 0, 0)
  }

  /// Whether parts of the call have been passed on.
  var isBegun: Bool { passedOn != nil }

  /// Adds a byte, of which the first is `{`.
  mutating func append(_ byte: UInt8) {
    let position = bytes.count
    bytes.append(byte)
    if isInString {
      endString(at: position, byte)
      return
    }
    switch byte {
    case UInt8(ascii: "\""):
      (isInString, stringStart) = (true, position)
      beginValue(position)
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      beginValue(position)
      depth += 1
    case UInt8(ascii: "}"), UInt8(ascii: "]"):
      if depth == memberDepth, memberDepth > 0 { endValue(at: position) }
      depth -= 1
      if depth == memberDepth, memberDepth > 0 { endValue(at: position + 1) }
      if depth <= 0 { end() }
    case UInt8(ascii: ","): if depth == memberDepth, memberDepth > 0 { endValue(at: position) }
    case UInt8(ascii: ":"), 0x20, 0x09, 0x0A, 0x0D: break
    default: beginValue(position)
    }
  }

  /// Returns what has become known since the last time.
  mutating func takeEvents() -> [Event] {
    guard let name, names?.contains(name) != false else { return [] }
    var events: [Event] = []
    guard var start = argumentsStart else {
      guard isEnded, names == nil, !isBegun else { return [] }
      passedOn = bytes.count
      return [.name(name), .arguments("{}")]
    }
    let isStreamed = bytes.count > start && bytes[start] == UInt8(ascii: "{")
    guard isEnded || isStreamed else { return [] }
    if passedOn == nil { events.append(.name(name)) }
    let stop = arguments?.upperBound ?? bytes.count
    if isStreamed {
      start = passedOn ?? start
      if start < stop {
        events.append(.arguments(String(decoding: bytes[start..<stop], as: UTF8.self)))
      }
      passedOn = max(start, stop)
    } else if passedOn == nil {
      events.append(.arguments(wholeArguments))
      passedOn = stop
    }
    return events
  }

  /// Arguments that are not an object: their text, which may be in a string, or none.
  private var wholeArguments: String {
    let text = Array(bytes[arguments ?? 0..<0])
    guard let root = (try? JSONDocument(parsing: text))?.root, root.kind != .null else {
      return "{}"
    }
    return root.string ?? root.source
  }

  // MARK: Places

  private mutating func endString(at position: Int, _ byte: UInt8) {
    if isEscaped {
      isEscaped = false
    } else if byte == UInt8(ascii: "\\") {
      isEscaped = true
    } else if byte == UInt8(ascii: "\"") {
      isInString = false
      guard depth == memberDepth, memberDepth > 0 else { return }
      if key == nil { key = text(stringStart...position) } else { endValue(at: position + 1) }
    }
  }

  /// Notes the first byte of a member's value.
  private mutating func beginValue(_ position: Int) {
    guard depth == memberDepth, let key, valueStart == nil else { return }
    valueStart = position
    if Self.argumentKeys.contains(key), argumentsStart == nil { argumentsStart = position }
  }

  private mutating func endValue(at position: Int) {
    guard let key, let start = valueStart else { return }
    if start == argumentsStart { arguments = start..<position }
    if key == "name", name == nil { name = text(start...position - 1) }
    (self.key, valueStart) = (nil, nil)
  }

  private mutating func end() {
    isEnded = true
    if memberDepth == 0 { arguments = 0..<bytes.count }
  }

  /// Returns the string at a place; `nil` for another value.
  private func text(_ range: ClosedRange<Int>) -> String? {
    (try? JSONDocument(parsing: Array(bytes[range])))?.root.string
  }
}
