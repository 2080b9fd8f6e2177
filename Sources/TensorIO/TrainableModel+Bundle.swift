public import TensorIOCore

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension TrainableModel {
  /// Opens the bundle at a path to train it, in the runtime that it asks for.
  ///
  ///     let model = try TrainableModel(bundleAt: "cats-vs-dogs.tiobundle")
  public convenience init(
    bundleAt path: String, options: Model.Options = Model.Options(),
    trust: TrustPolicy = .anyone
  ) throws(ModelError) {
    try self.init(ModelBundle(at: path, trust: trust), options: options)
  }

  /// Opens the bundle at a file URL to train it, in the runtime that it asks for.
  public convenience init(
    bundleAt url: URL, options: Model.Options = Model.Options(), trust: TrustPolicy = .anyone
  ) throws(ModelError) {
    try self.init(ModelBundle(at: url, trust: trust), options: options)
  }

  /// Opens a bundle to train it, in the runtime that it asks for.
  public convenience init(
    _ bundle: ModelBundle, backends: Backends = .standard,
    options: Model.Options = Model.Options()
  ) throws(ModelError) {
    try self.init(bundle, on: backends.backend(for: bundle), options: options)
  }
}
