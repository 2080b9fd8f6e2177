import TensorIOSystem

/// An XML element and its location.
struct XMLElement: Sendable, Equatable {
  let name: String
  /// The line of the start tag, from 1.
  let line: Int
  /// The column of the start tag, from 1, counted in bytes.
  let column: Int
  /// The text directly inside the element, without leading and trailing whitespace.
  var text = ""
  var children: [XMLElement] = []

  /// Returns the child elements with a name.
  func all(_ name: String) -> [XMLElement] { children.filter { $0.name == name } }

  /// Returns the first child element with a name.
  subscript(name: String) -> XMLElement? { children.first { $0.name == name } }
}

/// Limits on XML texts.
enum XMLLimits {
  /// The maximum size in bytes; a typical annotation has a few thousand.
  static let maxBytes = 4 << 20
  /// The maximum nesting depth.
  static let maxDepth = 32
  /// The maximum number of elements.
  static let maxElements = 100_000
  /// The maximum length of a name, in bytes.
  static let maxNameBytes = 256
}

/// A syntax error or an unsupported construct, with its location.
struct XMLParseError: Error, Equatable {
  let diagnostic: DataDiagnostic
  let line: Int
  let column: Int
}

extension DataDiagnostic {
  static func invalidXML(_ message: String, expected: String? = nil) -> DataDiagnostic {
    DataDiagnostic(code: "invalid-xml", expected: expected, message: message)
  }

  static let xmlOutOfMemory = invalidXML("out of memory")

  static func xmlLibraryMissing(_ error: DynamicLibraryError) -> DataDiagnostic {
    DataDiagnostic(
      code: "xml-library-missing",
      message: "XML requires expat; cannot load \(error.path) (\(error.message))",
      suggestion: "install it: \(ExpatLibrary.installCommand)")
  }

  static let xmlReference = DataDiagnostic(
    code: "unknown-entity", expected: "&amp; &lt; &gt; &quot; or &apos;",
    message: "unsupported entity")

  static let xmlDeclaration = DataDiagnostic(
    code: "unsupported-xml", message: "document type and entity declarations are not supported",
    suggestion: "remove the <!…> declaration")

  static func xmlTooLarge(_ what: String, limit: Int) -> DataDiagnostic {
    DataDiagnostic(
      code: "too-large", expected: "at most \(limit) \(what)", message: "XML exceeds a limit")
  }
}
