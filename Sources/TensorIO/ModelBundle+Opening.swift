public import TensorIOCore

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension ModelBundle {
  /// Opens the bundle at a path: a folder, or a zip that holds exactly one.
  public init(at path: String) throws(ModelError) {
    try self.init(at: path, unpacking: BundleArchives())
  }

  /// Opens the bundle at a path, if it is of somebody who is trusted.
  public init(at path: String, trust: TrustPolicy) throws(ModelError) {
    try self.init(at: path, unpacking: BundleArchives(), trust: trust)
  }

  /// Opens the bundle at a file URL, if it is of somebody who is trusted.
  public init(at url: URL, trust: TrustPolicy) throws(ModelError) {
    try self.init(at: url, unpacking: BundleArchives(), trust: trust)
  }

  /// Opens the bundle at a file URL: a folder, or a zip that holds exactly one.
  public init(at url: URL) throws(ModelError) {
    try self.init(at: url, unpacking: BundleArchives())
  }
}
