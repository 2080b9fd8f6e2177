internal import TensorIO
package import TensorIOCore

/// The command line, as a function of its words.
public enum TensorIOCommand {
  /// All verbs, in the order in which the help lists them.
  static let verbs: [any Verb.Type] = [
    RunVerb.self, StreamVerb.self, TrainVerb.self, EvaluateVerb.self, CompareVerb.self,
    BenchmarkVerb.self, GalleryVerb.self, InspectVerb.self, ValidateVerb.self, InitVerb.self,
    ServeVerb.self, StudioVerb.self, PackVerb.self, UnpackVerb.self, SignVerb.self,
    VerifyVerb.self, KeysVerb.self, ModelsVerb.self, DatasetsVerb.self, LabelVerb.self,
    DoctorVerb.self, RuntimeVerb.self, CompletionsVerb.self,
  ]

  /// Does what the words ask for, on the process's own streams, and returns the exit code.
  public static func run(_ arguments: [String]) -> Int32 {
    Signals.exitOnInterrupt()
    Runtimes.quiet()
    return run(arguments, on: .standard).rawValue
  }

  /// Does what the words ask for and says what went wrong.
  package static func run(_ arguments: [String], on console: Console) -> ExitCode {
    do throws(CommandFailure) {
      return try dispatch(arguments, console)
    } catch {
      console.fail(error)
      return error.exit
    }
  }

  private static func dispatch(
    _ arguments: [String], _ console: Console
  ) throws(CommandFailure) -> ExitCode {
    guard let word = arguments.first else {
      console.message(Array((overview + "\n").utf8))
      return .usage
    }
    switch word {
    case "--version": console.print("tensorio \(Version.current)")
    case "--help", "-h", "help":
      console.print(arguments.count > 1 ? try verb(arguments[1]).page.text : overview)
    default: return try perform(verb(word), Array(arguments.dropFirst()), console)
    }
    return .ok
  }

  private static func perform(
    _ verb: any Verb.Type, _ words: [String], _ console: Console
  ) throws(CommandFailure) -> ExitCode {
    let flagWords = words.prefix { $0 != "--" }
    guard !flagWords.contains("--help"), !flagWords.contains("-h") else {
      console.print(verb.page.text)
      return .ok
    }
    var arguments = try ParsedArguments(words, flags: verb.page.allFlags)
    var console = console
    let level = try LogLevel(console)
    console.isQuiet = arguments.has(.quiet) || level == .error
    console.showsRuntimes = level == .debug
    console.trust = TrustFlags(arguments, console)
    if verb is RunVerb.Type { arguments = try DefaultModel.completed(arguments, words, console) }
    return try verb.init(arguments).run(console)
  }

  private static func verb(_ word: String) throws(CommandFailure) -> any Verb.Type {
    if let verb = verbs.first(where: { $0.page.name == word || $0.page.aliases.contains(word) }) {
      return verb
    }
    let names = verbs.flatMap { [$0.page.name] + $0.page.aliases }
    throw .usage(
      "there is no verb '\(word)'"
        + (Spelling.nearest(to: word, among: names).map { "; did you mean '\($0)'?" }
          ?? "; see `tensorio --help`"))
  }

  private static var overview: String {
    let rows = verbs.map { ($0.page.name, $0.page.summary) }
    return """
      tensorio runs machine-learning models from bundles.

      usage: tensorio VERB BUNDLE [INPUTS…] [flags]

      verbs:
      \(HelpPage.columns(rows).joined(separator: "\n"))

      A bundle is a folder, or a zip of one, with a model, a model.json that says what goes in and
      what comes out, and labels. `tensorio VERB --help` shows a verb's flags and examples.

      exit codes: 0 ok · 1 some items failed or a check fell short · 2 usage · 3 bundle invalid ·
      4 input unreadable or mismatched · 5 runtime missing, or the model refused · 6 inference
      failed · 130 interrupted

      environment: TENSORIO_MODELS (folders of bundles, found by name) · TENSORIO_THREADS ·
      TENSORIO_LITERT_LIBRARY · TENSORIO_TENSORFLOW_LIBRARY · TENSORIO_HOME (where runtimes,
      models, keys and data sets are kept) · TENSORIO_REQUIRE_SIGNATURE (1 for all bundles) ·
      TENSORIO_CACHE_DIR (or off) · TENSORIO_WORKER · TENSORIO_LOG (error, info or debug) ·
      TENSORIO_TOKEN (what clients of a server must know) · NO_COLOR
      """
  }
}
