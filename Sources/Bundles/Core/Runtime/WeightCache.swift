import TensorIOSystem

/// A folder that caches weights in the layout that the runtime uses on this processor, which makes
/// models load faster.
///
/// Entries are identified by the model's contents, the runtime's library and the processor. Damaged
/// and outdated entries are rebuilt. If the folder cannot be written, models load without the
/// cache.
///
///     let options = OpeningOptions(weightCache: WeightCache())
///     let model = try Model(at: "mobilenet.tiobundle", options: options)
public struct WeightCache: Sendable, Hashable {
  /// The environment variable that names the folder, or disables the cache with `off`.
  public static let environmentVariable = "TENSORIO_CACHE_DIR"
  /// The value of the variable that disables the cache.
  public static let disabledValue = "off"

  /// The path of the folder, which is created on first use.
  public let path: String

  /// Creates a cache in a folder.
  public init(path: String) {
    self.path = FilePath.removingTrailingSlashes(path)
  }

  /// Creates the cache that the environment specifies: `TENSORIO_CACHE_DIR`, otherwise a folder in
  /// the user's cache directory.
  ///
  /// Returns `nil` if the variable is `off` or there is no home directory.
  public init?() { self.init(environment: Platform.environment) }

  /// Creates the cache that the given environment specifies.
  package init?(environment: (String) -> String?) {
    if let named = environment(Self.environmentVariable) {
      guard named != Self.disabledValue else { return nil }
      self.init(path: named)
    } else if let caches = environment("XDG_CACHE_HOME"), caches.hasPrefix("/") {
      self.init(path: "\(caches)/tensorio")
    } else if let home = environment("HOME") {
      self.init(path: "\(home)/.cache/tensorio")
    } else {
      return nil
    }
  }
}
