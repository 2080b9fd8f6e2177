import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOServer

/// `tensorio serve`: answers for models over HTTP.
struct ServeCommand: Subcommand {
  static let helpPage = HelpPage(
    name: "serve", summary: "answers for models over HTTP",
    usage: "FOLDER|BUNDLE|CHAIN… [flags]",
    discussion: """
      Of a folder, all bundles and chains in it are served, each under the name of its folder
      without the ending, and opened when it is first asked for. Clients send pictures, forms or
      JSON to /v2/models/NAME/predict, and get what `tensorio run` prints. /v2/models lists the
      models, /v2/health/ready and /metrics are for those who watch over the server.

      Models run in processes of their own, so that one that crashes or hangs costs its request
      alone; --require-sandbox keeps them from files and networks besides, --in-process spares them.

      The server listens on this machine alone, unless --host says otherwise; then it needs a
      token, which clients send as `Authorization: Bearer TOKEN`. SIGTERM, or an interrupt, lets it
      answer what has come and end; a second one ends it at once.
      """,
    flags: ServerFlags.all + ModelOpener.serverRuntimeFlags,
    examples: [
      ("tensorio serve Examples/Bundles", "all models of a folder, on this machine alone"),
      (
        "curl --json @patient.json http://127.0.0.1:8000/v2/models/diabetes/predict",
        "asks one of them"
      ),
      (
        "TENSORIO_TOKEN=… tensorio serve digits.tiobundle --host 0.0.0.0 --log json",
        "for others, who know the token"
      ),
    ])

  /// How long a request waits for a model that others are using.
  private static let sessionTimeout = Duration.seconds(30)

  private let modelArguments: [String]
  private let flags: ServerFlags
  private let opener: ModelOpener

  init(_ arguments: ParsedArguments) throws(OperationError) {
    guard !arguments.positionals.isEmpty else {
      throw .usage("name a folder or a bundle: tensorio serve \(Self.helpPage.usage)")
    }
    modelArguments = arguments.positionals
    flags = try ServerFlags(arguments)
    opener = try ModelOpener(arguments, isServer: true)
      .with(threads: flags.threads, sessions: flags.workers, sessionTimeout: Self.sessionTimeout)
  }

  func run(_ console: Console) throws(OperationError) -> ExitCode {
    let entries = try ServedModels(modelArguments, console).entries
    try opener.checkWorkerAvailability()
    let (figures, status) = (ServerMetrics(), ServerStatus())
    let catalogue = ModelCatalog(entries, opener: opener.catalogOpener(try console.trustPolicy, console))
    let routes = PredictionRoutes(
      catalogue, figures, version: Version.current, status: status,
      isolation: opener.isolation?.level)
    let server = try ServerRunner(
      flags.configuration(console), routes.routes, [figures, flags.accessLog(console)], status)
    printStartupMessage(entries, at: server.address, console)
    return server.run()
  }

  private func printStartupMessage(_ entries: [ModelCatalog.Entry], at address: String, _ console: Console) {
    for entry in entries {
      guard let fault = entry.error else { continue }
      console.info("tensorio: '\(entry.name)' is broken: \(fault)")
    }
    let count = entries.count { $0.error == nil }
    console.print("serving \(count) \(count == 1 ? "model" : "models") at \(address)")
    if let example = ExampleRequest(entries) { console.print("try: \(example.curlCommand(address))") }
  }
}

extension ModelOpener {
  /// Opens what a server answers for.
  func catalogOpener(_ policy: TrustPolicy, _ console: Console) -> ModelCatalog.Opener {
    { (entry) throws(ModelError) in
      guard let bundle = entry.bundle else {
        return try openChainAsModel(at: entry.path, trust: policy, console)
      }
      return try open(bundle.get(), console)
    }
  }
}

/// A request that somebody can try on a server at once.
struct ExampleRequest {
  private let modelName: String
  /// A file that lies beside the model.
  private let samplePath: String

  /// One for the first model that has a sample; `nil` where none has.
  init?(_ entries: [ModelCatalog.Entry]) {
    for entry in entries {
      guard let bundle = try? entry.bundle?.get(), let sample = BundleSamples(bundle).firstItems else {
        continue
      }
      self.samplePath =
        sample.hasPrefix(InputValueParser.filePrefix) ? String(sample.dropFirst()) : sample
      modelName = entry.name
      return
    }
    return nil
  }

  /// The command line that asks for it.
  func curlCommand(_ address: String) -> String {
    let url = "\(address)/v2/models/\(modelName)/predict"
    let isJSON = samplePath.hasSuffix(InputValueParser.jsonSuffix)
    let words =
      isJSON
      ? ["curl", "--json", "@\(samplePath)", url]
      : ["curl", "--header", "Content-Type: image/*", "--data-binary", "@\(samplePath)", url]
    return words.map(\.shellEscaped).joined(separator: " ")
  }
}
