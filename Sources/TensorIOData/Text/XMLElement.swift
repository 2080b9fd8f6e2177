/// An element of an XML text, and where it begins.
struct XMLElement: Sendable, Equatable {
  let name: String
  /// From 1.
  let line: Int
  /// From 1, counted in bytes.
  let column: Int
  /// The text directly in it, without the blanks around it.
  var text = ""
  var children: [XMLElement] = []

  /// The elements of a name directly in it.
  func all(_ name: String) -> [XMLElement] { children.filter { $0.name == name } }

  /// The first element of a name directly in it.
  subscript(name: String) -> XMLElement? { children.first { $0.name == name } }
}

/// How large an XML text may be.
enum XMLLimits {
  /// The bytes of a text: an annotated picture has a few thousand.
  static let bytes = 4 << 20
  /// How many elements may be open at once.
  static let depth = 32
  /// How many elements there may be.
  static let elements = 100_000
  /// The bytes that a name may have.
  static let nameBytes = 256
}

/// Why a text is not the XML that is read here, and where.
struct XMLFault: Error, Equatable {
  let fault: DataFault
  let line: Int
  let column: Int
}

extension DataFault {
  private static func xml(_ message: String) -> DataFault {
    DataFault(code: "invalid-xml", message: message)
  }

  static let xmlEnd = xml("The text ends in the middle of something.")
  static let xmlNoElement = xml("There is no element.")
  static let xmlSecondElement = xml("Something follows the outermost element.")
  static let xmlOutside = xml("There is text outside of the outermost element.")
  static let xmlTag = xml("This is not how a tag is written.")
  static let xmlAttribute = xml("This is not how an attribute is written.")
  static let xmlUnopened = xml("Nothing that is open ends here.")

  static func xmlMismatch(expected: String, found: String) -> DataFault {
    DataFault(
      code: "invalid-xml", expected: "</\(expected)>", found: "</\(found)>",
      message: "Another element ends here than was begun last.")
  }

  static let xmlReference = DataFault(
    code: "unknown-entity", expected: "&amp; &lt; &gt; &quot; or &apos;",
    message: "No other entity is read.")

  static let xmlDeclaration = DataFault(
    code: "unsupported-xml", message: "Declarations of types and entities are not read.",
    suggestion: "remove the <!…>")

  static func xmlTooLarge(_ what: String, limit: Int) -> DataFault {
    DataFault(code: "too-large", expected: "at most \(limit) \(what)", message: "This is too much.")
  }
}
