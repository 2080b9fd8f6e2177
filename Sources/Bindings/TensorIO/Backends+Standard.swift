public import TensorIOBundle
public import TensorIOCore
import TensorIORuntimes

#if Everything
  import TensorIOIsolation
#endif

extension Backends {
  /// The built-in runtimes, with the libraries found by the default search.
  public static let standard = Backends()

  /// Creates the built-in runtimes.
  ///
  /// - Parameters:
  ///   - litertLibrary: The path of LiteRT's library; `nil` searches for it.
  ///   - tensorflowLibrary: The path of TensorFlow's library; `nil` searches for it.
  ///   - trustingGraphs: Whether to accept TensorFlow graphs with operators that can do more than
  ///     compute, such as reading files.
  ///   - weightCache: A cache that makes large LiteRT models load faster. Isolated models do not
  ///     use it.
  ///   - isolation: Settings for running all models in worker processes; `nil` runs them in this
  ///     process.
  public init(
    litertLibrary: String? = nil, tensorflowLibrary: String? = nil, trustingGraphs: Bool = false,
    weightCache: WeightCache? = nil, isolation: Isolation? = nil
  ) {
    let libraries = [BackendIdentifier.tflite: litertLibrary, .tensorflow: tensorflowLibrary]
    self.init(
      libraries: libraries.compactMapValues(\.self), trustingGraphs: trustingGraphs,
      weightCache: weightCache, isolation: isolation)
  }

  /// Creates the built-in runtimes with libraries by runtime.
  ///
  /// ```swift
  /// import TensorIO
  ///
  /// let backends = Backends(libraries: [.tflite: "/opt/litert/libLiteRt.so"])
  /// ```
  ///
  /// - Parameters:
  ///   - libraries: The paths of the runtimes' libraries. Others are searched for.
  ///   - trustingGraphs: Whether to accept models with operators outside the allow-list, such as
  ///     those that read files.
  ///   - weightCache: A cache that makes large LiteRT models load faster. Isolated models do not
  ///     use it.
  ///   - isolation: Settings for running all models in worker processes; `nil` runs them in this
  ///     process.
  public init(
    libraries: [BackendIdentifier: String], trustingGraphs: Bool = false,
    weightCache: WeightCache? = nil, isolation: Isolation? = nil
  ) {
    self.init(BuiltInRuntimes.all, isolation: isolation) { runtime in
      RuntimeSettings(
        library: libraries[runtime.identifier], trustsGraphs: trustingGraphs,
        weightCache: weightCache)
    }
  }

  /// Creates runtimes from their descriptors.
  ///
  /// - Parameters:
  ///   - runtimes: The runtimes.
  ///   - isolation: Settings for worker processes. A runtime that does not support them cannot load
  ///     models then. `nil` runs models in this process.
  ///   - settings: Returns the settings of a runtime.
  package init(
    _ runtimes: [RuntimeDescriptor], isolation: Isolation?,
    settings: (RuntimeDescriptor) -> RuntimeSettings = { _ in RuntimeSettings() }
  ) {
    self.init(
      runtimes.map { runtime in
        let settings = settings(runtime)
        if let reason = settings.accelerator.rejectionReason(with: runtime, isolation) {
          return UnavailableBackend(
            runtime.identifier, ModelError(.runtime, .unsupported(reason)))
        }
        guard let isolation else { return runtime.makeBackend(settings) }
        #if Everything
          return IsolatedBackend(runtime, settings: settings, isolation: isolation)
        #else
          return UnavailableBackend(
            runtime.identifier,
            ModelError(
              .runtime,
              .unsupported("a worker process without the trait 'Everything' of the package")))
        #endif
      })
  }
}

extension Accelerator {
  /// Returns why a runtime cannot use the hardware; `nil` if it can.
  fileprivate func rejectionReason(
    with runtime: RuntimeDescriptor, _ isolation: Isolation?
  ) -> String? {
    guard self == .gpu else { return nil }
    if runtime.gpuLibrary == nil { return "a GPU with \(runtime.displayName)" }
    return isolation == nil ? nil : "a GPU in a worker process"
  }
}

extension Backends {
  /// The built-in runtimes on a GPU.
  private static let gpu = Backends(BuiltInRuntimes.all, isolation: nil) { _ in
    var settings = RuntimeSettings()
    settings.accelerator = .gpu
    return settings
  }

  /// Returns the built-in runtimes that use some hardware.
  fileprivate static func standard(on accelerator: Accelerator) -> Backends {
    switch accelerator {
    case .cpu: standard
    case .gpu: gpu
    }
  }
}

extension OpeningOptions {
  /// The runtimes to choose from: those of the options, otherwise the registered and built-in ones.
  package var resolvedBackends: Backends {
    backends
      ?? runtimes.backends.reversed().reduce(.standard(on: accelerator)) { $0.adding($1) }
  }
}
