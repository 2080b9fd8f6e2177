import Synchronization
import TensorIOBundle
package import TensorIOCore
import TensorIORuntimes

#if Everything
  import TensorIOIsolation
#endif

/// The options that determine how runtimes are made.
///
/// Models with the same configuration share the built-in runtimes, so that a library is opened once, and
/// crashes of a model are counted across all that opened it.
private struct RuntimeConfiguration: Equatable {
  let isolation: Isolation?
  let accelerator: Accelerator
  let libraries: [BackendIdentifier: String]
  let trustsGraphs: Bool
  let weightCache: WeightCache?

  static let standard = RuntimeConfiguration(OpeningOptions())

  init(_ options: OpeningOptions) {
    (isolation, accelerator) = (options.isolation, options.accelerator)
    (libraries, trustsGraphs) = (options.libraries, options.trustsGraphs)
    weightCache = options.weightCache
  }

  /// The built-in runtimes of each configuration in use; a program has few.
  private static let builtIn = Mutex<[(configuration: RuntimeConfiguration, made: [any Backend])]>(
    [])

  /// The built-in runtimes.
  var builtInRuntimes: [any Backend] {
    Self.builtIn.withLock { runtimes in
      if let known = runtimes.first(where: { $0.configuration == self }) { return known.made }
      let made = BuiltInRuntimes.all.map(backend)
      runtimes.append((self, made))
      return made
    }
  }

  /// Returns a runtime with this configuration; one that cannot have it throws when it loads a model.
  func backend(_ runtime: RuntimeDescriptor) -> any Backend {
    var settings = RuntimeSettings(
      library: libraries[runtime.identifier], trustsGraphs: trustsGraphs, weightCache: weightCache)
    settings.accelerator = accelerator
    if let feature = missingFeature(of: runtime) {
      return UnavailableBackend(runtime.identifier, ModelError(.runtime, .unsupported(feature)))
    }
    guard let isolation else { return runtime.makeBackend(settings) }
    #if Everything
      return IsolatedBackend(runtime, settings: settings, isolation: isolation)
    #else
      return UnavailableBackend(
        runtime.identifier,
        ModelError(
          .runtime, .unsupported("a worker process without the trait 'Everything' of the package")))
    #endif
  }

  /// The part of the configuration that a runtime does not support, if any.
  private func missingFeature(of runtime: RuntimeDescriptor) -> String? {
    guard accelerator == .gpu else { return nil }
    if runtime.gpuLibrary == nil { return "a GPU with \(runtime.displayName)" }
    return isolation == nil ? nil : "a GPU in a worker process"
  }
}

extension OpeningOptions {
  /// The runtimes to choose from: the application's own before the built-in ones.
  package var resolvedBackends: Backends {
    let configuration = RuntimeConfiguration(self)
    let own =
      configuration == .standard
      ? runtimes.backends : runtimes.runtimes.map(configuration.backend)
    return Backends(own + configuration.builtInRuntimes)
  }
}
