/// What makes folders of bundles that come as files.
///
/// The pipeline knows folders and nothing of archives: whoever opens a bundle may bring along
/// something that does. `import TensorIO` brings one for zips.
public protocol BundleUnpacking: Sendable {
  /// Unpacks the bundle that a file holds.
  func unpack(_ path: String) throws(ModelError) -> UnpackedBundle
}

/// The folder of a bundle that came as a file, for as long as anything opened from it is in use.
public final class UnpackedBundle: Sendable {
  /// Where the folder lies.
  public let path: String

  private let remove: @Sendable () -> Void

  /// A folder, and what removes it when nobody uses it any more.
  public init(path: String, whenUnused remove: @escaping @Sendable () -> Void) {
    self.path = path
    self.remove = remove
  }

  deinit { remove() }
}

extension UnpackedBundle: Hashable {
  /// Whether both are the same copy.
  public static func == (left: UnpackedBundle, right: UnpackedBundle) -> Bool { left === right }

  /// Hashes the identity of the copy.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
