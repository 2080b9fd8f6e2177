import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOServer
import TensorIOSystem

/// `tensorio serve`: serves models over HTTP.
struct ServeCommand: Subcommand {
  static let helpPage = HelpPage(
    name: "serve", summary: "Serve models over HTTP",
    usage: "[options] <folder>|<bundle>|<chain> ...",
    discussion: """
      For a folder, all bundles and chains in it are served, and those that are added later. A model
      is named after its file without the extension; the bundles in <folder>/<name>/ are versions of
      one model. POST /v2/models/<name>/predict accepts images, forms and JSON, and responds with the
      JSON of `tensorio run`; GET /v2/models lists the models; /v2/health/ready and /metrics are for
      monitoring.

      The same port accepts gRPC, and so does --grpc-port: the Open Inference Protocol, TensorFlow
      Serving, health checks and reflection. It requires libnghttp2, which `tensorio doctor` checks.

      An argument can also be a folder as model hubs publish it; `tensorio init` shows what is taken
      from its files.

      Each model runs in a worker process, so that a crash or timeout affects only its own requests.
      A model that fails three times in a row is suspended and tried again later.
      --isolation sandbox also denies access to files and the network; --isolation none runs models
      in the server.

      The server listens on the loopback interface. Any other --host requires a token, which clients
      send as `Authorization: Bearer <token>`. SIGINT, SIGTERM and SIGHUP stop the server once it has
      finished the requests in progress, or after --drain-time; a second SIGINT or SIGTERM stops it
      immediately.

      All requests and responses together use at most half of the memory of the machine or container,
      and at most 2 GiB; a request that needs more is rejected.
      """,
    flags: ServerFlags.all + ServingFlags.all + ModelOpener.serverRuntimeFlags,
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
  private let serving: ServingFlags
  private let opener: ModelOpener

  init(_ arguments: ParsedArguments) throws(OperationError) {
    modelArguments = arguments.positionals
    flags = try ServerFlags(arguments)
    serving = try ServingFlags(arguments)
    opener = try ModelOpener(arguments, isServer: true)
      .with(threads: flags.threads, sessions: flags.workers, sessionTimeout: Self.sessionTimeout)
  }

  func run(_ console: Console) throws(OperationError) -> ExitCode {
    let streams = try flags.serverConsole(console)
    defer { streams.close() }
    return try run(streams)
  }

  private func run(_ streams: ServerConsole) throws(OperationError) -> ExitCode {
    let console = streams.console
    let container =
      modelArguments.isEmpty ? SageMakerContainer(environment: console.environment) : nil
    guard !modelArguments.isEmpty || container != nil else {
      throw Self.helpPage.usageError("missing <folder>, <bundle> or <chain>")
    }
    let loadsByRequest = SageMakerContainer.hasSeveralModels(console.environment)
    // Clients can load models that are added later.
    let mayBeEmpty = loadsByRequest || flags.allowsAdministration
    let models = try ServedModels(
      container?.modelFolders ?? modelArguments, defaults: serving.settings,
      modelName: serving.modelName, mayBeEmpty: mayBeEmpty, hubOptions: opener.options, console)
    let entries = models.entries.map(\.entry)
    try opener.checkWorkerAvailability()
    let metrics = ServerMetrics(
      workerProcesses: { .current }, droppedLogLines: { streams.droppedLines },
      memory: flags.limits.memory)
    let status = ServerStatus()
    let log = flags.accessLog(console)
    let galleries = try ServedGalleries(paths: serving.galleries)
    let open = opener.catalogOpener(try console.trustPolicy, console)
    let catalog = ModelCatalog(
      entries, settings: serving.settings, mayBeEmpty: mayBeEmpty,
      finder: { models.entries(named: $0) }, onChange: { log.record($0) },
      opener: { (entry) throws(ModelError) in
        let model = try open(entry)
        if try !galleries.attach(to: model) {
          console.info("tensorio: no gallery has embeddings of the model '\(entry.name)'")
        }
        return model
      })
    let routes = PredictionRoutes(
      catalog, metrics, version: Version.current, status: status,
      isolation: opener.isolation?.level, limits: flags.limits,
      administrationHint: ServerFlags.administrationHint,
      platform: platformOptions(console, serving.settings, try console.trustPolicy))
    let exporter = try flags.spanExporter(console)
    var configuration = try flags.configuration(
      console, isSageMakerContainer: container != nil)
    if exporter != nil { configuration.traceRatio = flags.telemetry(console).samplingRatio }
    configuration.allowsNoToken = serving.allowsNoToken || container != nil
    configuration.grpc = try grpcConfiguration(routes.grpcServices, console)
    let observers: [any RequestObserver] = [metrics, log] + [exporter].compactMap(\.self)
    let server = try ServerRunner(
      configuration, metricsPort: serving.metricsPort, routes.routes, observers,
      log, streams, status)
    if exporter?.start() == false {
      console.info("tensorio: traces are not exported: no thread is available")
    }
    printStartupMessage(entries, server, console)
    if !serving.isLazy { catalog.openAll() }
    let watcher = serving.watchInterval.map {
      ModelFolderWatcher(
        catalog, models.source, entries: models.entries, interval: $0,
        onUnavailable: { path in
          log.serverEvent(
            "folder-unavailable", "\(path) cannot be listed; its models are still served",
            isError: true)
        })
    }
    if watcher?.start() == false {
      console.info("tensorio: changes of bundles are not noticed: no thread is available")
    }
    defer {
      watcher?.stop()
      exporter?.stop()
    }
    return server.run()
  }

  /// Returns the configuration of gRPC; `nil` without the library for HTTP/2.
  private func grpcConfiguration(
    _ services: [GRPCService], _ console: Console
  ) throws(OperationError) -> HTTPServer.GRPCConfiguration? {
    do throws(DynamicLibraryError) {
      return HTTPServer.GRPCConfiguration(
        try HTTP2Library.standard, services, port: serving.grpcPort)
    } catch {
      let message =
        "gRPC is not available: \(error.path): \(error.message); "
        + "install it with \(HTTP2Library.installCommand)"
      guard serving.grpcPort == nil else {
        throw OperationError("http2-library-missing", message, exitCode: .runtimeUnavailable)
      }
      console.info("tensorio: \(message)")
      return nil
    }
  }

  /// Returns how a platform reaches the models, according to its environment variables.
  private func platformOptions(
    _ console: Console, _ settings: ServingSettings, _ policy: TrustPolicy
  ) -> PlatformOptions {
    var options = PlatformOptions(environment: console.environment)
    if SageMakerContainer.hasSeveralModels(console.environment) {
      let reader = ServedBundleReader(policy: policy, defaults: settings)
      options.readModel = { name, path in
        // The archive of a model may contain its bundle in a folder.
        let folders = ModelFolders(paths: [path], modelName: name, mayBeEmpty: false)
        let locations = try? folders.locations()
        let bundle = locations.flatMap { $0.count == 1 ? $0[0].path : nil } ?? path
        let entry = reader.entry(at: ModelLocation(name, path: bundle), isComplete: true)
        // The platform knows the model by the path of its archive.
        return ModelCatalog.Entry(
          name: name, version: entry.version, path: ModelBundle.isChain(bundle) ? bundle : path,
          bundle: entry.bundle, settings: entry.settings)
      }
    }
    return options
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
    if let address = server.grpcAddress { console.print("gRPC at \(address)") }
    if let address = server.metricsAddress { console.print("metrics at \(address)") }
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
      let bundle: ModelBundle
      if let read = try entry.bundle?.get(), !read.isChain {
        bundle = read
      } else {
        // The bundles of a chain may have been replaced since it was read, which does not change its folder.
        bundle = try ModelBundle(at: entry.path, options: OpeningOptions(trust: policy))
      }
      let model = try open(bundle, console)
      try model.warmUp()
      return model
    }
  }
}

extension Model {
  /// Runs the first example of the bundle, so that the first request is not slower than others.
  ///
  /// - Throws: The error of a model that fails. An example that does not fit the model is ignored:
  ///   that is an error of the bundle, which `tensorio validate` reports.
  fileprivate func warmUp() throws(ModelError) {
    guard let example = bundle.description.examples.first,
      let input = try? bundle.input(of: example)
    else { return }
    do throws(ModelError) {
      _ = try run(input)
    } catch {
      if error.stage != .input { throw error }
    }
  }
}

extension AccessLog {
  /// Logs a change of the served models.
  func record(_ change: ModelChange) {
    let model = "model '\(change.name)' version \(change.version)"
    switch change.event {
    case .opened: serverEvent("model-loaded", "\(model) is loaded")
    case .replaced: serverEvent("model-replaced", "\(model) is replaced")
    case .unloaded: serverEvent("model-unloaded", "\(model) is unloaded")
    case .removed: serverEvent("model-removed", "\(model) is removed")
    case .failed(let error):
      serverEvent("model-failed", "\(model) cannot be loaded: \(error)", isError: true)
    case .replacementFailed(let error):
      serverEvent(
        "replacement-failed", "\(model) cannot be loaded, the old one is still served: \(error)",
        isError: true)
    case .crashed(let error):
      serverEvent("model-crashed", "a run of \(model) failed: \(error)", isError: true)
    case .suspended(let seconds):
      serverEvent("model-suspended", "\(model) is suspended for \(seconds) s", isError: true)
    case .resumed: serverEvent("model-resumed", "\(model) is in service again")
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
