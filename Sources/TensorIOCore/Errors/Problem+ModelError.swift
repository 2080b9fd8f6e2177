extension Problem {
  /// What a missing or unreadable file was wanted for.
  package enum FileRole {
    case description, model, labels

    fileprivate var missing: (code: ProblemCode, original: OriginalCode) {
      switch self {
      case .description: (.missingDescription, .missingDescription)
      case .model: (.missingModelFile, .missingModelFile)
      case .labels: (.missingLabelsFile, .missingLabelsFile)
      }
    }
  }

  /// The problem of a folder or of a file that could not be opened.
  package init(_ error: ModelError, naming role: FileRole = .description) {
    let file = error.file ?? "the bundle"
    switch error.reason {
    case .missingBundle:
      self.init(
        .error, .missingBundle, path: "", expected: "a folder", found: "nothing",
        message: "There is nothing at \(file).", original: .missingBundle)
    case .notABundle(let found):
      self.init(
        .error, .notAFolder, path: "", expected: "a folder", found: found,
        message: "A bundle is a folder, and \(file) is \(found).", original: .missingBundle)
    case .missingFile(let name):
      self.init(
        .error, role.missing.code, path: "", expected: name, found: "nothing",
        message: "The bundle has no \(name).", suggestion: "add the file, or mend its name",
        original: role.missing.original)
    case .unsafeName(let name):
      self.init(
        .error, .unsafePath, path: "", expected: "a file inside the bundle", found: name,
        message: "\(name) leads out of the bundle.", original: role.missing.original)
    case .oversizedFile(let name, let bytes, let limit):
      self.init(
        .error, .tooLarge, path: "", expected: "at most \(limit) bytes", found: "\(bytes)",
        message: "\(name) is too large.", original: role.unreadable)
    case .unreadableFile(let name, let problem):
      self.init(
        .error, .unreadableFile, path: "", found: problem,
        message: "\(name) cannot be read: \(problem).", original: role.unreadable)
    case .invalidArchive(let code, let problem):
      self.init(
        .error, code: code, path: "", expected: "a zip that holds one bundle",
        message: "\(file): \(problem).",
        original: OriginalCode.missingBundle.rawValue)
    case .alteredBundle, .unsignedBundle, .untrustedKey, .badSignature, .olderBundle,
      .unverifiable:
      self.init(.error, code: error.code, path: "", message: error.description)
    default:
      self.init(.error, .unreadableFile, path: "", message: "\(file) cannot be opened.")
    }
  }
}

extension Problem.FileRole {
  /// The original's number for a file that is there and of no use.
  fileprivate var unreadable: Problem.OriginalCode {
    self == .description ? .invalidJSON : missing.original
  }
}
