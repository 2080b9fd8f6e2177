import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOJSON
import TensorIOSystem
import TensorIOTasks

/// `tensorio validate`: reports all errors and warnings of a bundle.
struct ValidateCommand: Subcommand {
  static let strict = Flag("strict", "Exit with 1 on warnings")

  static let helpPage = HelpPage(
    name: "validate", summary: "Report all errors and warnings of a bundle",
    usage: "[options] <bundle>|<chain>|<model.json>",
    discussion: """
      For a bundle, validates model.json, compares it with the model, and runs the bundle's
      examples. For a bare model.json, validates its structure only. For a chain, validates
      chain.json, each bundle, and that consecutive steps are compatible. A diagnostic is followed by
      the line that it is about.

      Exits with 3 on errors and with 5 if a model cannot be loaded. With --strict, also exits with 1
      on warnings, except those about documented extensions of the format.
      """,
    flags: [Flag.textOrJSON, strict] + ModelOpener.runtimeFlags,
    examples: [
      ("tensorio validate digits.tiobundle", "List all diagnostics with their locations"),
      (
        "tensorio validate digits.tiobundle --strict --format json",
        "Check a bundle in continuous integration"
      ),
      ("tensorio validate faces.tiochain", "Validate a chain and its bundles"),
    ])

  private let path: String
  private let isJSON: Bool
  private let isStrict: Bool
  private let opener: ModelOpener

  init(_ arguments: ParsedArguments) throws(OperationError) {
    path = try arguments.singlePositional("<bundle>", Self.helpPage)
    isJSON = arguments.value(.textOrJSON) == "json"
    isStrict = arguments.has(Self.strict)
    opener = try ModelOpener(arguments)
  }

  func run(_ console: Console) throws(OperationError) -> ExitCode {
    let checker = try opener.makeChecker(console)
    guard !ModelBundle.isChain(path) else { return validateChain(checker, console) }
    let path = BundleResolver.path(for: path, console)
    let report = console.suppressingRuntimeMessages(on: opener.accelerator) {
      checker.validate(path)
    }
    let diagnostics = report.diagnostics.addingHints(for: report.loadError, at: path)
    write(ValidationResult(diagnostics: diagnostics), console)
    return exitCode(report.diagnostics, report.loadError)
  }

  private func validateChain(_ checker: BundleValidator, _ console: Console) -> ExitCode {
    let report = console.suppressingRuntimeMessages(on: opener.accelerator) {
      ChainDirectoryValidator(bundleValidator: checker).validate(path)
    }
    let bundles = report.bundles.map {
      ($0.name, $0.report.diagnostics.addingHints(for: $0.report.loadError))
    }
    let diagnostics = report.diagnostics.addingHints(for: nil, at: path)
    write(ValidationResult(diagnostics: diagnostics, bundles: bundles), console)
    return exitCode(report.allDiagnostics, report.loadError)
  }

  private func exitCode(_ diagnostics: [Diagnostic], _ loadError: ModelError?) -> ExitCode {
    if let loadError { return ExitCode(loadError.stage) }
    guard !diagnostics.hasErrors else { return .invalidBundle }
    return isStrict && !diagnostics.allSatisfy(\.isNonstandard) ? .partialFailure : .success
  }
}

extension [Diagnostic] {
  /// Returns the diagnostics, with the install command in that of a missing runtime, and a similar
  /// path in that of a missing bundle.
  fileprivate func addingHints(for error: ModelError?, at path: String? = nil) -> [Diagnostic] {
    var diagnostics = self
    for index in diagnostics.indices {
      let code = diagnostics[index].code
      if let error, code == error.code, let missing = error.missingRuntime,
        missing.backend.installCommand != nil
      {
        diagnostics[index] = Diagnostic(
          .error, code: code, path: diagnostics[index].path, message: missing.summary,
          suggestion: missing.installHint)
      } else if code == "missing-bundle", let path, FileKind(at: path) == nil,
        let similar = BundleResolver.similarPath(to: path)
      {
        diagnostics[index].suggestion = "did you mean '\(similar)'?"
      }
    }
    return diagnostics
  }
}

// MARK: Output

extension ValidateCommand {
  /// The diagnostics of a bundle, or of a chain and its bundles.
  private struct ValidationResult {
    let diagnostics: [Diagnostic]
    var bundles: [(name: String, diagnostics: [Diagnostic])]?

    var isValid: Bool {
      !diagnostics.hasErrors && !(bundles ?? []).contains { $0.diagnostics.hasErrors }
    }
  }

  private func write(_ result: ValidationResult, _ console: Console) {
    guard isJSON else { return writeText(result, console) }
    console.writeJSONObject { writer in
      writer.member("valid", result.isValid)
      Self.write(result.diagnostics, to: &writer)
      guard let bundles = result.bundles else { return }
      writer.member("bundles", objects: bundles) { writer, bundle in
        writer.member("bundle", bundle.name)
        writer.member("valid", !bundle.diagnostics.hasErrors)
        Self.write(bundle.diagnostics, to: &writer)
      }
    }
  }

  private static func write(_ diagnostics: [Diagnostic], to writer: inout JSONWriter) {
    writer.member("diagnostics", array: diagnostics) { $0.value($1) }
  }

  private func writeText(_ result: ValidationResult, _ console: Console) {
    let path = BundleResolver.path(for: path, console)
    write(result.diagnostics, of: "", console) { SourceExcerpt.description(at: path) }
    for bundle in result.bundles ?? [] {
      write(bundle.diagnostics, of: "\(bundle.name): ", console) {
        SourceExcerpt.description(of: bundle.name, in: path)
      }
    }
    console.printText("\(self.path): \(result.isValid ? "valid" : "invalid")")
  }

  /// Writes diagnostics, each with the line that it is about.
  private func write(
    _ diagnostics: [Diagnostic], of bundle: String, _ console: Console, source: () -> [UInt8]?
  ) {
    let bytes = diagnostics.contains { $0.line != nil } ? source() : nil
    for diagnostic in diagnostics {
      let line = "\(diagnostic.severity.rawValue): \(bundle)\(diagnostic)"
      console.printText(console.program.rewritingCommands(in: line))
      guard let bytes, let line = diagnostic.line,
        let excerpt = SourceExcerpt(
          of: bytes, line: line, column: diagnostic.column ?? 1, width: console.outputColumns)
      else { continue }
      excerpt.lines.forEach { console.print($0) }
    }
  }
}
