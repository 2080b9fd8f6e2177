#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension ModelBundle {
  /// Opens the bundle at a file URL.
  public init(at url: URL) throws(ModelError) {
    guard url.isFileURL else {
      throw ModelError(
        .bundle, .unsupported("a bundle is opened from a folder, not from another place"),
        file: url.absoluteString)
    }
    try self.init(at: url.path)
  }

  /// Where the bundle lies.
  public var url: URL { URL(fileURLWithPath: path, isDirectory: true) }
}
