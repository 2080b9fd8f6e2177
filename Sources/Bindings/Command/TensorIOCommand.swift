import TensorIO
import TensorIOBundle
package import TensorIOCore
import TensorIORuntimes
import TensorIOSystem

/// The command line `tensorio` as a function, for programs that add tasks, runtimes or models of their own to it.
///
/// Register them first (`TaskRegistry.register`, `RuntimeRegistry`, `ModelRegistry`), and end the program with the
/// result of ``run(_:)``. `Examples/Apps/OwnTask` is such a program.
public enum TensorIOCommand {
  /// All commands, in the order of the help.
  static let subcommands: [any Subcommand.Type] = [
    RunCommand.self, GenerateCommand.self, ChatCommand.self, TranscribeCommand.self,
    SpeakCommand.self, StreamCommand.self, TrainCommand.self, TeachCommand.self,
    EvaluateCommand.self, QuantizeCommand.self, DriftCommand.self,
    ExplainCommand.self,
    CompareCommand.self,
    BenchmarkCommand.self, GalleryCommand.self, InspectCommand.self, ValidateCommand.self,
    InitCommand.self, SwiftCommand.self,
    ServeCommand.self, StudioCommand.self, PackCommand.self, UnpackCommand.self, SignCommand.self,
    VerifyCommand.self, KeysCommand.self, ModelsCommand.self, DatasetsCommand.self,
    LabelCommand.self,
    DoctorCommand.self, RuntimeCommand.self, CompletionsCommand.self,
  ]

  /// Runs a command line on the process's streams.
  ///
  /// - Parameter arguments: The arguments, without the name of the program.
  /// - Returns: The exit code.
  public static func run(_ arguments: [String]) -> Int32 {
    Signals.exitOnInterrupt()
    RuntimeLogging.silenceTensorFlow()
    return StandardOutput.exitCode(run(arguments, on: .standard)).rawValue
  }

  /// Runs a command line on a console, reports its error, and returns the exit code.
  package static func run(_ arguments: [String], on console: Console) -> ExitCode {
    var console = console
    console.colorChoice = ColorChoice(arguments)
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
    guard let name = arguments.first else {
      console.writeMessage(Array((overview + "\n").utf8))
      return .usage
    }
    switch name {
    case "--version": console.print("tensorio \(Version.current)")
    case "--help", "-h", "help":
      let words = arguments.dropFirst().filter { !$0.hasPrefix("-") }
      guard let name = words.first else {
        console.printText(overview)
        break
      }
      console.printText(
        try subcommand(named: name).helpPage.text(
          of: words.dropFirst().first, width: console.outputColumns))
    default:
      return try runSubcommand(subcommand(named: name), Array(arguments.dropFirst()), console)
    }
    return .success
  }

  private static func runSubcommand(
    _ subcommand: any Subcommand.Type, _ rawArguments: [String], _ console: Console
  ) throws(OperationError) -> ExitCode {
    let flags = subcommand.helpPage.allFlags
    guard !ParsedArguments.requestsHelp(rawArguments, flags: flags) else {
      console.printText(
        subcommand.helpPage.text(of: rawArguments.first, width: console.outputColumns))
      return .success
    }
    var arguments = try ParsedArguments(rawArguments, flags: flags)
    var console = console
    let level = try LogLevel(console)
    console.isQuiet = arguments.has(.quiet) || level == .error
    console.showsRuntimeMessages = level == .debug
    console.trustFlags = TrustFlags(arguments, console)
    for warning in subcommand.helpPage.optionWarnings(arguments) { console.warn(warning) }
    if subcommand is RunCommand.Type {
      arguments = try DefaultModel.insertingDefaultModel(arguments, rawArguments, console)
    }
    return try subcommand.init(arguments).run(console)
  }

  private static func subcommand(named name: String) throws(OperationError) -> any Subcommand.Type {
    let match = subcommands.first {
      $0.helpPage.name == name || $0.helpPage.aliases.contains(name)
    }
    if let match { return match }
    let names = subcommands.flatMap { [$0.helpPage.name] + $0.helpPage.aliases }
    throw .usage(
      "unknown command '\(name)'"
        + (Spelling.closestMatch(to: name, among: names).map { "; did you mean '\($0)'?" }
          ?? "; see `tensorio --help`"))
  }

  /// The environment variables of the runtimes' libraries, in the columns of the overview.
  private static var libraryVariables: String {
    BuiltInRuntimes.libraries.map { library in
      let variable = library.environmentVariable
      let padding = String(repeating: " ", count: max(1, 30 - variable.count))
      return "\(variable)\(padding)\(library.displayName) library to load"
    }.joined(separator: "\n  ")
  }

  /// The text of `--help`.
  static var overview: String {
    let rows = subcommands.map { ($0.helpPage.name, $0.helpPage.summary) }
    return """
      tensorio - Run, train, evaluate and serve machine-learning models

      usage: tensorio <command> [options] [<argument> ...]
             tensorio help <command>
             tensorio --version

      commands:
      \(HelpPage.table(rows).joined(separator: "\n"))

      A bundle is a folder, or a zip file of one, that contains a model, a model.json describing its
      inputs and outputs, and assets such as labels. `tensorio <command> --help` lists the options of
      a command, with examples.

      exit codes:
        0     Success
        1     Some items failed, or a check did not pass
        2     Usage error
        3     Invalid bundle
        4     Unreadable or mismatched input
        5     Runtime unavailable, model rejected, or bundle not trusted
        6     Inference, training or output failed
        130   Interrupted

      environment:
        TENSORIO_HOME                 Data folder of models, datasets, keys and runtimes
        TENSORIO_MODELS               Additional folders of bundles to find by name
        TENSORIO_THREADS              Default number of threads
        \(libraryVariables)
        TENSORIO_WORKER               Program of worker processes
        TENSORIO_CACHE_DIR            Cache folder, or off
        TENSORIO_REQUIRE_SIGNATURE    1 requires signatures for all bundles
        TENSORIO_TOKEN                Bearer token of serve and studio
        TENSORIO_LOG                  Verbosity of messages: error, info or debug (default: info)
        NO_COLOR                      Disable colors
        FORCE_COLOR                   Enable colors without a terminal
      """
  }
}
