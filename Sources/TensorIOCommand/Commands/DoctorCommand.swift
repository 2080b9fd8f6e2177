import TensorIO
import TensorIOCore
import TensorIOJSON
import TensorIOLiteRT
import TensorIOTensorFlow

/// `tensorio doctor`: checks the installation.
struct DoctorCommand: Subcommand {
  static let helpPage = HelpPage(
    name: "doctor", summary: "Check runtimes, libraries and folders, and suggest fixes",
    usage: "[options]",
    discussion: """
      Exits with 5 if LiteRT is not available, and with 1 if another check fails.
      """,
    flags: [Flag.textOrJSON, ModelOpener.litertLibrary, ModelOpener.tensorflowLibrary],
    examples: [
      ("tensorio doctor", "Check the installation"),
      ("tensorio doctor --format json", "Print the results for a script"),
    ])

  private let isJSON: Bool
  private let litertLibrary: String?
  private let tensorflowLibrary: String?

  init(_ arguments: ParsedArguments) throws(OperationError) {
    guard arguments.positionals.isEmpty else {
      throw Self.helpPage.usageError("too many arguments")
    }
    isJSON = arguments.value(.textOrJSON) == "json"
    litertLibrary = arguments.value(ModelOpener.litertLibrary)
    tensorflowLibrary = arguments.value(ModelOpener.tensorflowLibrary)
  }

  func run(_ console: Console) -> ExitCode {
    let runtime = DiagnosticCheck.runtime(.liteRT, library: litertLibrary)
    let tensorflow = DiagnosticCheck.optionalRuntime(.tensorFlow, library: tensorflowLibrary)
    let checks = [
      runtime, tensorflow, .processor, .dataFolder, .imageFormats, .annotations, .drawing,
      .signatures,
      .databases, .video, .isolation(library: litertLibrary),
    ].map { $0.rewritingFix(for: console.program) }
    if isJSON { writeJSON(checks, console) } else { writeText(checks, console) }
    guard runtime.passed else { return .runtimeUnavailable }
    return checks.allSatisfy(\.passed) ? .success : .partialFailure
  }

  private func writeText(_ checks: [DiagnosticCheck], _ console: Console) {
    for check in checks {
      console.print("\(check.passed ? "ok     " : "missing")  \(check.name): \(check.message)")
      if let fix = check.fix { console.print("         fix: \(fix)") }
    }
  }

  private func writeJSON(_ checks: [DiagnosticCheck], _ console: Console) {
    var writer = JSONWriter(.indented)
    writer.object { writer in
      writer.member("ok", checks.allSatisfy(\.passed))
      writer.member(
        "checks",
        array: { writer in
          for check in checks {
            writer.object { writer in
              writer.member("name", check.name)
              writer.member("ok", check.passed)
              writer.member("message", check.message)
              writer.key("fix")
              if let fix = check.fix { writer.value(fix) } else { writer.null() }
            }
          }
        })
    }
    console.writeOutput(writer.bytes + Array("\n".utf8))
  }
}
