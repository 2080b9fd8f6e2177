public import TensorIOCore

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension Model {
  /// Opens the bundle at a path, in the runtime that it asks for.
  ///
  ///     let model = try Model(bundleAt: "mobilenet.tiobundle")
  public init(bundleAt path: String, options: Options = Options()) throws(ModelError) {
    try self.init(ModelBundle(at: path), options: options)
  }

  /// Opens the bundle at a file URL, in the runtime that it asks for.
  public init(bundleAt url: URL, options: Options = Options()) throws(ModelError) {
    try self.init(ModelBundle(at: url), options: options)
  }

  /// Opens a bundle in the runtime that it asks for.
  public init(
    _ bundle: ModelBundle, backends: Backends = .standard, options: Options = Options()
  ) throws(ModelError) {
    try self.init(bundle, on: backends.backend(for: bundle), options: options)
  }
}

extension ModelBundle {
  /// A new model from this bundle.
  ///
  /// Models from one bundle are independent of each other.
  public func newModel(options: Model.Options = Model.Options()) throws(ModelError) -> Model {
    try Model(self, options: options)
  }
}
