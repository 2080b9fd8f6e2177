import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOServer

/// `tensorio serve`: serves models over HTTP.
struct ServeCommand: Subcommand {
  static let helpPage = HelpPage(
    name: "serve", summary: "Serve models over HTTP",
    usage: "[options] <folder>|<bundle>|<chain> ...",
    discussion: """
      For a folder, all bundles and chains in it are served. A model is named after its file without
      the extension, and loaded on its first request. POST /v2/models/<name>/predict accepts images,
      forms and JSON, and responds with the JSON of `tensorio run`; GET /v2/models lists the models;
      /v2/health/ready and /metrics are for monitoring.

      Each model runs in a worker process, so that a crash or timeout affects only its own requests.
      --isolation sandbox also denies access to files and the network; --isolation none runs models
      in the server.

      The server listens on the loopback interface. Any other --host requires a token, which clients
      send as `Authorization: Bearer <token>`. SIGINT, SIGTERM and SIGHUP stop the server once it has
      finished the requests in progress, or after --drain-time; a second SIGINT or SIGTERM stops it
      immediately.

      All requests together use at most a quarter of the memory of the machine or container, and at
      most 1 GiB, for decoding images.
      """,
    flags: ServerFlags.all + ModelOpener.serverRuntimeFlags,
    examples: [
      ("tensorio serve Examples/Bundles", "Serve all models of a folder on this machine"),
      (
        "curl --json @patient.json http://127.0.0.1:8000/v2/models/diabetes/predict",
        "Send a request"
      ),
      (
        "TENSORIO_TOKEN=… tensorio serve digits.tiobundle --host 0.0.0.0 --access-log json",
        "Serve other machines, with a token"
      ),
    ])

  /// The maximum time that a request waits for a session of its model.
  private static let sessionTimeout = Duration.seconds(30)

  private let modelArguments: [String]
  private let flags: ServerFlags
  private let opener: ModelOpener

  init(_ arguments: ParsedArguments) throws(OperationError) {
    guard !arguments.positionals.isEmpty else {
      throw Self.helpPage.usageError("missing <folder>, <bundle> or <chain>")
    }
    modelArguments = arguments.positionals
    flags = try ServerFlags(arguments)
    opener = try ModelOpener(arguments, isServer: true)
      .with(threads: flags.threads, sessions: flags.workers, sessionTimeout: Self.sessionTimeout)
  }

  func run(_ console: Console) throws(OperationError) -> ExitCode {
    let entries = try ServedModels(modelArguments, console).entries
    try opener.checkWorkerAvailability()
    let metrics = ServerMetrics(workerProcesses: { .current })
    let status = ServerStatus()
    let catalog = ModelCatalog(
      entries, opener: opener.catalogOpener(try console.trustPolicy, console))
    let routes = PredictionRoutes(
      catalog, metrics, version: Version.current, status: status,
      isolation: opener.isolation?.level, limits: flags.limits)
    let server = try ServerRunner(
      flags.configuration(console), routes.routes, metrics, flags.accessLog(console), status)
    printStartupMessage(entries, server, console)
    return server.run()
  }

  private func printStartupMessage(
    _ entries: [ModelCatalog.Entry], _ server: ServerRunner, _ console: Console
  ) {
    for entry in entries {
      guard let error = entry.error else { continue }
      console.info("tensorio: model '\(entry.name)' is invalid: \(error)")
    }
    let count = entries.count { $0.error == nil }
    console.print("serving \(count) \(count == 1 ? "model" : "models") at \(server.address)")
    if let example = ExampleRequest(entries) {
      let command = example.curlCommand(
        server.clientAddress, requiresToken: server.requiresToken)
      console.print("try: \(command)")
    }
  }
}

extension ModelOpener {
  /// Returns a closure that opens the entries of a catalog.
  func catalogOpener(_ policy: TrustPolicy, _ console: Console) -> ModelCatalog.Opener {
    { (entry) throws(ModelError) in
      guard let bundle = entry.bundle else {
        return try openChainAsModel(at: entry.path, trust: policy, console)
      }
      return try open(bundle.get(), console)
    }
  }
}

/// A sample request for a served model.
struct ExampleRequest {
  private let modelName: String
  /// A sample file of the bundle.
  private let samplePath: String

  /// Creates a request for the first model with a sample; `nil` if there is none.
  init?(_ entries: [ModelCatalog.Entry]) {
    for entry in entries {
      guard let bundle = try? entry.bundle?.get(), let sample = BundleSamples(bundle).firstItems
      else {
        continue
      }
      self.samplePath =
        sample.hasPrefix(InputValueParser.filePrefix) ? String(sample.dropFirst()) : sample
      modelName = entry.name
      return
    }
    return nil
  }

  /// Returns the curl command that sends the request.
  ///
  /// The token is taken from the environment: output and logs do not contain it.
  func curlCommand(_ address: String, requiresToken: Bool) -> String {
    let url = "\(address)/v2/models/\(modelName)/predict"
    let isJSON = samplePath.hasSuffix(InputValueParser.jsonSuffix)
    let type = samplePath.hasSuffix(BundleSamples.soundSuffix) ? "audio/wav" : "image/*"
    let arguments =
      isJSON
      ? ["curl", "--json", "@\(samplePath)", url]
      : ["curl", "--header", "Content-Type: \(type)", "--data-binary", "@\(samplePath)", url]
    let token =
      requiresToken
      ? [#"--header "Authorization: Bearer $\#(ServerFlags.tokenVariable)""#] : []
    return (arguments.map(\.shellEscaped) + token).joined(separator: " ")
  }
}
