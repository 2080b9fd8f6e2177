import Synchronization
import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOImage
import TensorIOIsolation
import TensorIOSystem
import TensorIOTasks
import TensorIOTraining

/// How verbs find and open the bundle that their command line names.
struct ModelOpener {
  static let threads = Flag("threads", "N", "how many threads one run may use")
  static let threadRange = 1...1024
  static let litertLibrary = Flag("litert-library", "PATH", "the LiteRT library to use")
  static let tensorflowLibrary = Flag(
    "tensorflow-library", "PATH", "the TensorFlow library to use")
  static let trustGraphs = Flag(
    "trust", "runs TensorFlow graphs with operators that may do more than compute")
  static let isolated = Flag(
    "isolated", "runs models in processes of their own, which may crash and be ended")
  static let requireSandbox = Flag(
    "require-sandbox", "runs models in processes that can do nothing else, or not at all")
  static let inferenceTimeout = Flag(
    "time-limit", "SECONDS", "how long an isolated model may take to answer; 60 if not given")
  static let inProcess = Flag(
    "in-process", "runs models in the server's own process, which a damaged one can end")
  /// What says which runtimes are opened.
  static let libraryFlags = [litertLibrary, tensorflowLibrary, trustGraphs]
  /// The same, where they run, and whose bundles.
  static let runtimeFlags = libraryFlags + [isolated, requireSandbox, inferenceTimeout] + TrustFlags.all
  /// The same for a server, which isolates models unless it is told not to.
  static let serverRuntimeFlags = runtimeFlags + [inProcess]
  static let fit = Flag(
    "fit", "FIT", "crop, stretch or letterbox, in place of the bundle's",
    choices: ImageFit.allCases.map(\.rawValue))
  static let resample = Flag(
    "filter", "FILTER",
    "lanczos, bicubic, bilinear, area, linear or nearest, not the bundle's",
    choices: ImageFilter.allCases.map(\.rawValue))
  static let decodeScale = Flag(
    "detail", "DETAIL",
    "how much of a large JPEG is decoded: full, ample or enough",
    choices: DecodeScale.allCases.map(\.rawValue))
  static let orientation = Flag(
    "orientation", "O", "1 to 8, or up, down, left, right and their -mirrored forms")

  private(set) var options: Model.Options
  /// The runtimes, as the flags want them.
  let backends: Backends
  /// How models are kept from this process; `nil` where they run in it.
  let isolation: Isolation?
  private let litertLibrary: String?
  private let isServer: Bool

  init(_ arguments: ParsedArguments, isServer: Bool = false) throws(OperationError) {
    try self.init(
      arguments, threads: arguments.integer(Self.threads, in: Self.threadRange),
      isServer: isServer)
  }

  /// The same for a verb whose `--threads` is more than a number.
  init(
    _ arguments: ParsedArguments, threads: Int?, isServer: Bool = false
  ) throws(OperationError) {
    var options = Model.Options()
    if let threads { options.threads = threads }
    options.fit = arguments.choice(Self.fit)
    options.filter = arguments.choice(Self.resample)
    options.decodeScale = arguments.choice(Self.decodeScale) ?? options.decodeScale
    if let name = arguments.value(Self.orientation) {
      guard let orientation = ImageOrientation(name: name) else {
        throw .usage("--orientation takes 1 to 8 or a name such as right-mirrored, got '\(name)'")
      }
      options.orientation = orientation
    }
    self.options = options
    isolation = try Self.isolation(arguments, isServer: isServer)
    litertLibrary = arguments.value(Self.litertLibrary)
    self.isServer = isServer
    backends = Backends(
      litertLibrary: litertLibrary,
      tensorflowLibrary: arguments.value(Self.tensorflowLibrary),
      trustingGraphs: arguments.has(Self.trustGraphs), weightCache: WeightCache(),
      isolation: isolation)
  }

  /// How models are isolated, where a flag asks for it or a server runs them.
  private static func isolation(
    _ arguments: ParsedArguments, isServer: Bool
  ) throws(OperationError) -> Isolation? {
    let seconds = try arguments.integer(inferenceTimeout, in: 1...86_400)
    let isSandboxed = arguments.has(requireSandbox)
    let isWanted = arguments.has(isolated) || isSandboxed || seconds != nil
    guard !arguments.has(inProcess) else {
      guard !isWanted else {
        throw .usage("--in-process isolates nothing: leave it out, or the flags that isolate")
      }
      return nil
    }
    guard isWanted || isServer else { return nil }
    return Isolation(
      level: isSandboxed ? .sandbox : .process, timeout: .seconds(seconds ?? 60))
  }

  /// The same for items that are run as a split says.
  func with(parallelism: Parallelism) -> ModelOpener {
    var opening = self
    opening.options = options.applying(parallelism)
    return opening
  }

  /// The same for so many runs at the same time, with so many threads each.
  func with(threads: Int, sessions: Int = 1, sessionTimeout: Duration? = nil) -> ModelOpener {
    var opening = self
    opening.options.sessionTimeout = sessionTimeout
    (opening.options.threads, opening.options.sessions) = (threads, sessions)
    return opening
  }

  /// The bundle at a path, or of a name in a library.
  static func bundle(_ word: String, _ console: Console) throws(OperationError) -> ModelBundle {
    try bundle(word, trust: console.trustPolicy, console)
  }

  /// The same, held to a policy.
  static func bundle(
    _ word: String, trust: TrustPolicy, _ console: Console
  ) throws(OperationError) -> ModelBundle {
    try rejectChain(word)
    do {
      return try ModelBundle(at: BundleResolver.path(for: word, console), trust: trust)
    } catch {
      throw OperationError(BundleResolver.explaining(error, for: word, console))
    }
  }

  /// Refuses a chain where only a bundle will do.
  static func rejectChain(_ word: String) throws(OperationError) {
    guard Chain.hasChainExtension(word) else { return }
    throw .usage(
      "\(word) is a chain, which runs, streams, is inspected, validated, signed, verified and asked by "
        + "a gallery; for all else, name one of its bundles")
  }

  /// Opens the bundle or the chain at a path, or the bundle of a name in a library.
  func model(at word: String, _ console: Console) throws(OperationError) -> Model {
    guard Chain.hasChainExtension(word) else { return try model(Self.bundle(word, console), console) }
    let policy = try console.trustPolicy
    return try OperationError.rethrowing { () throws(ModelError) in
      try openChainAsModel(at: word, trust: policy, console)
    }
  }

  /// Opens the chain at a path, with what runtimes print kept off the terminal.
  func chain(at path: String, _ console: Console) throws(OperationError) -> Chain {
    let policy = try console.trustPolicy
    return try OperationError.rethrowing { () throws(ModelError) in
      try openChain(at: path, trust: policy, console)
    }
  }

  private func openChain(
    at path: String, trust: TrustPolicy, _ console: Console
  ) throws(ModelError) -> Chain {
    try console.suppressingRuntimeMessages { () throws(ModelError) in
      try Chain(at: path, backends: backends, options: options, trust: trust)
    }
  }

  /// A chain as a model, for a library that asks for models, and knows no commands.
  func openChainAsModel(
    at path: String, trust: TrustPolicy, _ console: Console
  ) throws(ModelError) -> Model {
    try openChain(at: path, trust: trust, console).model(at: path)
  }

  /// Finds what is wrong with bundles, and holds them to the policy of the command line.
  func makeChecker(_ console: Console) throws(OperationError) -> BundleValidator {
    var checker = BundleValidator(backends: backends)
    checker.trust = try console.trustPolicy
    return checker
  }

  /// Opens a bundle, with what its runtime prints kept off the terminal.
  func model(
    _ bundle: ModelBundle, mode: ModelMode? = nil, _ console: Console
  ) throws(OperationError) -> Model {
    try OperationError.rethrowing { () throws(ModelError) in
      try open(bundle, mode: mode, console)
    }
  }

  /// The same for a library that asks for models, and knows no commands.
  func open(
    _ bundle: ModelBundle, mode: ModelMode? = nil, _ console: Console
  ) throws(ModelError) -> Model {
    var options = options
    options.mode = mode
    if !bundle.description.state.isEmpty { options = options.singleSession }
    return try console.suppressingRuntimeMessages { () throws(ModelError) in
      let model = try Model(bundle, backends: backends, options: options)
      // No request is to wait for a session; of items, each thread makes the one that it needs.
      if isServer { try model.createAllSessions() }
      return model
    }
  }
}

extension ModelOpener {
  /// Refuses to go on where models are to be isolated and no worker can be had.
  ///
  /// A runtime that is missing is told of each model that asks for it.
  func checkWorkerAvailability() throws(OperationError) {
    guard let isolation else { return }
    do throws(ModelError) {
      try IsolatedBackend(.tflite, library: litertLibrary, isolation: isolation).checkAvailability()
    } catch {
      switch error.reason {
      case .workerMissing, .workerCrashed, .sandboxUnavailable: throw OperationError(error)
      default: return
      }
    }
  }
}

extension ModelOpener {
  /// Opens a bundle to be trained.
  func trainableModel(
    _ bundle: ModelBundle, _ console: Console
  ) throws(OperationError) -> TrainableModel {
    do {
      return try console.suppressingRuntimeMessages { () throws(ModelError) in
        try TrainableModel(bundle, on: backends.backend(for: bundle), options: options)
      }
    } catch {
      throw OperationError(error)
    }
  }
}

extension ModelOpener {
  /// The model of a bundle as its runtime sees it, and all in which it and the description differ.
  ///
  /// There is no model where only the application that has the bundle's `class` can run it.
  func loadForInspection(
    _ bundle: ModelBundle, _ console: Console
  ) throws(OperationError) -> (model: (any RuntimeModel)?, problems: [Diagnostic]) {
    if let problem = Self.unregisteredClassDiagnostic(of: bundle) { return (nil, bundle.withPositions([problem])) }
    do {
      return try console.suppressingRuntimeMessages { () throws(ModelError) in
        let backend = try backends.backend(for: bundle)
        let model = try bundle.load(for: bundle.description.defaultMode, on: backend)
        let problems = bundle.description.diagnostics(against: model.signature)
        return (model, bundle.withPositions(model.warnings + problems))
      }
    } catch {
      throw OperationError(error)
    }
  }

  /// The class of a bundle that is not known here.
  private static func unregisteredClassDiagnostic(of bundle: ModelBundle) -> Diagnostic? {
    do throws(ModelError) {
      _ = try ModelRegistry.shared.runner(for: bundle)
      return nil
    } catch {
      return Diagnostic(
        .warning, code: error.code, path: "/model/class", message: error.message,
        suggestion: "the application that has it can run the bundle")
    }
  }
}

extension ParsedArguments {
  /// The one word that a verb takes.
  func singlePositional(_ what: String, _ page: HelpPage) throws(OperationError) -> String {
    guard positionals.count == 1 else {
      throw .usage("name \(what): tensorio \(page.name) \(page.usage)")
    }
    return positionals[0]
  }
}

extension Flag {
  /// For verbs that print one report.
  static let textOrJSON = Flag("format", "FORMAT", "text or json", choices: ["text", "json"])
}

/// Where the bundle is that a word on the command line means.
enum BundleResolver {
  /// The word itself when it is a path; else the bundle of that name in the library; else the
  /// word, so that what is missing is reported by the name that the user knows.
  static func path(for word: String, _ console: Console) -> String {
    guard isLibraryName(word) else { return word }
    let folders = libraryFolders(console)
    return ModelLibrary.path(ofBundleNamed: word, in: folders)
      ?? (try? library(folders)?.bundle(named: word).path)
      ?? (try? library(folders)?.bundle(id: word).path) ?? word
  }

  /// The error of a word that means no bundle, with what the library has instead.
  static func explaining(
    _ error: ModelError, for word: String, _ console: Console
  ) -> ModelError {
    guard error.reason == .missingBundle, isLibraryName(word) else { return error }
    do throws(ModelError) {
      _ = try library(libraryFolders(console))?.bundle(named: word)
    } catch let unknown {
      if case .unknownBundle = unknown.reason { return unknown }
    }
    return error
  }

  private static func isLibraryName(_ word: String) -> Bool {
    !word.contains("/") && FileKind(at: word) == nil
  }

  private static func libraryFolders(_ console: Console) -> [String] {
    let own = UserDataFolder.path(of: UserLibrary.folderName, console)
    return UserLibrary.searchPaths(console).filter { $0 != own || FileKind(at: $0) == .directory }
  }

  private static func library(_ folders: [String]) throws(ModelError) -> ModelLibrary? {
    folders.isEmpty ? nil : try ModelLibrary(at: folders)
  }
}

/// A model, and what it remembers from one item to the next.
final class SharedModelStream: Sendable {
  let model: Model
  private let stream: Mutex<StatefulModel>

  init(_ model: Model) {
    self.model = model
    stream = Mutex(StatefulModel(model))
  }

  /// Whether it remembers nothing, so that the order of the items does not matter.
  var isStateless: Bool { model.state.isEmpty }

  /// Runs the model, and remembers what it says.
  func run(
    _ input: ModelInput, placeholders: Placeholders, timings: inout Timings
  ) throws(ModelError) -> ModelOutput {
    guard !isStateless else {
      return try model.run(input, placeholders: placeholders, timings: &timings)
    }
    return try stream.withLock { (stream) throws(ModelError) in
      try stream.run(input, placeholders: placeholders, timings: &timings)
    }
  }
}
