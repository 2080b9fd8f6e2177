internal import TensorIO
internal import TensorIOCore
internal import TensorIOImage
internal import TensorIOIsolation
internal import TensorIOTasks

/// How verbs find and open the bundle that their command line names.
struct BundleOpening {
  static let threads = Flag("threads", "N", "how many threads one run may use")
  static let threadCounts = 1...1024
  static let library = Flag("litert-library", "PATH", "the LiteRT library to use")
  static let tensorflowLibrary = Flag(
    "tensorflow-library", "PATH", "the TensorFlow library to use")
  static let trust = Flag(
    "trust", "runs TensorFlow graphs with operators that may do more than compute")
  static let isolated = Flag(
    "isolated", "runs models in processes of their own, which may crash and be ended")
  static let sandbox = Flag(
    "require-sandbox", "runs models in processes that can do nothing else, or not at all")
  static let timeLimit = Flag(
    "time-limit", "SECONDS", "how long an isolated model may take to answer; 60 if not given")
  static let inProcess = Flag(
    "in-process", "runs models in the server's own process, which a damaged one can end")
  /// What says which runtimes are opened.
  static let libraries = [library, tensorflowLibrary, trust]
  /// The same, where they run, and whose bundles.
  static let runtimes = libraries + [isolated, sandbox, timeLimit] + TrustFlags.all
  /// The same for a server, which isolates models unless it is told not to.
  static let servedRuntimes = runtimes + [inProcess]
  static let fit = Flag(
    "fit", "FIT", "crop, stretch or letterbox, in place of the bundle's",
    choices: ImageFit.allCases.map(\.rawValue))
  static let filter = Flag(
    "filter", "FILTER",
    "lanczos, bicubic, bilinear, area, linear or nearest, not the bundle's",
    choices: ImageFilter.allCases.map(\.rawValue))
  static let detail = Flag(
    "detail", "DETAIL",
    "how much of a large JPEG is decoded: full, ample or enough",
    choices: ImageDetail.allCases.map(\.rawValue))
  static let orientation = Flag(
    "orientation", "O", "1 to 8, or up, down, left, right and their -mirrored forms")

  private(set) var options: Model.Options
  /// The runtimes, as the flags want them.
  let backends: Backends
  /// How models are kept from this process; `nil` where they run in it.
  let isolation: Isolation?
  private let library: String?
  private let isServer: Bool

  init(_ arguments: ParsedArguments, isServer: Bool = false) throws(CommandFailure) {
    try self.init(
      arguments, threads: arguments.integer(Self.threads, in: Self.threadCounts),
      isServer: isServer)
  }

  /// The same for a verb whose `--threads` is more than a number.
  init(
    _ arguments: ParsedArguments, threads: Int?, isServer: Bool = false
  ) throws(CommandFailure) {
    var options = Model.Options()
    if let threads { options.threads = threads }
    options.fit = arguments.choice(Self.fit)
    options.filter = arguments.choice(Self.filter)
    options.detail = arguments.choice(Self.detail) ?? options.detail
    if let name = arguments.value(Self.orientation) {
      guard let orientation = ImageOrientation(name: name) else {
        throw .usage("--orientation takes 1 to 8 or a name such as right-mirrored, got '\(name)'")
      }
      options.orientation = orientation
    }
    self.options = options
    isolation = try Self.isolation(arguments, isServer: isServer)
    library = arguments.value(Self.library)
    self.isServer = isServer
    backends = Backends(
      litertLibrary: library,
      tensorflowLibrary: arguments.value(Self.tensorflowLibrary),
      trustingGraphs: arguments.has(Self.trust), weightCache: WeightCache(),
      isolation: isolation)
  }

  /// How models are isolated, where a flag asks for it or a server runs them.
  private static func isolation(
    _ arguments: ParsedArguments, isServer: Bool
  ) throws(CommandFailure) -> Isolation? {
    let seconds = try arguments.integer(timeLimit, in: 1...86_400)
    let isSandboxed = arguments.has(sandbox)
    let isWanted = arguments.has(isolated) || isSandboxed || seconds != nil
    guard !arguments.has(inProcess) else {
      guard !isWanted else {
        throw .usage("--in-process isolates nothing: leave it out, or the flags that isolate")
      }
      return nil
    }
    guard isWanted || isServer else { return nil }
    return Isolation(
      level: isSandboxed ? .sandbox : .process, timeLimit: .seconds(seconds ?? 60))
  }

  /// The same for items that are run as a split says.
  func split(_ parallelism: Parallelism) -> BundleOpening {
    var opening = self
    opening.options = options.split(parallelism)
    return opening
  }

  /// The same for so many runs at the same time, with so many threads each.
  func with(threads: Int, sessions: Int = 1, waitLimit: Duration? = nil) -> BundleOpening {
    var opening = self
    opening.options.waitLimit = waitLimit
    (opening.options.threads, opening.options.sessions) = (threads, sessions)
    return opening
  }

  /// The bundle at a path, or of a name in a library.
  static func bundle(_ word: String, _ console: Console) throws(CommandFailure) -> ModelBundle {
    try bundle(word, trust: console.policy, console)
  }

  /// The same, held to a policy.
  static func bundle(
    _ word: String, trust: TrustPolicy, _ console: Console
  ) throws(CommandFailure) -> ModelBundle {
    try refuseChain(word)
    do {
      return try ModelBundle(at: BundleLocation.path(for: word, console), trust: trust)
    } catch {
      throw CommandFailure(BundleLocation.error(error, of: word, console))
    }
  }

  /// Refuses a chain where only a bundle will do.
  static func refuseChain(_ word: String) throws(CommandFailure) {
    guard Chain.isNamed(word) else { return }
    throw .usage(
      "\(word) is a chain, which runs, streams, is inspected, validated, signed, verified and asked by "
        + "a gallery; for all else, name one of its bundles")
  }

  /// Opens the bundle or the chain at a path, or the bundle of a name in a library.
  func model(at word: String, _ console: Console) throws(CommandFailure) -> Model {
    guard Chain.isNamed(word) else { return try model(Self.bundle(word, console), console) }
    let policy = try console.policy
    return try CommandFailure.wrapping { () throws(ModelError) in
      try openedChain(at: word, trust: policy, console)
    }
  }

  /// Opens the chain at a path, with what runtimes print kept off the terminal.
  func chain(at path: String, _ console: Console) throws(CommandFailure) -> Chain {
    let policy = try console.policy
    return try CommandFailure.wrapping { () throws(ModelError) in
      try opened(chainAt: path, trust: policy, console)
    }
  }

  private func opened(
    chainAt path: String, trust: TrustPolicy, _ console: Console
  ) throws(ModelError) -> Chain {
    try console.quietingRuntimes { () throws(ModelError) in
      try Chain(at: path, backends: backends, options: options, trust: trust)
    }
  }

  /// A chain as a model, for a library that asks for models, and knows no commands.
  func openedChain(
    at path: String, trust: TrustPolicy, _ console: Console
  ) throws(ModelError) -> Model {
    try opened(chainAt: path, trust: trust, console).model(at: path)
  }

  /// Finds what is wrong with bundles, and holds them to the policy of the command line.
  func checker(_ console: Console) throws(CommandFailure) -> BundleChecker {
    var checker = BundleChecker(backends: backends)
    checker.trust = try console.policy
    return checker
  }

  /// Opens a bundle, with what its runtime prints kept off the terminal.
  func model(
    _ bundle: ModelBundle, mode: ModelMode? = nil, _ console: Console
  ) throws(CommandFailure) -> Model {
    try CommandFailure.wrapping { () throws(ModelError) in
      try opened(bundle, mode: mode, console)
    }
  }

  /// The same for a library that asks for models, and knows no commands.
  func opened(
    _ bundle: ModelBundle, mode: ModelMode? = nil, _ console: Console
  ) throws(ModelError) -> Model {
    var options = options
    options.mode = mode
    if !bundle.description.state.isEmpty { options = options.oneByOne }
    return try console.quietingRuntimes { () throws(ModelError) in
      let model = try Model(bundle, backends: backends, options: options)
      // No request is to wait for a session; of items, each thread makes the one that it needs.
      if isServer { try model.makeSessions() }
      return model
    }
  }
}

extension BundleOpening {
  /// Refuses to go on where models are to be isolated and no worker can be had.
  ///
  /// A runtime that is missing is told of each model that asks for it.
  func requireWorkers() throws(CommandFailure) {
    guard let isolation else { return }
    do throws(ModelError) {
      try IsolatedBackend(.tflite, library: library, isolation: isolation).check()
    } catch {
      switch error.reason {
      case .workerMissing, .workerLost, .notSandboxed: throw CommandFailure(error)
      default: return
      }
    }
  }
}

extension BundleOpening {
  /// Opens a bundle to be trained.
  func trainable(
    _ bundle: ModelBundle, _ console: Console
  ) throws(CommandFailure) -> TrainableModel {
    do {
      return try console.quietingRuntimes { () throws(ModelError) in
        try TrainableModel(bundle, on: backends.backend(for: bundle), options: options)
      }
    } catch {
      throw CommandFailure(error)
    }
  }
}

extension BundleOpening {
  /// The model of a bundle as its runtime sees it, and all in which it and the description differ.
  ///
  /// There is no model where only the application that has the bundle's `class` can run it.
  func unchecked(
    _ bundle: ModelBundle, _ console: Console
  ) throws(CommandFailure) -> (model: (any RuntimeModel)?, problems: [Problem]) {
    if let problem = Self.foreignClass(of: bundle) { return (nil, bundle.placed([problem])) }
    do {
      return try console.quietingRuntimes { () throws(ModelError) in
        let backend = try backends.backend(for: bundle)
        let model = try bundle.load(for: bundle.description.firstMode, on: backend)
        let problems = bundle.description.problems(against: model.signature)
        return (model, bundle.placed(model.warnings + problems))
      }
    } catch {
      throw CommandFailure(error)
    }
  }

  /// The class of a bundle that is not known here.
  private static func foreignClass(of bundle: ModelBundle) -> Problem? {
    do throws(ModelError) {
      _ = try ModelRegistry.standard.runner(for: bundle)
      return nil
    } catch {
      return Problem(
        .warning, code: error.code, path: "/model/class", message: error.message,
        suggestion: "the application that has it can run the bundle")
    }
  }
}

extension ParsedArguments {
  /// The one word that a verb takes.
  func onlyWord(_ what: String, _ page: HelpPage) throws(CommandFailure) -> String {
    guard words.count == 1 else {
      throw .usage("name \(what): tensorio \(page.name) \(page.usage)")
    }
    return words[0]
  }
}

extension Flag {
  /// For verbs that print one report.
  static let textOrJSON = Flag("format", "FORMAT", "text or json", choices: ["text", "json"])
}
