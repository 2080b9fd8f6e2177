import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOLibrary
import TensorIOServer
import TensorIOStudio
import TensorIOSystem

/// `tensorio studio`: serves a web page for trying and evaluating models.
struct StudioCommand: Subcommand {
  static let data = Flag(
    "data", "DATA", "Folder, file or @NAME to evaluate models on (repeatable)")
  static let accessLog = Flag(
    "access-log", "FORMAT", "Log all requests as text or json (default: failures only)",
    choices: ["text", "json"])
  static let allowPrivateDownloads = Flag(
    "allow-private-downloads", "Let the page import from URLs of this machine and private networks")
  static let page = Flag("page", "DIR", "Serve the page's files from DIR, to develop the page")

  static let helpPage = HelpPage(
    name: "studio", summary: "Serve a web page for trying and evaluating models",
    usage: "[options] [<folder>|<bundle>|<chain> ...]",
    discussion: """
      The page runs models on images from files, the clipboard or the camera, shows results and
      preprocessed images, evaluates models on dropped images or --data, and imports bundles into
      the library. Without arguments, it serves the models of `tensorio models`. The address is
      printed; no browser is opened.

      The server listens on the loopback interface. Any other --host requires a token, for which the
      browser asks as a password. An interrupt stops the server.
      """,
    flags: [data, ServerFlags.host, ServerFlags.port, ServerFlags.token, ServerFlags.allowedHost]
      + [ModelOpener.threads, accessLog, allowPrivateDownloads, page]
      + ModelOpener.serverRuntimeFlags,
    examples: [
      ("tensorio studio", "Serve the models of the library"),
      (
        "tensorio studio Examples/Bundles --data Examples/Data/digits-held-out",
        "Serve the models of a folder, with data to evaluate them on"
      ),
      ("tensorio studio digits.tiobundle --port 0", "Serve one model on a free port"),
    ])

  /// The number of sessions per model, for side-by-side views and running evaluations.
  private static let sessions = 2
  /// The maximum time that a request waits for a session of its model.
  private static let sessionTimeout = Duration.seconds(30)

  private let modelArguments: [String]
  private let data: [String]
  private let page: String?
  private let flags: ServerFlags
  private let threads: Int?
  private let opener: ModelOpener
  private let logsAllRequests: Bool
  private let allowsPrivateDownloads: Bool

  init(_ arguments: ParsedArguments) throws(OperationError) {
    (modelArguments, data) = (arguments.positionals, arguments.values(Self.data))
    page = arguments.value(Self.page)
    flags = try ServerFlags(arguments)
    threads = try arguments.integer(ModelOpener.threads, in: ModelOpener.threadRange)
    opener = try ModelOpener(arguments, isServer: true)
    logsAllRequests = arguments.has(Self.accessLog)
    allowsPrivateDownloads = arguments.has(Self.allowPrivateDownloads)
  }

  func run(_ console: Console) throws(OperationError) -> ExitCode {
    let streams = try flags.serverConsole(console)
    defer { streams.close() }
    return try run(streams)
  }

  private func run(_ streams: ServerConsole) throws(OperationError) -> ExitCode {
    let console = streams.console
    let data = try data(console)
    let assets = try assets()
    try opener.checkWorkerAvailability()
    let entries = try entries(console)
    let settings = StudioSettingsStore(try savedChoice(among: entries, console))
    let log = accessLog(console)
    let catalog = ModelCatalog(
      entries, mayBeEmpty: true, onChange: { log.record($0) },
      opener: catalogOpener(settings, try console.trustPolicy, console))
    let studio = Studio(
      catalog, settings, datasets: PreconfiguredDataset.all(at: data.map(\.path)),
      host: LocalStudioHost(
        opener: opener, console: console, allowsPrivateDownloads: allowsPrivateDownloads),
      version: Version.current,
      limits: flags.limits)
    defer { withExtendedLifetime(data) { studio.close() } }
    return try serve(StudioRoutes(studio, assets: assets), catalog, log, streams)
  }

  private func data(_ console: Console) throws(OperationError) -> [ResolvedDataset] {
    try data.map { (argument) throws(OperationError) in
      let data = try ResolvedDataset(argument, console)
      guard FileKind(at: data.path) != nil else {
        throw .input("missing-file", "\(argument): no such file or folder")
      }
      return data
    }
  }

  private func assets() throws(OperationError) -> StudioAssets {
    guard let page else { return StudioAssets() }
    guard let assets = StudioAssets(directory: page) else {
      throw .input("missing-file", "'\(page)' contains no index.html")
    }
    return assets
  }

  private func serve(
    _ routes: StudioRoutes, _ catalog: ModelCatalog, _ log: AccessLog,
    _ streams: ServerConsole
  ) throws(OperationError) -> ExitCode {
    let metrics = ServerMetrics(
      workerProcesses: { .current }, droppedLogLines: { streams.droppedLines },
      memory: flags.limits.memory)
    let status = ServerStatus()
    let predictionRoutes = PredictionRoutes(
      catalog, metrics, version: Version.current, status: status,
      isolation: opener.isolation?.level, limits: flags.limits)
    let server = try ServerRunner(
      flags.configuration(streams.console), routes.routes + predictionRoutes.routes,
      [metrics, log], log, streams, status)
    streams.console.print("serving the studio at \(server.address)/")
    return server.run()
  }

  /// Returns a log of failed requests, or of all requests if the option is given.
  private func accessLog(_ console: Console) -> AccessLog {
    var console = console
    console.isQuiet = console.isQuiet || !logsAllRequests
    return flags.accessLog(console)
  }
}

// MARK: Models

extension StudioCommand {
  private func entries(_ console: Console) throws(OperationError) -> [ModelCatalog.Entry] {
    guard modelArguments.isEmpty else {
      return try ServedModels(modelArguments, console).entries.map(\.entry)
    }
    var names: Set<String> = []
    return try UserLibrary(console).entries(trust: console.trustPolicy)
      .filter { names.insert($0.name).inserted }
      .map { .init(name: $0.name, path: $0.path, bundle: $0.content) }
  }

  /// Returns the user's saved settings, without a default model that is not served.
  private func savedChoice(
    among entries: [ModelCatalog.Entry], _ console: Console
  ) throws(OperationError) -> StudioSettings {
    let settings = try Settings(console)
    let model = settings.defaultModel.flatMap { name in entries.first { $0.name == name }?.name }
    return StudioSettings(
      threads: threads ?? settings.threads, top: settings.top, defaultModel: model)
  }

  /// Returns a closure that opens models with the number of threads of the current settings.
  private func catalogOpener(
    _ settings: StudioSettingsStore, _ policy: TrustPolicy, _ console: Console
  ) -> ModelCatalog.Opener {
    { (entry) throws(ModelError) in
      let opener = opener.with(
        threads: settings.current.effectiveThreads, sessions: Self.sessions,
        sessionTimeout: Self.sessionTimeout)
      return try opener.catalogOpener(policy, console)(entry)
    }
  }
}
