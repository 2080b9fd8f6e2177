internal import TensorIO
internal import TensorIOCore
internal import TensorIOServer
internal import TensorIOStudio
internal import TensorIOSystem

/// `tensorio studio`: a page in the browser on which models are tried.
struct StudioVerb: Verb {
  static let data = Flag(
    "data", "DATA", "a folder, file or @NAME to judge models by; may be repeated")

  static let page = HelpPage(
    name: "studio", summary: "serves a page in the browser on which models are tried",
    usage: "[FOLDER|BUNDLE|CHAIN…] [flags]",
    details: """
      The page shows a model its pictures, from files, the clipboard or the camera, and what the model
      says and has seen of them; it judges models by pictures that are dropped on it, or by --data,
      and imports bundles into the user's library. Without words, the models are those that
      `tensorio models` lists. Nothing is opened: the address is printed.

      The server listens on this machine alone, unless --host says otherwise; then it needs a token,
      which the browser asks for as a password. An interrupt ends it.
      """,
    flags: [data, ServerFlags.host, ServerFlags.port, ServerFlags.token, ServerFlags.name]
      + [BundleOpening.threads, ServerFlags.log] + BundleOpening.servedRuntimes,
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
  private static let patience = Duration.seconds(30)

  private let words: [String]
  private let data: [String]
  private let flags: ServerFlags
  private let threads: Int?
  private let opening: BundleOpening
  private let logsAll: Bool

  init(_ arguments: ParsedArguments) throws(CommandFailure) {
    (words, data) = (arguments.words, arguments.all(Self.data))
    flags = try ServerFlags(arguments)
    threads = try arguments.integer(BundleOpening.threads, in: BundleOpening.threadCounts)
    opening = try BundleOpening(arguments, isServer: true)
    logsAll = arguments.value(ServerFlags.log) != nil
  }

  func run(_ console: Console) throws(CommandFailure) -> ExitCode {
    let data = try data(console)
    try opening.requireWorkers()
    let entries = try entries(console)
    let settings = StudioSettings(try choice(among: entries, console))
    let catalogue = ModelCatalogue(entries, opening: serving(settings, try console.policy, console))
    let studio = Studio(
      catalogue, settings, data: OfferedData.all(at: data.map(\.path)),
      library: StudioFiles(opening: opening, console: console), version: Version.current)
    defer { withExtendedLifetime(data) { studio.close() } }
    return try serve(studio, catalogue, console)
  }

  private func data(_ console: Console) throws(CommandFailure) -> [NamedData] {
    try data.map { (word) throws(CommandFailure) in
      let data = try NamedData(word, console)
      guard FileKind(at: data.path) != nil else {
        throw .input("missing-file", "\(word): there is no such data")
      }
      return data
    }
  }

  private func serve(
    _ studio: Studio, _ catalogue: ModelCatalogue, _ console: Console
  ) throws(CommandFailure) -> ExitCode {
    let (figures, status) = (ServerFigures(), ServerStatus())
    let serving = ServingRoutes(
      catalogue, figures, version: Version.current, status: status,
      isolation: opening.isolation?.level)
    let server = try RunningServer(
      flags.configuration(console), StudioRoutes(studio).routes + serving.routes,
      [figures, log(console)], status)
    console.print("the studio is at \(server.address)/")
    return server.run()
  }

  /// A page asks for much; only what fails is told, unless the user wants all.
  private func log(_ console: Console) -> RequestLog {
    var console = console
    console.isQuiet = console.isQuiet || !logsAll
    return flags.log(console)
  }
}

// MARK: Models

extension StudioVerb {
  private func entries(_ console: Console) throws(CommandFailure) -> [ModelCatalogue.Entry] {
    guard words.isEmpty else { return try ServedFolders(words, console).entries }
    var names: Set<String> = []
    return try OwnLibrary(console).entries(trust: console.policy)
      .filter { names.insert($0.name).inserted }
      .map { .init(name: $0.name, path: $0.path, bundle: $0.content) }
  }

  /// What the user has chosen before, as far as it is of use here.
  private func choice(
    among entries: [ModelCatalogue.Entry], _ console: Console
  ) throws(CommandFailure) -> StudioChoice {
    let settings = try Settings(console)
    let model = settings.model.flatMap { name in entries.first { $0.name == name }?.name }
    return StudioChoice(threads: threads ?? settings.threads, top: settings.top, model: model)
  }

  /// Opens models with as many threads as are chosen when they are opened.
  private func serving(
    _ settings: StudioSettings, _ policy: TrustPolicy, _ console: Console
  ) -> ModelCatalogue.Opening {
    { (entry) throws(ModelError) in
      let opening = opening.with(
        threads: settings.current.usedThreads, sessions: Self.sessions, waitLimit: Self.patience)
      return try opening.serving(policy, console)(entry)
    }
  }
}
