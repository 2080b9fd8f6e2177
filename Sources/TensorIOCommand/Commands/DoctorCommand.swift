import TensorIO
import TensorIOCore
import TensorIOJSON
import TensorIOLiteRT
import TensorIOTensorFlow

/// `tensorio doctor`: says what is there, what is missing and how to get it.
struct DoctorCommand: Subcommand {
  static let helpPage = HelpPage(
    name: "doctor", summary: "says what is there, what is missing and how to get it",
    usage: "[flags]",
    flags: [Flag.textOrJSON, ModelOpener.litertLibrary, ModelOpener.tensorflowLibrary],
    examples: [
      ("tensorio doctor", "checks runtimes, libraries and folders"),
      ("tensorio doctor --format json", "the same for a script; exit code 5 without LiteRT"),
    ])

  private let isJSON: Bool
  private let litertLibrary: String?
  private let tensorflowLibrary: String?

  init(_ arguments: ParsedArguments) throws(OperationError) {
    guard arguments.positionals.isEmpty else {
      throw .usage("doctor takes no words: tensorio doctor \(Self.helpPage.usage)")
    }
    isJSON = arguments.value(.textOrJSON) == "json"
    litertLibrary = arguments.value(ModelOpener.litertLibrary)
    tensorflowLibrary = arguments.value(ModelOpener.tensorflowLibrary)
  }

  func run(_ console: Console) -> ExitCode {
    let runtime = DiagnosticCheck.runtime(.liteRT, library: litertLibrary)
    let tensorflow = DiagnosticCheck.optionalRuntime(.tensorFlow, library: tensorflowLibrary)
    let checks = [
      runtime, tensorflow, .processor, .dataFolder, .imageFormats, .drawing, .archives, .signatures,
      .databases,
      .video, .isolation(library: litertLibrary),
    ].map { $0.rewritingFix(for: console.program) }
    if isJSON { writeJSON(checks, console) } else { writeText(checks, console) }
    return runtime.passed ? (checks.allSatisfy(\.passed) ? .success : .partialFailure) : .runtimeUnavailable
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
              writer.member("found", check.message)
              writer.key("fix")
              if let fix = check.fix { writer.value(fix) } else { writer.null() }
            }
          }
        })
    }
    console.writeOutput(writer.bytes + Array("\n".utf8))
  }
}
