public import TensorIOCore

extension ModelLibrary {
  /// Opens what is in a folder: bundles that are folders, and zips named as bundles.
  public init(at folder: String) throws(ModelError) {
    try self.init(at: folder, unpacking: BundleArchives())
  }

  /// Opens what is in several folders: bundles that are folders, and zips named as bundles.
  public init(at folders: [String]) throws(ModelError) {
    try self.init(at: folders, unpacking: BundleArchives())
  }

  /// Opens what is in several folders, as far as it is of somebody who is trusted; the rest is broken.
  public init(at folders: [String], trust: TrustPolicy) throws(ModelError) {
    try self.init(at: folders, unpacking: BundleArchives(), trust: trust)
  }

  /// Opens the folders that `TENSORIO_MODELS` names; it is an error when it names none.
  public init() throws(ModelError) {
    try self.init(unpacking: BundleArchives())
  }
}
