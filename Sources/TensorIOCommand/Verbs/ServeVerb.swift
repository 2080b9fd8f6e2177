internal import TensorIO
internal import TensorIOCore
internal import TensorIOServer

/// `tensorio serve`: answers for models over HTTP.
struct ServeVerb: Verb {
  static let page = HelpPage(
    name: "serve", summary: "answers for models over HTTP",
    usage: "FOLDER|BUNDLE|CHAIN… [flags]",
    details: """
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
    flags: ServerFlags.all + BundleOpening.servedRuntimes,
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
  private static let patience = Duration.seconds(30)

  private let words: [String]
  private let flags: ServerFlags
  private let opening: BundleOpening

  init(_ arguments: ParsedArguments) throws(CommandFailure) {
    guard !arguments.words.isEmpty else {
      throw .usage("name a folder or a bundle: tensorio serve \(Self.page.usage)")
    }
    words = arguments.words
    flags = try ServerFlags(arguments)
    opening = try BundleOpening(arguments, isServer: true)
      .with(threads: flags.threads, sessions: flags.workers, waitLimit: Self.patience)
  }

  func run(_ console: Console) throws(CommandFailure) -> ExitCode {
    let entries = try ServedFolders(words, console).entries
    try opening.requireWorkers()
    let (figures, status) = (ServerFigures(), ServerStatus())
    let catalogue = ModelCatalogue(entries, opening: opening.serving(try console.policy, console))
    let routes = ServingRoutes(
      catalogue, figures, version: Version.current, status: status,
      isolation: opening.isolation?.level)
    let server = try RunningServer(
      flags.configuration(console), routes.routes, [figures, flags.log(console)], status)
    greet(entries, at: server.address, console)
    return server.run()
  }

  private func greet(_ entries: [ModelCatalogue.Entry], at address: String, _ console: Console) {
    for entry in entries {
      guard let fault = entry.fault else { continue }
      console.note("tensorio: '\(entry.name)' is broken: \(fault)")
    }
    let count = entries.count { $0.fault == nil }
    console.print("serving \(count) \(count == 1 ? "model" : "models") at \(address)")
    if let example = ServedExample(entries) { console.print("try: \(example.command(address))") }
  }
}

extension BundleOpening {
  /// Opens what a server answers for.
  func serving(_ policy: TrustPolicy, _ console: Console) -> ModelCatalogue.Opening {
    { (entry) throws(ModelError) in
      guard let bundle = entry.bundle else {
        return try openedChain(at: entry.path, trust: policy, console)
      }
      return try opened(bundle.get(), console)
    }
  }
}
