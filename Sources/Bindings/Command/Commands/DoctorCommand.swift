import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOJSON
import TensorIORuntimes

/// `tensorio doctor`: checks the installation.
struct DoctorCommand: Subcommand {
  static let helpPage = HelpPage(
    name: "doctor", summary: "Check runtimes, libraries and folders, and suggest fixes",
    usage: "[options]",
    discussion: """
      A check is ok, missing, or optional: what is missing is used by some bundles or commands only.
      Exits with 5 if LiteRT is not available, and with 1 if something else is missing.
      """,
    flags: [Flag.textOrJSON] + BuiltInRuntimes.libraries.map(\.pathFlag),
    examples: [
      ("tensorio doctor", "Check the installation"),
      ("tensorio doctor --format json", "Print the results for a script"),
    ])

  /// The width of the column with the states.
  private static let stateWidth = 9

  private let isJSON: Bool
  private let settings: [BackendIdentifier: RuntimeSettings]

  init(_ arguments: ParsedArguments) throws(OperationError) {
    guard arguments.positionals.isEmpty else {
      throw Self.helpPage.usageError("too many arguments")
    }
    isJSON = arguments.value(.textOrJSON) == "json"
    settings = arguments.runtimeSettings()
  }

  func run(_ console: Console) -> ExitCode {
    let required = BuiltInRuntimes.required
    let isolation = DiagnosticCheck.isolation(
      of: required, library: settings[required.identifier]?.library)
    let runtimes = Self.checks(of: BuiltInRuntimes.all, settings)
    let others: [DiagnosticCheck] = [
      .processor, .dataFolder, .imageFormats, .annotations, .drawing, .signatures, .databases,
      .grpc, .video, .pythonPackage, isolation,
    ]
    let operators = BuiltInRuntimes.all.compactMap(DiagnosticCheck.customOperators)
    let devices = BuiltInRuntimes.all.compactMap(DiagnosticCheck.gpu)
    let checks = (runtimes.map(\.check) + operators + devices + others).map {
      $0.rewritingFix(for: console.program)
    }
    if isJSON { writeJSON(checks, console) } else { writeText(checks, console) }
    let isComplete = runtimes.allSatisfy { $0.check.passed || !$0.isRequired }
    guard isComplete else { return .runtimeUnavailable }
    return checks.allSatisfy(\.passed) ? .success : .partialFailure
  }

  /// Checks the libraries of runtimes.
  static func checks(
    of runtimes: [RuntimeDescriptor], _ settings: [BackendIdentifier: RuntimeSettings] = [:]
  ) -> [(check: DiagnosticCheck, isRequired: Bool)] {
    runtimes.compactMap { runtime in
      DiagnosticCheck.runtime(runtime, library: settings[runtime.identifier]?.library)
        .map { ($0, runtime.isRequired) }
    }
  }

  private func writeText(_ checks: [DiagnosticCheck], _ console: Console) {
    for check in checks {
      let state = check.state.rawValue
      let padding = String(repeating: " ", count: max(1, Self.stateWidth - state.count))
      console.printText("\(state)\(padding)\(check.name): \(check.message)")
      if let fix = check.fix {
        console.printText(String(repeating: " ", count: Self.stateWidth) + "fix: \(fix)")
      }
    }
  }

  private func writeJSON(_ checks: [DiagnosticCheck], _ console: Console) {
    console.writeJSONObject { writer in
      writer.member("ok", checks.allSatisfy(\.passed))
      writer.member("checks", objects: checks) { writer, check in
        writer.member("name", check.name)
        writer.member("ok", check.passed)
        writer.member("state", check.state.rawValue)
        writer.member("message", check.message)
        writer.memberOrNull("fix", check.fix) { $0.value($1) }
      }
    }
  }
}
