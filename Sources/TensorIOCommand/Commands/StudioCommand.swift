import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOServer
import TensorIOStudio
import TensorIOSystem

/// `tensorio studio`: a page in the browser on which models are tried.
struct StudioCommand: Subcommand {
  static let data = Flag(
    "data", "DATA", "a folder, file or @NAME to judge models by; may be repeated")

  static let helpPage = HelpPage(
    name: "studio", summary: "serves a page in the browser on which models are tried",
    usage: "[FOLDER|BUNDLE|CHAIN…] [flags]",
    discussion: """
      The page shows a model its pictures, from files, the clipboard or the camera, and what the model
      says and has seen of them; it judges models by pictures that are dropped on it, or by --data,
      and imports bundles into the user's library. Without words, the models are those that
      `tensorio models` lists. Nothing is opened: the address is printed.

      The server listens on this machine alone, unless --host says otherwise; then it needs a token,
      which the browser asks for as a password. An interrupt ends it.
      """,
    flags: [data, ServerFlags.host, ServerFlags.port, ServerFlags.token, ServerFlags.allowedHost]
      + [ModelOpener.threads, ServerFlags.accessLog] + ModelOpener.serverRuntimeFlags,
    examples: [
      ("tensorio studio", "the models of the user's library"),
      (
        "tensorio studio Examples/Bundles --data Examples/Data/digits-held-out",
        "all models of a folder, and pictures to judge them by"
      ),
      ("tensorio studio digits.tiobundle --port 0", "one model, at any port that is free"),
    ])

  /// Side by side, on two pages or while it is judged, a model answers several at the same time.
  private static let sessions = 2
  /// How long a request waits for a model that others are using.
  private static let sessionTimeout = Duration.seconds(30)

  private let modelArguments: [String]
  private let data: [String]
  private let flags: ServerFlags
  private let threads: Int?
  private let opener: ModelOpener
  private let logsAllRequests: Bool

  init(_ arguments: ParsedArguments) throws(OperationError) {
    (modelArguments, data) = (arguments.positionals, arguments.values(Self.data))
    flags = try ServerFlags(arguments)
    threads = try arguments.integer(ModelOpener.threads, in: ModelOpener.threadRange)
    opener = try ModelOpener(arguments, isServer: true)
    logsAllRequests = arguments.value(ServerFlags.accessLog) != nil
  }

  func run(_ console: Console) throws(OperationError) -> ExitCode {
    let data = try data(console)
    try opener.checkWorkerAvailability()
    let entries = try entries(console)
    let settings = StudioSettingsStore(try savedChoice(among: entries, console))
    let catalogue = ModelCatalog(entries, opener: catalogOpener(settings, try console.trustPolicy, console))
    let studio = Studio(
      catalogue, settings, datasets: PreconfiguredDataset.all(at: data.map(\.path)),
      host: LocalStudioHost(opener: opener, console: console), version: Version.current)
    defer { withExtendedLifetime(data) { studio.close() } }
    return try serve(studio, catalogue, console)
  }

  private func data(_ console: Console) throws(OperationError) -> [ResolvedDataset] {
    try data.map { (word) throws(OperationError) in
      let data = try ResolvedDataset(word, console)
      guard FileKind(at: data.path) != nil else {
        throw .input("missing-file", "\(word): there is no such data")
      }
      return data
    }
  }

  private func serve(
    _ studio: Studio, _ catalogue: ModelCatalog, _ console: Console
  ) throws(OperationError) -> ExitCode {
    let (figures, status) = (ServerMetrics(), ServerStatus())
    let serving = PredictionRoutes(
      catalogue, figures, version: Version.current, status: status,
      isolation: opener.isolation?.level)
    let server = try ServerRunner(
      flags.configuration(console), StudioRoutes(studio).routes + serving.routes,
      [figures, accessLog(console)], status)
    console.print("the studio is at \(server.address)/")
    return server.run()
  }

  /// A page asks for much; only what fails is told, unless the user wants all.
  private func accessLog(_ console: Console) -> AccessLog {
    var console = console
    console.isQuiet = console.isQuiet || !logsAllRequests
    return flags.accessLog(console)
  }
}

// MARK: Models

extension StudioCommand {
  private func entries(_ console: Console) throws(OperationError) -> [ModelCatalog.Entry] {
    guard modelArguments.isEmpty else { return try ServedModels(modelArguments, console).entries }
    var names: Set<String> = []
    return try UserLibrary(console).entries(trust: console.trustPolicy)
      .filter { names.insert($0.name).inserted }
      .map { .init(name: $0.name, path: $0.path, bundle: $0.content) }
  }

  /// What the user has chosen before, as far as it is of use here.
  private func savedChoice(
    among entries: [ModelCatalog.Entry], _ console: Console
  ) throws(OperationError) -> StudioSettings {
    let settings = try Settings(console)
    let model = settings.defaultModel.flatMap { name in entries.first { $0.name == name }?.name }
    return StudioSettings(threads: threads ?? settings.threads, top: settings.top, defaultModel: model)
  }

  /// Opens models with as many threads as are chosen when they are opened.
  private func catalogOpener(
    _ settings: StudioSettingsStore, _ policy: TrustPolicy, _ console: Console
  ) -> ModelCatalog.Opener {
    { (entry) throws(ModelError) in
      let opening = opener.with(
        threads: settings.current.effectiveThreads, sessions: Self.sessions, sessionTimeout: Self.sessionTimeout)
      return try opening.catalogOpener(policy, console)(entry)
    }
  }
}
