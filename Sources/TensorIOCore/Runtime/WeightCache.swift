import TensorIOSystem

/// A folder that keeps weights as the runtime arranges them for the processor, so that a model opens
/// faster the next time.
///
/// What is kept is known by the model's bytes, the runtime's library and the processor. What is
/// damaged, or of another of these, is made anew; where nothing can be kept, models open as ever.
///
///     let backends = Backends(weightCache: WeightCache())
///     let model = try Model(ModelBundle(at: "mobilenet.tiobundle"), backends: backends)
public struct WeightCache: Sendable, Hashable {
  /// The variable that names the folder, or turns it `off`.
  public static let environmentVariable = "TENSORIO_CACHE_DIR"
  /// The value of the variable with which nothing is kept.
  public static let disabledValue = "off"

  /// Where it lies; it is made when it is needed.
  public let path: String

  /// A cache in a folder.
  public init(path: String) {
    self.path = FilePath.removingTrailingSlashes(path)
  }

  /// The cache where the environment wants it: in `TENSORIO_CACHE_DIR`, else among the user's caches.
  ///
  /// `nil` where the variable is `off`, or nobody says where the user's folders are.
  public init?() { self.init(environment: Platform.environment) }

  /// The cache where some environment wants it.
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
