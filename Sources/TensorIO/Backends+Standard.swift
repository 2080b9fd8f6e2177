import TensorIOBundle
public import TensorIOCore
import TensorIOIsolation
import TensorIOLiteRT
import TensorIOTensorFlow

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
    if let isolation {
      self.init([
        IsolatedBackend(.tflite, library: litertLibrary, isolation: isolation),
        IsolatedBackend(
          .tensorflow, library: tensorflowLibrary, trustingGraphs: trustingGraphs,
          isolation: isolation),
      ])
    } else {
      self.init([
        LiteRTBackend(library: litertLibrary, weightCache: weightCache),
        TensorFlowBackend(library: tensorflowLibrary, trustingGraphs: trustingGraphs),
      ])
    }
  }
}

extension OpeningOptions {
  /// The runtimes to choose from.
  package var resolvedBackends: Backends { backends ?? .standard }
}
