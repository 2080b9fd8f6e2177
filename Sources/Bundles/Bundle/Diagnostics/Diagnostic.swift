package import TensorIOJSON

/// An error or warning about a bundle, with its location.
public struct Diagnostic: Sendable, Hashable {
  /// The severity of a diagnostic: errors prevent a bundle from being opened, warnings do not.
  public enum Severity: String, Sendable, Hashable {
    case error, warning
  }

  /// The severity.
  public let severity: Severity
  /// The stable identifier, such as `unknown-standard`.
  public let code: String
  /// The numeric code of the original TensorIO library's validator, if it had one.
  public var legacyCode: Int?
  /// The location in the document as a JSON Pointer, such as `/inputs/0/shape`.
  public var path: String
  /// The line in the text, from 1.
  public var line: Int?
  /// The column in the text, from 1, in bytes.
  public var column: Int?
  /// The expected value.
  public var expected: String?
  /// The value found.
  public var found: String?
  /// The description of the problem, in lower case and without a full stop.
  public let message: String
  /// The suggested correction.
  public var suggestion: String?

  /// Creates a diagnostic.
  public init(
    _ severity: Severity, code: String, path: String, line: Int? = nil, column: Int? = nil,
    expected: String? = nil, found: String? = nil, message: String, suggestion: String? = nil,
    legacyCode: Int? = nil
  ) {
    self.severity = severity
    self.code = code
    self.path = path
    self.line = line
    self.column = column
    self.expected = expected
    self.found = found
    self.message = message
    self.suggestion = suggestion
    self.legacyCode = legacyCode
  }
}

extension Diagnostic {
  /// Whether the diagnostic only reports the use of a documented extension that the original
  /// library's schema rejects.
  package var isNonstandard: Bool { DiagnosticCode(rawValue: code)?.isNonstandard ?? false }
}

extension Diagnostic {
  /// The purpose of a missing or unreadable file.
  package enum FileRole {
    case description, model, labels, calibration

    fileprivate var missingCodes: (code: DiagnosticCode, legacy: LegacyCode) {
      switch self {
      case .description: (.missingDescription, .missingDescription)
      case .model: (.missingModelFile, .missingModelFile)
      case .labels: (.missingLabelsFile, .missingLabelsFile)
      case .calibration: (.missingCalibrationFile, .missingLabelsFile)
      }
    }
  }

  /// Creates a diagnostic from the error of a folder or file that could not be opened.
  package init(_ error: ModelError, role: FileRole = .description) {
    let file = error.file ?? "the bundle"
    let name = error.text("name") ?? file
    switch error {
    case ModelError.missingBundle:
      self.init(
        .error, .missingBundle, path: "",
        expected: "the folder of a bundle, its zip file or a model.json",
        message: "\(file) does not exist", legacyCode: .missingBundle)
    case ModelError.notABundle:
      self.init(
        .error, .notAFolder, path: "", expected: "a folder", found: error.text("found"),
        message: "\(file) is not a folder", legacyCode: .missingBundle)
    case ModelError.missingFile:
      self.init(
        .error, role.missingCodes.code, path: "", expected: name, found: "nothing",
        message: "the bundle has no file \(name)", suggestion: "add the file or correct its name",
        legacyCode: role.missingCodes.legacy)
    case ModelError.unsafeName:
      self.init(
        .error, .unsafePath, path: "", expected: "a file inside the bundle", found: name,
        message: "\(name) is outside the bundle", legacyCode: role.missingCodes.legacy)
    case ModelError.oversizedFile:
      self.init(
        .error, .tooLarge, path: "",
        expected: error.number("limit").map { "at most \($0) bytes" },
        found: error.number("bytes")?.description,
        message: "\(name) is too large", legacyCode: role.unreadableLegacyCode)
    case ModelError.unreadableFile:
      let detail = error.text("detail") ?? ""
      self.init(
        .error, .unreadableFile, path: "", found: detail,
        message: "cannot read \(name): \(detail)", legacyCode: role.unreadableLegacyCode)
    case let error where error.reason.code.topic == .archive:
      self.init(
        .error, code: error.code, path: "", expected: "a zip archive with one bundle",
        message: "\(file): \(error.message)",
        legacyCode: LegacyCode.missingBundle.rawValue)
    case let error where error.reason.code.topic == .trust:
      self.init(.error, code: error.code, path: "", message: error.description)
    default:
      self.init(
        .error, code: error.code, path: "", message: "cannot open \(file): \(error.message)")
    }
  }
}

extension Diagnostic.FileRole {
  /// The legacy code for a file that exists but cannot be used.
  fileprivate var unreadableLegacyCode: Diagnostic.LegacyCode {
    self == .description ? .invalidJSON : missingCodes.legacy
  }
}

extension Diagnostic {
  /// Returns a copy with the line and column of the value at its path, or of the nearest parent.
  package func withPosition(in document: JSONDocument) -> Diagnostic {
    guard line == nil, let position = document.nearestNode(to: path)?.position else { return self }
    var diagnostic = self
    (diagnostic.line, diagnostic.column) = (position.line, position.column)
    return diagnostic
  }
}

extension JSONDocument {
  /// Returns the value at a pointer, or the innermost existing parent.
  fileprivate func nearestNode(to pointer: String) -> JSONNode? {
    var pointer = pointer[...]
    while true {
      if let node = node(at: String(pointer)) { return node }
      guard let slash = pointer.lastIndex(of: "/") else { return nil }
      pointer = pointer[..<slash]
    }
  }
}

extension [Diagnostic] {
  /// The errors, or all diagnostics if there are none.
  var errorsOrAll: [Diagnostic] { hasErrors ? filter { $0.severity == .error } : self }
}

extension Sequence<Diagnostic> {
  /// Whether any of the diagnostics is an error.
  package var hasErrors: Bool { contains { $0.severity == .error } }
}

extension ModelBundle {
  /// Returns the diagnostics with their lines and columns in the bundle's `model.json`.
  ///
  /// The text is read again because it is not kept in memory and diagnostics are rare.
  package func withPositions(_ diagnostics: [Diagnostic]) -> [Diagnostic] {
    guard diagnostics.contains(where: { $0.line == nil }),
      let bytes = try? folder.descriptionBytes(),
      let document = try? JSONDocument(parsing: bytes, dialect: .modelDescription)
    else { return diagnostics }
    return diagnostics.map { $0.withPosition(in: document) }
  }
}

extension JSONWriter {
  /// Writes a diagnostic with all of its properties.
  package mutating func value(_ diagnostic: Diagnostic) {
    object { writer in
      writer.member("severity", diagnostic.severity.rawValue)
      writer.member("code", diagnostic.code)
      writer.memberOrNull("legacy_code", diagnostic.legacyCode) { $0.value($1) }
      writer.member("path", diagnostic.path)
      writer.memberOrNull("line", diagnostic.line) { $0.value($1) }
      writer.memberOrNull("column", diagnostic.column) { $0.value($1) }
      writer.memberOrNull("expected", diagnostic.expected) { $0.value($1) }
      writer.memberOrNull("found", diagnostic.found) { $0.value($1) }
      writer.member("message", diagnostic.message)
      writer.memberOrNull("suggestion", diagnostic.suggestion) { $0.value($1) }
    }
  }
}
