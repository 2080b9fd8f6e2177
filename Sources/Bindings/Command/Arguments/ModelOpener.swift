import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOImage
import TensorIOIsolation
import TensorIOLibrary
import TensorIORuntimes
import TensorIOSystem
import TensorIOTasks
import TensorIOTraining

/// Resolves and opens the models that a command line names, with its options.
struct ModelOpener {
  static let threads = Flag("threads", "N", "Number of threads per run (default: automatic)")
  static let threadRange = 1...1024
  static let trustGraphs = Flag(
    "trust-graphs", "Allow TensorFlow operators outside the allow-list")
  static let isolation = isolationFlag(defaultMode: .inProcess)
  static let inferenceTimeout = Flag(
    "inference-timeout", "SECONDS", "Maximum time per run (default: 60 in a worker process)")
  /// The options that select runtime libraries.
  static let libraryFlags = BuiltInRuntimes.libraries.map(\.pathFlag) + [trustGraphs]
  static let accelerator = Flag(
    "accelerator", "HARDWARE", "Hardware for .tflite models: cpu or gpu (default: cpu)",
    choices: Accelerator.allCases.map(\.rawValue))
  /// The options of commands that run models.
  static let runtimeFlags = [accelerator] + checkingFlags
  /// The options of commands that open models but do not run them.
  static let checkingFlags = loadingFlags + TrustFlags.all
  /// The options of loading models, without those of signatures.
  static let loadingFlags = libraryFlags + [isolation, inferenceTimeout]
  /// The options of servers, which run models in worker processes by default.
  static let serverRuntimeFlags =
    [accelerator] + libraryFlags + [isolationFlag(defaultMode: .process), inferenceTimeout]
    + TrustFlags.all
  static let fit = Flag(
    "fit", "FIT", "Image fit: crop, stretch or letterbox (default: the bundle's)",
    choices: ImageFit.allCases.map(\.rawValue))
  static let resample = Flag(
    "resample", "FILTER",
    "Resampling filter: lanczos, bicubic, bilinear, area, linear, nearest",
    choices: ImageFilter.allCases.map(\.rawValue))
  static let decodeScale = Flag(
    "decode-scale", "SCALE",
    "Decoded size of large JPEGs: full, 2x or 1x the input (default: 2x)",
    choices: DecodeScale.allCases.map(\.rawValue))
  static let function = Flag(
    "function", "NAME", "Function of the bundle to run instead of its model")
  static let orientation = Flag(
    "orientation", "O", "EXIF orientation of images: 1 to 8, or a name like right-mirrored")

  /// The values of the isolation option.
  enum IsolationMode: String, CaseIterable {
    /// In this process.
    case inProcess = "none"
    /// In a worker process.
    case process
    /// In a sandboxed worker process.
    case sandbox
  }

  private static func isolationFlag(defaultMode: IsolationMode) -> Flag {
    Flag(
      "isolation", "MODE",
      "Isolation of models: none, process or sandbox (default: \(defaultMode.rawValue))",
      choices: IsolationMode.allCases.map(\.rawValue))
  }

  private(set) var options: OpeningOptions
  /// The isolation of models; `nil` if they run in this process.
  var isolation: Isolation? { options.isolation }
  /// The hardware that runs models.
  var accelerator: Accelerator { options.accelerator }
  private let isServer: Bool

  init(_ arguments: ParsedArguments, isServer: Bool = false) throws(OperationError) {
    try self.init(
      arguments, threads: arguments.integer(Self.threads, in: Self.threadRange),
      isServer: isServer)
  }

  /// Creates an opener for a command whose `--threads` option is not a single number.
  init(
    _ arguments: ParsedArguments, threads: Int?, isServer: Bool = false
  ) throws(OperationError) {
    var options = OpeningOptions()
    if let threads { options.threads = threads }
    options.fit = arguments.choice(Self.fit)
    options.filter = arguments.choice(Self.resample)
    options.decodeScale = arguments.choice(Self.decodeScale) ?? options.decodeScale
    options.function = arguments.value(Self.function)
    if let name = arguments.value(Self.orientation) {
      guard let orientation = ImageOrientation(name: name) else {
        throw .usage("--orientation takes 1 to 8, or a name such as right-mirrored, got '\(name)'")
      }
      options.orientation = orientation
    }
    let inferenceTimeout = try arguments.integer(Self.inferenceTimeout, in: 1...86_400)
    options.isolation = Self.isolation(arguments, inferenceTimeout, isServer: isServer)
    if options.isolation == nil { options.runTimeout = inferenceTimeout.map { .seconds($0) } }
    options.accelerator = arguments.choice(Self.accelerator) ?? .cpu
    guard options.accelerator == .cpu || options.isolation == nil else {
      throw .usage(
        "--accelerator gpu requires --isolation none: worker processes have no access to a GPU")
    }
    self.isServer = isServer
    options.libraries = arguments.runtimeSettings().compactMapValues(\.library)
    options.trustsGraphs = arguments.has(Self.trustGraphs)
    options.weightCache = WeightCache()
    self.options = options
  }

  /// Returns the isolation that the options select, or the default of a command or a server.
  ///
  /// A time limit without a mode selects worker processes, because only they can be stopped at any time.
  private static func isolation(
    _ arguments: ParsedArguments, _ seconds: Int?, isServer: Bool
  ) -> Isolation? {
    let mode: IsolationMode? = arguments.choice(isolation)
    let defaultMode: IsolationMode = isServer || seconds != nil ? .process : .inProcess
    switch mode ?? defaultMode {
    case .inProcess: return nil
    case .process: return Isolation(level: .process, timeout: .seconds(seconds ?? 60))
    case .sandbox: return Isolation(level: .sandbox, timeout: .seconds(seconds ?? 60))
    }
  }

  /// Returns an opener with the sessions and threads of a parallelism.
  func with(parallelism: Parallelism) -> ModelOpener {
    var opener = self
    opener.options = options.applying(parallelism)
    return opener
  }

  /// Returns an opener with a number of threads per run and of concurrent sessions.
  func with(threads: Int, sessions: Int = 1, sessionTimeout: Duration? = nil) -> ModelOpener {
    var opener = self
    opener.options.sessionTimeout = sessionTimeout
    (opener.options.threads, opener.options.sessions) = (threads, sessions)
    return opener
  }

  /// Reads the bundle at a path, or the library's bundle of that name or id.
  static func bundle(_ argument: String, _ console: Console) throws(OperationError) -> ModelBundle {
    try bundle(argument, trust: console.trustPolicy, console)
  }

  /// Reads the bundle at a path, or the library's bundle of that name or id; a model without a description is described as
  /// `tensorio init` does.
  func bundle(_ argument: String, _ console: Console) throws(OperationError) -> ModelBundle {
    var options = options
    options.trust = try console.trustPolicy
    let bundle = try console.suppressingRuntimeMessages { [options] () throws(OperationError) in
      try Self.bundle(argument, options.draftingBundles, console)
    }
    Self.reportGuesses(in: bundle, of: argument, console)
    return bundle
  }

  /// Says that values of a bundle were guessed, if there are some.
  static func reportGuesses(in bundle: ModelBundle, of argument: String, _ console: Console) {
    guard !bundle.guesses.isEmpty else { return }
    console.info(
      "\(argument) has no description; values that were guessed may be wrong; `tensorio init \(argument.shellEscaped)` lists them"
    )
  }

  /// Reads a bundle under a trust policy.
  static func bundle(
    _ argument: String, trust: TrustPolicy, _ console: Console
  ) throws(OperationError) -> ModelBundle {
    try bundle(argument, OpeningOptions(trust: trust), console)
  }

  private static func bundle(
    _ argument: String, _ options: OpeningOptions, _ console: Console
  ) throws(OperationError) -> ModelBundle {
    do {
      return try ModelBundle(at: BundleResolver.path(for: argument, console), options: options)
    } catch {
      throw BundleResolver.explaining(error, for: argument, console)
    }
  }

  /// Throws a usage error if a command that requires a bundle is given a chain.
  static func rejectChain(_ argument: String) throws(OperationError) {
    guard ModelBundle.isChain(argument) else { return }
    throw .usage(
      "\(argument) is a chain, which this command does not accept; name one of its bundles")
  }

  /// Opens the bundle or chain at a path, or the library's bundle of that name or id.
  func model(at argument: String, _ console: Console) throws(OperationError) -> Model {
    try model(bundle(argument, console), console)
  }

  /// Returns a validator that applies the trust policy of the command line.
  func makeChecker(_ console: Console) throws(OperationError) -> BundleValidator {
    var options = options
    options.trust = try console.trustPolicy
    return BundleValidator(options: options)
  }

  /// Opens a bundle, and suppresses messages of its runtime.
  func model(
    _ bundle: ModelBundle, mode: ModelMode? = nil, _ console: Console
  ) throws(OperationError) -> Model {
    try OperationError.rethrowing { () throws(ModelError) in
      try open(bundle, mode: mode, console)
    }
  }

  /// Opens a bundle with the error type of the library.
  func open(
    _ bundle: ModelBundle, mode: ModelMode? = nil, _ console: Console
  ) throws(ModelError) -> Model {
    var options = options
    options.mode = mode
    if !bundle.description.state.isEmpty { options = options.singleSession }
    return try console.suppressingRuntimeMessages(on: accelerator) { () throws(ModelError) in
      // Sessions are created when a thread first needs them.
      try Model(bundle, options: options)
    }
  }
}

extension ModelOpener {
  /// Throws an error if models are isolated and worker processes cannot be launched.
  ///
  /// A missing runtime is not an error here: it is reported for each model that requires it.
  func checkWorkerAvailability() throws(OperationError) {
    guard let isolation else { return }
    do throws(ModelError) {
      let runtime = BuiltInRuntimes.required
      let settings = RuntimeSettings(library: options.libraries[runtime.identifier])
      try IsolatedBackend(runtime, settings: settings, isolation: isolation).checkAvailability()
    } catch {
      switch error {
      case ModelError.workerMissing, ModelError.workerNotLaunched, ModelError.workerCrashed,
        ModelError.sandboxUnavailable:
        throw OperationError(error)
      default: return
      }
    }
  }
}

extension ModelOpener {
  /// Returns the library of a runtime if it is not installed; `nil` if it is, or if the runtime has
  /// none.
  func missingLibrary(of backend: BackendIdentifier) -> RuntimeLibrarySpecification? {
    guard let runtime = try? BuiltInRuntimes.all.runtime(backend), let library = runtime.library
    else { return nil }
    let path = options.libraries[backend]
    // A library with a path is not opened, because that can take seconds.
    let isInstalled = RuntimeLibrarySearch(for: library, explicitPath: path).candidates()
      .contains { $0.path.contains("/") && !$0.isMissing }
    if isInstalled { return nil }
    return (try? runtime.locateLibrary(path)) == nil ? library : nil
  }
}

extension ModelOpener {
  /// Opens a bundle for training.
  func trainableModel(
    _ bundle: ModelBundle, _ console: Console
  ) throws(OperationError) -> TrainableModel {
    do {
      return try console.suppressingRuntimeMessages(on: accelerator) { () throws(ModelError) in
        try TrainableModel(bundle, options: options)
      }
    } catch {
      throw OperationError(error)
    }
  }
}

extension ModelOpener {
  /// Loads the model of a bundle, and returns it with the diagnostics of its comparison with the
  /// description.
  ///
  /// The model is `nil` if the bundle's `class` is not registered in this program.
  func loadForInspection(
    _ bundle: ModelBundle, _ console: Console
  ) throws(OperationError) -> (model: (any RuntimeModel)?, diagnostics: [Diagnostic]) {
    if let diagnostic = Self.unregisteredClassDiagnostic(of: bundle) {
      return (nil, bundle.withPositions([diagnostic]))
    }
    do {
      return try console.suppressingRuntimeMessages(on: accelerator) { () throws(ModelError) in
        let backend = try options.resolvedBackends.backend(for: bundle)
        let model = try bundle.load(for: bundle.description.defaultMode, on: backend)
        let diagnostics = bundle.description.diagnostics(against: model.signature)
        return (model, bundle.withPositions(model.warnings + diagnostics))
      }
    } catch {
      throw OperationError(error)
    }
  }

  /// Returns the custom operators of a bundle's model file, which is read but not loaded; `nil` if it
  /// cannot be read or its runtime has no custom operators.
  func customOperators(of bundle: ModelBundle) -> [CustomOperatorUse]? {
    guard let runtime = try? BuiltInRuntimes.all.runtime(bundle.backend),
      let backend = runtime.makeBackend() as? any OperatorListingBackend,
      let file = try? bundle.modelFile
    else { return nil }
    return try? backend.customOperators(of: file)
  }

  /// Returns a warning if the class of a bundle is not registered in this program.
  private static func unregisteredClassDiagnostic(of bundle: ModelBundle) -> Diagnostic? {
    do throws(ModelError) {
      _ = try ModelRegistry.shared.runner(for: bundle)
      return nil
    } catch {
      return Diagnostic(
        .warning, code: error.code, path: "/model/class", message: error.message,
        suggestion: "run the bundle in the application that registers the class")
    }
  }
}

extension ParsedArguments {
  /// Returns the only positional argument of a command.
  ///
  /// - Throws: A usage error if there is not exactly one.
  func singlePositional(_ name: String, _ page: HelpPage) throws(OperationError) -> String {
    guard positionals.count == 1 else {
      throw page.usageError(positionals.isEmpty ? "missing \(name)" : "too many arguments")
    }
    return positionals[0]
  }
}

extension RuntimeLibrarySpecification {
  /// The option that gives the path of the library.
  var pathFlag: Flag {
    Flag(
      "\(name)-library", "PATH",
      "\(displayName) library to load (default: search standard locations)")
  }
}

extension ParsedArguments {
  /// Returns the settings that the options select, by runtime.
  func runtimeSettings(
    of runtimes: [RuntimeDescriptor] = BuiltInRuntimes.all
  ) -> [BackendIdentifier: RuntimeSettings] {
    let pairs = runtimes.map { runtime in
      (
        runtime.identifier,
        RuntimeSettings(
          library: runtime.library.flatMap { value($0.pathFlag) },
          trustsGraphs: has(ModelOpener.trustGraphs))
      )
    }
    return Dictionary(pairs) { first, _ in first }
  }
}

extension Flag {
  /// The output format of commands that print one report.
  static let textOrJSON = Flag(
    "format", "FORMAT", "Output format: text or json (default: text)", choices: ["text", "json"])
}
