public import TensorIOBundle
public import TensorIOCore
public import TensorIOTraining

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
    bundleAt path: String, registry: ModelRegistry = .shared, options: Options = Options(),
    trust: TrustPolicy = .unrestricted
  ) throws(ModelError) {
    self = try ModelBundle.withConsistentFiles(at: path) { () throws(ModelError) in
      try Model(ModelBundle(at: path, trust: trust), registry: registry, options: options)
    }
  }

  /// Opens the bundle at a file URL, in the runtime that it asks for.
  public init(
    bundleAt url: URL, registry: ModelRegistry = .shared, options: Options = Options(),
    trust: TrustPolicy = .unrestricted
  ) throws(ModelError) {
    self = try ModelBundle.withConsistentFiles(at: url.path) { () throws(ModelError) in
      try Model(ModelBundle(at: url, trust: trust), registry: registry, options: options)
    }
  }

  /// Opens a bundle in the runtime that it asks for.
  ///
  /// A bundle whose `class` the application has registered is run by the application's own model.
  public init(
    _ bundle: ModelBundle, backends: Backends = .standard, registry: ModelRegistry = .shared,
    options: Options = Options()
  ) throws(ModelError) {
    if let runner = try registry.runner(for: bundle, options: options) {
      self.init(bundle, runner: runner)
    } else {
      try self.init(bundle, on: backends.backend(for: bundle), options: options)
    }
  }
}

extension ModelBundle {
  /// A new model from this bundle.
  ///
  /// Models from one bundle are independent of each other.
  public func makeModel(
    registry: ModelRegistry = .shared, options: Model.Options = Model.Options()
  ) throws(ModelError) -> Model {
    try Model(self, registry: registry, options: options)
  }
}

extension TrainableModel {
  /// Opens the bundle at a path to train it, in the runtime that it asks for.
  ///
  ///     let model = try TrainableModel(bundleAt: "cats-vs-dogs.tiobundle")
  public convenience init(
    bundleAt path: String, options: Model.Options = Model.Options(),
    trust: TrustPolicy = .unrestricted
  ) throws(ModelError) {
    try self.init(ModelBundle(at: path, trust: trust), options: options)
  }

  /// Opens the bundle at a file URL to train it, in the runtime that it asks for.
  public convenience init(
    bundleAt url: URL, options: Model.Options = Model.Options(), trust: TrustPolicy = .unrestricted
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
