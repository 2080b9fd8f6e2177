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
  public init(
    bundleAt path: String, registry: ModelRegistry = .standard, options: Options = Options(),
    trust: TrustPolicy = .anyone
  ) throws(ModelError) {
    self = try ModelBundle.making(at: path) { () throws(ModelError) in
      try Model(ModelBundle(at: path, trust: trust), registry: registry, options: options)
    }
  }

  /// Opens the bundle at a file URL, in the runtime that it asks for.
  public init(
    bundleAt url: URL, registry: ModelRegistry = .standard, options: Options = Options(),
    trust: TrustPolicy = .anyone
  ) throws(ModelError) {
    self = try ModelBundle.making(at: url.path) { () throws(ModelError) in
      try Model(ModelBundle(at: url, trust: trust), registry: registry, options: options)
    }
  }

  /// Opens a bundle in the runtime that it asks for.
  ///
  /// A bundle whose `class` the application has registered is run by the application's own model.
  public init(
    _ bundle: ModelBundle, backends: Backends = .standard, registry: ModelRegistry = .standard,
    options: Options = Options()
  ) throws(ModelError) {
    if let runner = try registry.runner(for: bundle, options: options) {
      self.init(bundle, running: runner)
    } else {
      try self.init(bundle, on: backends.backend(for: bundle), options: options)
    }
  }
}

extension ModelBundle {
  /// A new model from this bundle.
  ///
  /// Models from one bundle are independent of each other.
  public func newModel(
    registry: ModelRegistry = .standard, options: Model.Options = Model.Options()
  ) throws(ModelError) -> Model {
    try Model(self, registry: registry, options: options)
  }
}
