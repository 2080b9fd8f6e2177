import TensorIO
import TensorIOBundle
package import TensorIOCore
import TensorIOSystem

/// The command line, as a function of its words.
public enum TensorIOCommand {
  /// All verbs, in the order in which the help lists them.
  static let subcommands: [any Subcommand.Type] = [
    RunCommand.self, StreamCommand.self, TrainCommand.self, EvaluateCommand.self, CompareCommand.self,
    BenchmarkCommand.self, GalleryCommand.self, InspectCommand.self, ValidateCommand.self, InitCommand.self,
    ServeCommand.self, StudioCommand.self, PackCommand.self, UnpackCommand.self, SignCommand.self,
    VerifyCommand.self, KeysCommand.self, ModelsCommand.self, DatasetsCommand.self, LabelCommand.self,
    DoctorCommand.self, RuntimeCommand.self, CompletionsCommand.self,
  ]

  /// Does what the words ask for, on the process's own streams, and returns the exit code.
  public static func run(_ arguments: [String]) -> Int32 {
    Signals.exitOnInterrupt()
    RuntimeLogging.silenceTensorFlow()
    return run(arguments, on: .standard).rawValue
  }

  /// Does what the words ask for and says what went wrong.
  package static func run(_ arguments: [String], on console: Console) -> ExitCode {
    do throws(OperationError) {
      return try dispatch(arguments, console)
    } catch {
      console.printError(error)
      return error.exitCode
    }
  }

  private static func dispatch(
    _ arguments: [String], _ console: Console
  ) throws(OperationError) -> ExitCode {
    guard let word = arguments.first else {
      console.writeMessage(Array((overview + "\n").utf8))
      return .usage
    }
    switch word {
    case "--version": console.print("tensorio \(Version.current)")
    case "--help", "-h", "help":
      console.print(arguments.count > 1 ? try subcommand(named: arguments[1]).helpPage.text : overview)
    default: return try runSubcommand(subcommand(named: word), Array(arguments.dropFirst()), console)
    }
    return .success
  }

  private static func runSubcommand(
    _ verb: any Subcommand.Type, _ words: [String], _ console: Console
  ) throws(OperationError) -> ExitCode {
    let flagWords = words.prefix { $0 != "--" }
    guard !flagWords.contains("--help"), !flagWords.contains("-h") else {
      console.print(verb.helpPage.text)
      return .success
    }
    var arguments = try ParsedArguments(words, flags: verb.helpPage.allFlags)
    var console = console
    let level = try LogLevel(console)
    console.isQuiet = arguments.has(.quiet) || level == .error
    console.showsRuntimeMessages = level == .debug
    console.trustFlags = TrustFlags(arguments, console)
    if verb is RunCommand.Type { arguments = try DefaultModel.insertingDefaultModel(arguments, words, console) }
    return try verb.init(arguments).run(console)
  }

  private static func subcommand(named word: String) throws(OperationError) -> any Subcommand.Type {
    if let verb = subcommands.first(where: { $0.helpPage.name == word || $0.helpPage.aliases.contains(word) }) {
      return verb
    }
    let names = subcommands.flatMap { [$0.helpPage.name] + $0.helpPage.aliases }
    throw .usage(
      "there is no verb '\(word)'"
        + (Spelling.closestMatch(to: word, among: names).map { "; did you mean '\($0)'?" }
          ?? "; see `tensorio --help`"))
  }

  private static var overview: String {
    let rows = subcommands.map { ($0.helpPage.name, $0.helpPage.summary) }
    return """
      tensorio runs machine-learning models from bundles.

      usage: tensorio VERB BUNDLE [INPUTS…] [flags]

      verbs:
      \(HelpPage.table(rows).joined(separator: "\n"))

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

/// The version of the program and of the library that it is built from.
enum Version {
  static let current = "0.1.0"
}
