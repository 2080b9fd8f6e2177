internal import TensorIO
internal import TensorIOAnswers
internal import TensorIOCore
internal import TensorIOTasks

/// `tensorio validate`: finds everything that is wrong with a bundle, at once.
struct ValidateVerb: Verb {
  static let strict = Flag("strict", "takes warnings as failures")

  static let page = HelpPage(
    name: "validate", summary: "finds everything that is wrong with a bundle, at once",
    usage: "BUNDLE|CHAIN|model.json [flags]",
    details: """
      A bundle is read, its model opened, both are compared and the bundle's examples run. Of a
      bare model.json, only the structure can be checked. Of a chain, its chain.json is read, its
      bundles are checked one by one, and whether they fit one another. Exit code 3 on errors, 5
      when a model cannot be opened; with --strict, 1 on warnings that tell more than that a
      documented extension of the format is used.
      """,
    flags: [Flag.textOrJSON, strict] + BundleOpening.runtimes,
    examples: [
      ("tensorio validate digits.tiobundle", "lists every problem with its place"),
      (
        "tensorio validate digits.tiobundle --strict --format json",
        "for a build that must be clean"
      ),
      ("tensorio validate faces.tiochain", "checks a chain and the bundles that it names"),
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
    let checker = try opening.checker(console)
    guard !Chain.isNamed(path) else { return runOnChain(checker, console) }
    let path = BundleLocation.path(for: path, console)
    let report = console.quietingRuntimes { checker.check(path) }
    write(Findings(problems: report.problems), console)
    return exit(report.problems, report.failure)
  }

  private func runOnChain(_ checker: BundleChecker, _ console: Console) -> ExitCode {
    let report = console.quietingRuntimes { ChainChecker(bundles: checker).check(path) }
    let bundles = report.bundles.map { ($0.name, $0.report.problems) }
    write(Findings(problems: report.problems, bundles: bundles), console)
    return exit(report.allProblems, report.failure)
  }

  private func exit(_ problems: [Problem], _ failure: ModelError?) -> ExitCode {
    if let failure { return ExitCode(failure.stage) }
    guard !problems.hasErrors else { return .bundle }
    return isStrict && !problems.allSatisfy(\.isExtension) ? .fellShort : .ok
  }
}

// MARK: Telling

extension ValidateVerb {
  /// What was found in a bundle, or in a chain and the bundles that it names.
  private struct Findings {
    let problems: [Problem]
    var bundles: [(name: String, problems: [Problem])]?

    var isValid: Bool {
      !problems.hasErrors && !(bundles ?? []).contains { $0.problems.hasErrors }
    }
  }

  private func write(_ findings: Findings, _ console: Console) {
    guard isJSON else { return writeText(findings, console) }
    var writer = JSONWriter(.indented)
    writer.object { writer in
      writer.member("valid", findings.isValid)
      Self.write(findings.problems, to: &writer)
      guard let bundles = findings.bundles else { return }
      writer.member(
        "bundles",
        array: { writer in
          for bundle in bundles {
            writer.object { writer in
              writer.member("bundle", bundle.name)
              writer.member("valid", !bundle.problems.hasErrors)
              Self.write(bundle.problems, to: &writer)
            }
          }
        })
    }
    console.output(writer.bytes + Array("\n".utf8))
  }

  private static func write(_ problems: [Problem], to writer: inout JSONWriter) {
    writer.member("problems", array: { writer in problems.forEach { writer.value($0) } })
  }

  private func writeText(_ findings: Findings, _ console: Console) {
    write(findings.problems, of: "", console)
    for bundle in findings.bundles ?? [] {
      write(bundle.problems, of: "\(bundle.name): ", console)
    }
    console.print("\(path): \(findings.isValid ? "valid" : "invalid")")
  }

  private func write(_ problems: [Problem], of bundle: String, _ console: Console) {
    for problem in problems {
      let line = "\(problem.severity.rawValue): \(bundle)\(problem)"
      console.print(console.program.spoken(line).printable)
    }
  }
}
