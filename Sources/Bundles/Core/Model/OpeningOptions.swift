public import TensorIOBundle
public import TensorIOImage
import TensorIOSystem

/// How to open a bundle: whom to trust, where to run the model, and with what resources.
///
/// Everything that opens a bundle takes these options, and each of them has a default:
///
/// ```swift
/// import TensorIO
///
/// let options = OpeningOptions(threads: 2, sessions: 4, fit: .letterbox)
/// let model = try Model(at: "detector.tiobundle", options: options)
/// ```
///
/// Options combine: ``isolation``, ``accelerator``, ``libraries`` and ``runtimes`` apply together, and a
/// combination that does not exist, such as a GPU in a worker process, is an error when a model opens.
///
/// ```swift
/// import TensorIO
///
/// var isolated = OpeningOptions(isolation: .sandbox)
/// isolated.libraries[.onnx] = "/opt/onnxruntime/lib/libonnxruntime.so"
/// ```
///
/// ``ModelBundle`` and ``ModelLibrary`` use only ``trust``, ``runtimes``, ``tasks`` and ``function``, because they open no model.
public struct OpeningOptions: Sendable {
  /// The mode to open the model for; `nil` selects `predict` if the bundle supports it.
  public var mode: ModelMode?
  /// The number of threads that one run may use.
  ///
  /// Defaults to ``defaultThreads``.
  public var threads: Int
  /// The default number of threads: `TENSORIO_THREADS`, otherwise `OMP_NUM_THREADS`, otherwise the
  /// number of processors available to the process.
  public static var defaultThreads: Int { ThreadCount.defaultCount }
  /// The number of runs that can proceed at the same time, each with its own tensor memory; 1 by
  /// default.
  public var sessions: Int
  /// How long a caller waits for a session before the run fails; `nil` waits without limit.
  public var sessionTimeout: Duration?
  /// How long one run may take before it ends with an error; `nil` for no limit.
  ///
  /// A runtime checks the limit between two operators. TensorFlow does not check it. A worker process
  /// that exceeds it by a second is killed; ``Isolation/timeout`` applies as well.
  public var runTimeout: Duration?
  /// How images are fitted to the input's size; `nil` uses the bundle's setting.
  public var fit: ImageFit?
  /// The filter for resampling images; `nil` uses the bundle's setting.
  public var filter: ImageFilter?
  /// The orientation of encoded images; `nil` uses the orientation in the image file.
  public var orientation: ImageOrientation?
  /// The resolution at which large encoded images are decoded.
  public var decodeScale: DecodeScale
  /// The signers whose bundles are accepted; by default, all bundles are.
  public var trust: TrustPolicy
  /// Settings for running models in worker processes; `nil`, the default, runs them in this process.
  public var isolation: Isolation?
  /// The hardware that runs models; the processor by default.
  public var accelerator: Accelerator
  /// The paths of runtimes' libraries; others are searched for.
  public var libraries: [BackendIdentifier: String]
  /// Whether to accept models with operators outside the allow-list, such as those that read files.
  public var trustsGraphs: Bool
  /// A cache that makes large LiteRT models load faster; `nil`, the default, for none.
  ///
  /// Isolated models do not use it.
  public var weightCache: WeightCache?
  /// The application's own runtimes, which bundles may name in addition to the built-in ones.
  public var runtimes: RuntimeRegistry
  /// The application's own models, for bundles with a `class`; `nil` opens every bundle in a
  /// runtime, whatever its `class`.
  public var models: ModelRegistry?
  /// The tasks that bundles may declare; `nil`, the default, for those of the library and those that the application has
  /// registered.
  public var tasks: TaskRegistry?
  /// The name of the function to open instead of the bundle's model; `nil`, the default, opens the model with all functions.
  ///
  /// A program that needs only one, such as the encoder of texts, does not load the others.
  public var function: String?
  /// Makes the folders of bundles in another form.
  package var unpacker: any BundleUnpacker = ZipBundleUnpacker()

  /// Creates options.
  ///
  /// - Parameters:
  ///   - mode: The mode to open the model for; `nil` selects `predict` if the bundle supports it.
  ///   - threads: The number of threads that one run may use.
  ///   - sessions: The number of runs that can proceed at the same time.
  ///   - sessionTimeout: How long a caller waits for a session; `nil` waits without limit.
  ///   - runTimeout: How long one run may take; `nil` for no limit.
  ///   - fit: How images are fitted to the input's size; `nil` uses the bundle's setting.
  ///   - filter: The filter for resampling images; `nil` uses the bundle's setting.
  ///   - orientation: The orientation of encoded images; `nil` uses that of the image file.
  ///   - decodeScale: The resolution at which large encoded images are decoded.
  ///   - trust: The signers whose bundles are accepted.
  ///   - isolation: Settings for running models in worker processes; `nil` runs them in this process.
  ///   - accelerator: The hardware that runs models.
  ///   - libraries: The paths of runtimes' libraries; others are searched for.
  ///   - trustsGraphs: Whether to accept models with operators outside the allow-list.
  ///   - weightCache: A cache that makes large LiteRT models load faster.
  ///   - runtimes: The application's own runtimes.
  ///   - models: The application's own models, for bundles with a `class`.
  ///   - tasks: The tasks that bundles may declare; `nil` for those of the library and those that are registered.
  ///   - function: The name of the function to open; `nil` opens the bundle's model.
  public init(
    mode: ModelMode? = nil, threads: Int = OpeningOptions.defaultThreads, sessions: Int = 1,
    sessionTimeout: Duration? = nil, runTimeout: Duration? = nil, fit: ImageFit? = nil,
    filter: ImageFilter? = nil,
    orientation: ImageOrientation? = nil, decodeScale: DecodeScale = .double,
    trust: TrustPolicy = .unrestricted, isolation: Isolation? = nil,
    accelerator: Accelerator = .cpu, libraries: [BackendIdentifier: String] = [:],
    trustsGraphs: Bool = false, weightCache: WeightCache? = nil,
    runtimes: RuntimeRegistry = .shared, models: ModelRegistry? = .shared,
    tasks: TaskRegistry? = nil, function: String? = nil
  ) {
    self.mode = mode
    self.threads = threads
    self.sessions = sessions
    self.sessionTimeout = sessionTimeout
    self.runTimeout = runTimeout
    self.fit = fit
    self.filter = filter
    self.orientation = orientation
    self.decodeScale = decodeScale
    self.trust = trust
    self.isolation = isolation
    self.accelerator = accelerator
    self.libraries = libraries
    self.trustsGraphs = trustsGraphs
    self.weightCache = weightCache
    self.runtimes = runtimes
    self.models = models
    self.tasks = tasks
    self.function = function
  }
}

extension OpeningOptions {
  /// The options for decoding images, before a layer's own preparation is added.
  var decodingOptions: DecodingOptions {
    DecodingOptions(orientation: orientation, decodeScale: decodeScale)
  }
}

extension ModelDescription {
  /// Returns the description resolved for the mode of the options, with their overrides applied.
  package func effective(for options: OpeningOptions) -> ModelDescription {
    resolved(for: options.mode ?? defaultMode).overridden(by: options)
  }

  /// Returns the description with the image settings of the options in place of its own.
  package func overridden(by options: OpeningOptions) -> ModelDescription {
    var description = self
    description.inputs = inputs.map { $0.overridden(by: options) }
    return description
  }

  /// Returns all differences between the description and a model's tensors, errors and warnings.
  package func diagnostics(
    against signature: ModelSignature, in mode: ModelMode? = nil
  ) -> [Diagnostic] {
    let mode = mode ?? defaultMode
    return located(
      SignatureValidator(description: resolved(for: mode), signature: signature).diagnostics,
      in: mode)
  }

  /// Returns diagnostics with their paths moved into the section of `model.json` that declares the layers: that of the mode or
  /// of the function.
  func located(_ diagnostics: [Diagnostic], in mode: ModelMode) -> [Diagnostic] {
    guard let own = modeOverrides[mode] else {
      return diagnostics.map { diagnostic in
        var diagnostic = diagnostic
        let isOfModel = location.isEmpty && diagnostic.path == "/signature"
        diagnostic.path = (isOfModel ? "/model" : location) + diagnostic.path
        return diagnostic
      }
    }
    let lists = [
      "inputs": own.inputs, "outputs": own.outputs, "placeholders": own.placeholders,
    ].compactMapValues(\.self)
    return diagnostics.map { diagnostic in
      guard let list = diagnostic.path.split(separator: "/").first, lists[String(list)] != nil
      else { return diagnostic }
      var diagnostic = diagnostic
      diagnostic.path = "/\(mode.rawValue)" + diagnostic.path
      return diagnostic
    }
  }
}

extension ModelBundle {
  /// Validates the bundle against the loaded model of a mode.
  ///
  /// - Returns: The warnings of the bundle, the runtime and the comparison.
  /// - Throws: ``ModelError/invalidDescription`` if the comparison finds errors.
  package func warnings(
    for model: any RuntimeModel, in mode: ModelMode
  ) throws(ModelError) -> [Diagnostic] {
    let diagnostics = withPositions(description.diagnostics(against: model.signature, in: mode))
    let errors = diagnostics.filter { $0.severity == .error }
    guard errors.isEmpty else { throw ModelError(.bundle, .invalidDescription(errors)) }
    return warnings + withPositions(description.located(model.warnings, in: mode)) + diagnostics
  }
}

extension Layer {
  fileprivate func overridden(by options: OpeningOptions) -> Layer {
    guard case .image(var image) = kind else { return self }
    image.fit = options.fit ?? image.fit
    image.filter = options.filter ?? image.filter
    return Layer(name: name, kind: .image(image))
  }
}

/// How the processors are divided between items and the threads of each run.
///
/// A few items run one after the other with all threads, which has the lowest latency. Many items
/// run in parallel with one thread each, which has the highest throughput, since the threads of one
/// run wait for each other.
package struct Parallelism: Sendable, Equatable {
  /// The number of threads that read, decode and run items.
  package let itemThreads: Int
  /// The number of items that can run the model at the same time.
  package let sessions: Int
  /// The number of threads of each run.
  package let threadsPerSession: Int

  /// The largest number of items that run one after the other.
  package static let maxSequentialItems = 8

  /// Divides the processors; `threadsPerSession` overrides the number of threads of a run.
  package init(items: Int, threadsPerSession: Int?, processors: Int = ThreadCount.defaultCount) {
    guard items > Self.maxSequentialItems else {
      (itemThreads, sessions) = (1, 1)
      self.threadsPerSession = threadsPerSession ?? processors
      return
    }
    self.threadsPerSession = threadsPerSession ?? 1
    sessions = max(1, processors / self.threadsPerSession)
    itemThreads = max(sessions, processors)
  }
}

extension OpeningOptions {
  /// Returns the options with the sessions and threads of a division.
  package func applying(_ parallelism: Parallelism) -> OpeningOptions {
    var options = self
    options.sessions = parallelism.sessions
    options.threads = parallelism.threadsPerSession
    return options
  }

  /// The options with one session that has the threads of all.
  package var singleSession: OpeningOptions {
    var options = self
    options.threads *= options.sessions
    options.sessions = 1
    return options
  }
}

/// The default number of threads of a run.
package enum ThreadCount {
  /// The largest thread count accepted from an environment variable.
  static let maxCount = 1024

  /// `TENSORIO_THREADS`, otherwise `OMP_NUM_THREADS`, otherwise the number of processors that the
  /// machine or the container allows.
  package static let defaultCount: Int =
    value(ofVariable: "TENSORIO_THREADS") ?? value(ofVariable: "OMP_NUM_THREADS")
    ?? min(ControlGroup.current.processorLimit ?? .max, Platform.processorCount)

  private static func value(ofVariable variable: String) -> Int? {
    Platform.environment(variable).flatMap(parse)
  }

  /// Returns the thread count in the value of an environment variable; `nil` if it is invalid.
  static func parse(_ text: String) -> Int? {
    guard let count = Int(text), (1...maxCount).contains(count) else { return nil }
    return count
  }
}
