/// Header fields in order.
///
/// Names are case-insensitive.
package struct HTTPHeaders: Sendable {
  /// A name and its value.
  package typealias Field = (name: String, value: String)

  package private(set) var fields: [Field] = []

  /// Creates an empty list of fields.
  package init() {}

  /// Appends a field.
  package mutating func add(_ name: String, _ value: String) { fields.append((name, value)) }

  /// Returns all values of a name.
  package func values(for name: String) -> [String] {
    var values: [String] = []
    for field in fields where field.name.equalsIgnoringCase(name) { values.append(field.value) }
    return values
  }

  /// The first value of a name.
  ///
  /// Setting it replaces all values of the name.
  package subscript(name: String) -> String? {
    get { fields.first { $0.name.equalsIgnoringCase(name) }?.value }
    set {
      fields.removeAll { $0.name.equalsIgnoringCase(name) }
      if let newValue { add(name, newValue) }
    }
  }
}

extension HTTPHeaders: ExpressibleByDictionaryLiteral {
  package init(dictionaryLiteral elements: (String, String)...) {
    for (name, value) in elements { add(name, value) }
  }
}

extension UInt8 {
  static let tab = UInt8(ascii: "\t")
  static let lineFeed = UInt8(ascii: "\n")
  static let carriageReturn = UInt8(ascii: "\r")
  static let space = UInt8(ascii: " ")
  static let colon = UInt8(ascii: ":")
  static let comma = UInt8(ascii: ",")
  static let semicolon = UInt8(ascii: ";")

  var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
  var isLetter: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20) }

  /// Whether the byte may appear in a method or a field name.
  var isToken: Bool {
    switch self {
    case UInt8(ascii: "!"), UInt8(ascii: "#")...UInt8(ascii: "'"), UInt8(ascii: "*"),
      UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "^"),
      UInt8(ascii: "_"), UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"):
      true
    default: isDigit || isLetter
    }
  }

  /// Whether the byte may appear in a field value.
  var isFieldText: Bool { self == .tab || (self >= .space && self != 0x7F) }

  var isWhitespace: Bool { self == .tab || self == .space }
}

extension ArraySlice<UInt8> {
  /// The bytes without surrounding spaces and tabs.
  var trimmed: ArraySlice<UInt8> {
    var rest = self
    while rest.first?.isWhitespace == true { rest.removeFirst() }
    while rest.last?.isWhitespace == true { rest.removeLast() }
    return rest
  }

  var utf8Text: String { String(decoding: self, as: UTF8.self) }
}

extension String {
  /// Whether two strings are equal except for ASCII case.
  func equalsIgnoringCase(_ other: String) -> Bool {
    utf8.count == other.utf8.count
      && utf8.elementsEqual(other.utf8) { $0.lowercased == $1.lowercased }
  }

  /// The elements of a list such as `keep-alive, close`.
  var commaSeparatedTokens: [String] {
    Array(utf8)[...].split(separator: UInt8(ascii: ",")).map(\.trimmed.utf8Text)
  }
}

extension UInt8 {
  fileprivate var lowercased: UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) ? self | 0x20 : self
  }
}
