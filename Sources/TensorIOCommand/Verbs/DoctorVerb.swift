internal import TensorIO
internal import TensorIOCore
internal import TensorIOLiteRT
internal import TensorIOTensorFlow

/// `tensorio doctor`: says what is there, what is missing and how to get it.
struct DoctorVerb: Verb {
  static let page = HelpPage(
    name: "doctor", summary: "says what is there, what is missing and how to get it",
    usage: "[flags]",
    flags: [Flag.textOrJSON, BundleOpening.library, BundleOpening.tensorflowLibrary],
    examples: [
      ("tensorio doctor", "checks runtimes, libraries and folders"),
      ("tensorio doctor --format json", "the same for a script; exit code 5 without LiteRT"),
    ])

  private let isJSON: Bool
  private let library: String?
  private let tensorflowLibrary: String?

  init(_ arguments: ParsedArguments) throws(CommandFailure) {
    guard arguments.words.isEmpty else {
      throw .usage("doctor takes no words: tensorio doctor \(Self.page.usage)")
    }
    isJSON = arguments.value(.textOrJSON) == "json"
    library = arguments.value(BundleOpening.library)
    tensorflowLibrary = arguments.value(BundleOpening.tensorflowLibrary)
  }

  func run(_ console: Console) -> ExitCode {
    let runtime = Checkup.runtime(.liteRT, library: library)
    let tensorflow = Checkup.optionalRuntime(.tensorFlow, library: tensorflowLibrary)
    let checks = [
      runtime, tensorflow, .processors, .dataFolder, .pictures, .drawing, .archives, .signatures,
      .databases,
      .videos, .isolation(library: library),
    ].map { $0.spoken(by: console.program) }
    if isJSON { writeJSON(checks, console) } else { writeText(checks, console) }
    return runtime.isOK ? (checks.allSatisfy(\.isOK) ? .ok : .fellShort) : .runtime
  }

  private func writeText(_ checks: [Checkup], _ console: Console) {
    for check in checks {
      console.print("\(check.isOK ? "ok     " : "missing")  \(check.name): \(check.found)")
      if let fix = check.fix { console.print("         fix: \(fix)") }
    }
  }

  private func writeJSON(_ checks: [Checkup], _ console: Console) {
    var writer = JSONWriter(.indented)
    writer.object { writer in
      writer.member("ok", checks.allSatisfy(\.isOK))
      writer.member(
        "checks",
        array: { writer in
          for check in checks {
            writer.object { writer in
              writer.member("name", check.name)
              writer.member("ok", check.isOK)
              writer.member("found", check.found)
              writer.key("fix")
              if let fix = check.fix { writer.value(fix) } else { writer.null() }
            }
          }
        })
    }
    console.output(writer.bytes + Array("\n".utf8))
  }
}
