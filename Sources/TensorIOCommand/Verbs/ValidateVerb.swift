internal import TensorIO
internal import TensorIOCore

/// `tensorio validate`: finds everything that is wrong with a bundle, at once.
struct ValidateVerb: Verb {
  static let strict = Flag("strict", "takes warnings as failures")

  static let page = HelpPage(
    name: "validate", summary: "finds everything that is wrong with a bundle, at once",
    usage: "BUNDLE|model.json [flags]",
    details: """
      A bundle is read, its model opened and both compared. Of a bare model.json, only the
      structure can be checked. Exit code 3 on errors; with --strict, 1 on warnings.
      """,
    flags: [Flag.textOrJSON, strict, BundleOpening.library],
    examples: [
      ("tensorio validate digits.tiobundle", "lists every problem with its place"),
      (
        "tensorio validate digits.tiobundle --strict --format json",
        "for a build that must be clean"
      ),
    ])

  private let path: String
  private let isJSON: Bool
  private let isStrict: Bool
  private let opening: BundleOpening

  init(_ arguments: ParsedArguments) throws(CommandFailure) {
    path = try arguments.onlyWord("a bundle or a model.json", Self.page)
    isJSON = arguments.value(.textOrJSON) == "json"
    isStrict = arguments.has(Self.strict)
    opening = try BundleOpening(arguments)
  }

  /// A model that cannot be opened keeps nothing back that was found before.
  func run(_ console: Console) throws(CommandFailure) -> ExitCode {
    let path = BundleLocation.path(for: path)
    let report = BundleChecker().check(path)
    let compared = Result { () throws(CommandFailure) in try comparison(path, report) }
    let problems = report.problems + ((try? compared.get()) ?? [])
    let hasErrors = problems.contains { $0.severity == .error }
    if case .failure(let failure) = compared {
      write(problems, isValid: false, nil, console)
      throw failure
    }
    write(problems, isValid: !hasErrors, "\(path): \(hasErrors ? "invalid" : "valid")", console)
    return hasErrors ? .bundle : isStrict && !problems.isEmpty ? .fellShort : .ok
  }

  /// In what the model and its description differ, where both can be read.
  private func comparison(
    _ path: String, _ report: BundleReport
  ) throws(CommandFailure) -> [Problem] {
    guard report.isValid, let bundle = try? ModelBundle(at: path), !bundle.isPlaceholder else {
      return []
    }
    return try opening.unchecked(bundle).problems
  }

  private func write(
    _ problems: [Problem], isValid: Bool, _ verdict: String?, _ console: Console
  ) {
    guard isJSON else {
      problems.forEach { console.print("\($0.severity.rawValue): \($0)") }
      if let verdict { console.print(verdict) }
      return
    }
    var writer = JSONWriter(.indented)
    writer.object { writer in
      writer.member("valid", isValid)
      writer.member("problems", array: { writer in problems.forEach { writer.value($0) } })
    }
    console.output(writer.bytes + Array("\n".utf8))
  }
}
