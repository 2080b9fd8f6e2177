package import TensorIOJSON

/// One thing that is wrong, or doubtful, about a description, and where.
public struct Diagnostic: Sendable, Hashable {
  /// Whether a problem keeps a bundle from being opened.
  public enum Severity: String, Sendable, Hashable {
    case error, warning
  }

  /// Whether it keeps the bundle from being opened.
  public let severity: Severity
  /// A short name that scripts may compare, such as `unknown-standard`.
  public let code: String
  /// The number that the original library gave this kind of problem.
  public var legacyCode: Int?
  /// Where in the document, as a JSON Pointer such as `/inputs/0/shape`.
  public var path: String
  /// The line, from 1, where the problem is in a text.
  public var line: Int?
  /// The column, from 1, counted in bytes.
  public var column: Int?
  /// What should have been there.
  public var expected: String?
  /// What is there.
  public var found: String?
  /// What is wrong, in a sentence.
  public let message: String
  /// What to do about it.
  public var suggestion: String?

  /// A problem at a place.
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
  /// Whether it only tells that a description uses a documented extension of the original's
  /// format, which is no fault.
  package var isNonstandard: Bool { DiagnosticCode(rawValue: code)?.isNonstandard ?? false }
}

extension Diagnostic {
  /// What a missing or unreadable file was wanted for.
  package enum FileRole {
    case description, model, labels

    fileprivate var missingCodes: (code: DiagnosticCode, original: LegacyCode) {
      switch self {
      case .description: (.missingDescription, .missingDescription)
      case .model: (.missingModelFile, .missingModelFile)
      case .labels: (.missingLabelsFile, .missingLabelsFile)
      }
    }
  }

  /// The problem of a folder or of a file that could not be opened.
  package init(_ error: ModelError, role: FileRole = .description) {
    let file = error.file ?? "the bundle"
    switch error.reason {
    case .missingBundle:
      self.init(
        .error, .missingBundle, path: "", expected: "a folder", found: "nothing",
        message: "There is nothing at \(file).", legacyCode: .missingBundle)
    case .notABundle(let found):
      self.init(
        .error, .notAFolder, path: "", expected: "a folder", found: found,
        message: "A bundle is a folder, and \(file) is \(found).", legacyCode: .missingBundle)
    case .missingFile(let name):
      self.init(
        .error, role.missingCodes.code, path: "", expected: name, found: "nothing",
        message: "The bundle has no \(name).", suggestion: "add the file, or mend its name",
        legacyCode: role.missingCodes.original)
    case .unsafeName(let name):
      self.init(
        .error, .unsafePath, path: "", expected: "a file inside the bundle", found: name,
        message: "\(name) leads out of the bundle.", legacyCode: role.missingCodes.original)
    case .oversizedFile(let name, let bytes, let limit):
      self.init(
        .error, .tooLarge, path: "", expected: "at most \(limit) bytes", found: "\(bytes)",
        message: "\(name) is too large.", legacyCode: role.unreadableLegacyCode)
    case .unreadableFile(let name, let problem):
      self.init(
        .error, .unreadableFile, path: "", found: problem,
        message: "\(name) cannot be read: \(problem).", legacyCode: role.unreadableLegacyCode)
    case .invalidArchive(let code, let problem):
      self.init(
        .error, code: code, path: "", expected: "a zip that holds one bundle",
        message: "\(file): \(problem).",
        legacyCode: LegacyCode.missingBundle.rawValue)
    case .manifestMismatch, .unsignedBundle, .untrustedKey, .invalidSignature, .bundleDowngrade,
      .unverifiable:
      self.init(.error, code: error.code, path: "", message: error.description)
    default:
      self.init(.error, .unreadableFile, path: "", message: "\(file) cannot be opened.")
    }
  }
}

extension Diagnostic.FileRole {
  /// The original's number for a file that is there and of no use.
  fileprivate var unreadableLegacyCode: Diagnostic.LegacyCode {
    self == .description ? .invalidJSON : missingCodes.original
  }
}

extension Diagnostic {
  /// The problem with the line and column of what its path names, or of the object that lacks it.
  package func withPosition(in document: JSONDocument) -> Diagnostic {
    guard line == nil, let position = document.nearestNode(to: path)?.position else { return self }
    var problem = self
    (problem.line, problem.column) = (position.line, position.column)
    return problem
  }
}

extension JSONDocument {
  /// The value at a pointer, or the innermost that holds the place where it would be.
  fileprivate func nearestNode(to pointer: String) -> JSONNode? {
    var pointer = pointer[...]
    while true {
      if let node = node(at: String(pointer)) { return node }
      guard let slash = pointer.lastIndex(of: "/") else { return nil }
      pointer = pointer[..<slash]
    }
  }
}

extension Sequence<Diagnostic> {
  /// Whether any of the problems keeps a bundle from being opened.
  package var hasErrors: Bool { contains { $0.severity == .error } }
}

extension ModelBundle {
  /// Problems with the lines and columns that they have in the bundle's `model.json`.
  ///
  /// The text is read again for it, since it is not kept and problems are rare.
  package func withPositions(_ problems: [Diagnostic]) -> [Diagnostic] {
    guard problems.contains(where: { $0.line == nil }), let bytes = try? folder.descriptionBytes(),
      let document = try? JSONDocument(parsing: bytes, dialect: .modelDescription)
    else { return problems }
    return problems.map { $0.withPosition(in: document) }
  }
}

extension JSONWriter {
  /// Writes a problem with all that is known of it.
  package mutating func value(_ problem: Diagnostic) {
    object { writer in
      writer.member("severity", problem.severity.rawValue)
      writer.member("code", problem.code)
      writer.memberOrNull("original", problem.legacyCode) { $0.value($1) }
      writer.member("path", problem.path)
      writer.memberOrNull("line", problem.line) { $0.value($1) }
      writer.memberOrNull("column", problem.column) { $0.value($1) }
      writer.memberOrNull("expected", problem.expected) { $0.value($1) }
      writer.memberOrNull("found", problem.found) { $0.value($1) }
      writer.member("message", problem.message)
      writer.memberOrNull("suggestion", problem.suggestion) { $0.value($1) }
    }
  }
}
