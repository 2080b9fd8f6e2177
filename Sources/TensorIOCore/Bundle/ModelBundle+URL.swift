#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension ModelBundle {
  /// Opens the bundle at a file URL, a folder or a file that something can unpack.
  public init(
    at url: URL, unpacking archives: (any BundleUnpacking)? = nil,
    trust: TrustPolicy = .anyone
  ) throws(ModelError) {
    guard url.isFileURL else {
      throw ModelError(
        .bundle, .unsupported("a bundle is opened from a folder, not from another place"),
        file: url.absoluteString)
    }
    try self.init(at: url.path, unpacking: archives, trust: trust)
  }

  /// Where the bundle's files lie.
  public var url: URL { URL(fileURLWithPath: folderPath, isDirectory: true) }
}
