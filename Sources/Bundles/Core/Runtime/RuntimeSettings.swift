/// The settings with which a runtime is created.
///
/// A runtime ignores the settings that do not apply to it.
public struct RuntimeSettings: Sendable, Hashable {
  /// The path of the runtime's library; `nil` searches for it.
  public var library: String?
  /// Whether to accept models with operators outside the allow-list, such as those that read files.
  public var trustsGraphs: Bool
  /// A cache that makes large models load faster; `nil` for no cache.
  public var weightCache: WeightCache?
  /// The hardware that runs models.
  public var accelerator = Accelerator.cpu
  /// Whether the process can write files, which a sandbox prevents.
  package var canWriteFiles = true

  /// Creates settings.
  ///
  /// - Parameters:
  ///   - library: The path of the runtime's library; `nil` searches for it.
  ///   - trustsGraphs: Whether to accept models with operators outside the allow-list.
  ///   - weightCache: A cache that makes large models load faster.
  public init(
    library: String? = nil, trustsGraphs: Bool = false, weightCache: WeightCache? = nil
  ) {
    self.library = library
    self.trustsGraphs = trustsGraphs
    self.weightCache = weightCache
  }
}
