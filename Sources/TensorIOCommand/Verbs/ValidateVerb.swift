internal import TensorIO
internal import TensorIOCore

/// `tensorio validate`: finds everything that is wrong with a bundle, at once.
struct ValidateVerb: Verb {
  static let strict = Flag("strict", "takes warnings as failures")

  static let page = HelpPage(
    name: "validate", summary: "finds everything that is wrong with a bundle, at once",
    usage: "BUNDLE|model.json [flags]",
    details: """
      A bundle is read, its model opened, both are compared and the bundle's examples run. Of a
      bare model.json, only the structure can be checked. Exit code 3 on errors, 5 when the model
      cannot be opened; with --strict, 1 on warnings that tell more than that a
      documented extension of the format is used.
      """,
    flags: [Flag.textOrJSON, strict] + BundleOpening.runtimes,
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

  func run(_ console: Console) throws(CommandFailure) -> ExitCode {
    let path = BundleLocation.path(for: path, console)
    let report = console.quietingRuntimes {
      BundleChecker(backends: opening.backends).check(path)
    }
    write(report.problems, console)
    if let failure = report.failure { return ExitCode(failure.stage) }
    guard report.isValid else { return .bundle }
    return isStrict && !report.problems.allSatisfy(\.isExtension) ? .fellShort : .ok
  }

  private func write(_ problems: [Problem], _ console: Console) {
    let isValid = !problems.hasErrors
    guard isJSON else {
      for problem in problems {
        let line = "\(problem.severity.rawValue): \(problem)"
        console.print(console.program.spoken(line).printable)
      }
      return console.print("\(path): \(isValid ? "valid" : "invalid")")
    }
    var writer = JSONWriter(.indented)
    writer.object { writer in
      writer.member("valid", isValid)
      writer.member("problems", array: { writer in problems.forEach { writer.value($0) } })
    }
    console.output(writer.bytes + Array("\n".utf8))
  }
}
