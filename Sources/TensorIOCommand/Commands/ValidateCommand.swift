import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOJSON
import TensorIOSystem
import TensorIOTasks

/// `tensorio validate`: finds everything that is wrong with a bundle, at once.
struct ValidateCommand: Subcommand {
  static let strict = Flag("strict", "takes warnings as failures")

  static let helpPage = HelpPage(
    name: "validate", summary: "finds everything that is wrong with a bundle, at once",
    usage: "BUNDLE|CHAIN|model.json [flags]",
    discussion: """
      A bundle is read, its model opened, both are compared and the bundle's examples run. Of a
      bare model.json, only the structure can be checked. Of a chain, its chain.json is read, its
      bundles are checked one by one, and whether they fit one another. Exit code 3 on errors, 5
      when a model cannot be opened; with --strict, 1 on warnings that tell more than that a
      documented extension of the format is used.
      """,
    flags: [Flag.textOrJSON, strict] + ModelOpener.runtimeFlags,
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
  private let opener: ModelOpener

  init(_ arguments: ParsedArguments) throws(OperationError) {
    path = try arguments.singlePositional("a bundle or a model.json", Self.helpPage)
    isJSON = arguments.value(.textOrJSON) == "json"
    isStrict = arguments.has(Self.strict)
    opener = try ModelOpener(arguments)
  }

  func run(_ console: Console) throws(OperationError) -> ExitCode {
    let checker = try opener.makeChecker(console)
    guard !Chain.hasChainExtension(path) else { return validateChain(checker, console) }
    let path = BundleResolver.path(for: path, console)
    let report = console.suppressingRuntimeMessages { checker.validate(path) }
    write(ValidationResult(diagnostics: report.diagnostics), console)
    return exitCode(report.diagnostics, report.loadError)
  }

  private func validateChain(_ checker: BundleValidator, _ console: Console) -> ExitCode {
    let report = console.suppressingRuntimeMessages { ChainDirectoryValidator(bundleValidator: checker).validate(path) }
    let bundles = report.bundles.map { ($0.name, $0.report.diagnostics) }
    write(ValidationResult(diagnostics: report.diagnostics, bundles: bundles), console)
    return exitCode(report.allDiagnostics, report.loadError)
  }

  private func exitCode(_ problems: [Diagnostic], _ failure: ModelError?) -> ExitCode {
    if let failure { return ExitCode(failure.stage) }
    guard !problems.hasErrors else { return .invalidBundle }
    return isStrict && !problems.allSatisfy(\.isNonstandard) ? .partialFailure : .success
  }
}

// MARK: Telling

extension ValidateCommand {
  /// What was found in a bundle, or in a chain and the bundles that it names.
  private struct ValidationResult {
    let diagnostics: [Diagnostic]
    var bundles: [(name: String, problems: [Diagnostic])]?

    var isValid: Bool {
      !diagnostics.hasErrors && !(bundles ?? []).contains { $0.problems.hasErrors }
    }
  }

  private func write(_ findings: ValidationResult, _ console: Console) {
    guard isJSON else { return writeText(findings, console) }
    var writer = JSONWriter(.indented)
    writer.object { writer in
      writer.member("valid", findings.isValid)
      Self.write(findings.diagnostics, to: &writer)
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
    console.writeOutput(writer.bytes + Array("\n".utf8))
  }

  private static func write(_ problems: [Diagnostic], to writer: inout JSONWriter) {
    writer.member("problems", array: { writer in problems.forEach { writer.value($0) } })
  }

  private func writeText(_ findings: ValidationResult, _ console: Console) {
    write(findings.diagnostics, of: "", console)
    for bundle in findings.bundles ?? [] {
      write(bundle.problems, of: "\(bundle.name): ", console)
    }
    console.print("\(path): \(findings.isValid ? "valid" : "invalid")")
  }

  private func write(_ problems: [Diagnostic], of bundle: String, _ console: Console) {
    for problem in problems {
      let line = "\(problem.severity.rawValue): \(bundle)\(problem)"
      console.print(console.program.rewritingCommands(in: line).sanitizedForTerminal)
    }
  }
}
