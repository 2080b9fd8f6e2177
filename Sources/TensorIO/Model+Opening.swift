public import TensorIOBundle
public import TensorIOCore
public import TensorIOTraining

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension Model {
  /// Opens the bundle at a path, in the runtime that it specifies.
  ///
  ///     let model = try Model(bundleAt: "mobilenet.tiobundle")
  ///
  /// - Parameters:
  ///   - path: The path of a bundle's folder or zip archive.
  ///   - registry: The application's own models, for bundles with a `class`.
  ///   - options: The mode, threads, sessions and image options.
  ///   - trust: The signers that are accepted.
  /// - Throws: A ``ModelError`` of the stage `bundle` if the bundle is invalid, and of the stage
  ///   `runtime` if the runtime is missing or rejects the model.
  public init(
    bundleAt path: String, registry: ModelRegistry = .shared, options: Options = Options(),
    trust: TrustPolicy = .unrestricted
  ) throws(ModelError) {
    self = try ModelBundle.withConsistentFiles(at: path) { () throws(ModelError) in
      try Model(ModelBundle(at: path, trust: trust), registry: registry, options: options)
    }
  }

  /// Opens the bundle at a file URL, in the runtime that it specifies.
  ///
  /// - Parameters:
  ///   - url: The file URL of a bundle's folder or zip archive.
  ///   - registry: The application's own models, for bundles with a `class`.
  ///   - options: The mode, threads, sessions and image options.
  ///   - trust: The signers that are accepted.
  /// - Throws: A ``ModelError`` of the stage `bundle` if the bundle is invalid, and of the stage
  ///   `runtime` if the runtime is missing or rejects the model.
  public init(
    bundleAt url: URL, registry: ModelRegistry = .shared, options: Options = Options(),
    trust: TrustPolicy = .unrestricted
  ) throws(ModelError) {
    self = try ModelBundle.withConsistentFiles(at: url.path) { () throws(ModelError) in
      try Model(ModelBundle(at: url, trust: trust), registry: registry, options: options)
    }
  }

  /// Opens a bundle in the runtime that it specifies, or with the application's model if its
  /// `class` is registered.
  ///
  /// - Parameters:
  ///   - bundle: The bundle to open.
  ///   - backends: The runtimes to choose from.
  ///   - registry: The application's own models, for bundles with a `class`.
  ///   - options: The mode, threads, sessions and image options.
  /// - Throws: A ``ModelError`` of the stage `bundle` if the bundle does not match its model, and
  ///   of the stage `runtime` if the runtime is missing or rejects the model.
  public init(
    _ bundle: ModelBundle, backends: Backends = .standard, registry: ModelRegistry = .shared,
    options: Options = Options()
  ) throws(ModelError) {
    if let runner = try registry.runner(for: bundle, options: options) {
      self.init(bundle, runner: runner, options: options)
    } else {
      try self.init(bundle, on: backends.backend(for: bundle), options: options)
    }
  }
}

extension ModelBundle {
  /// Opens a new model from this bundle.
  ///
  /// Models of the same bundle are independent of each other.
  ///
  /// - Parameters:
  ///   - registry: The application's own models, for bundles with a `class`.
  ///   - options: The mode, threads, sessions and image options.
  /// - Returns: The new model.
  /// - Throws: A ``ModelError`` if the model cannot be opened.
  public func makeModel(
    registry: ModelRegistry = .shared, options: Model.Options = Model.Options()
  ) throws(ModelError) -> Model {
    try Model(self, registry: registry, options: options)
  }
}

extension TrainableModel {
  /// Opens the bundle at a path for training, in the runtime that it specifies.
  ///
  ///     let model = try TrainableModel(bundleAt: "cats-vs-dogs.tiobundle")
  ///
  /// - Parameters:
  ///   - path: The path of a bundle's folder or zip archive.
  ///   - options: The threads and image options.
  ///   - trust: The signers that are accepted.
  /// - Throws: A ``ModelError`` if the bundle is invalid, has no mode `train`, or its runtime
  ///   cannot train.
  public convenience init(
    bundleAt path: String, options: Model.Options = Model.Options(),
    trust: TrustPolicy = .unrestricted
  ) throws(ModelError) {
    try self.init(ModelBundle(at: path, trust: trust), options: options)
  }

  /// Opens the bundle at a file URL for training, in the runtime that it specifies.
  ///
  /// - Parameters:
  ///   - url: The file URL of a bundle's folder or zip archive.
  ///   - options: The threads and image options.
  ///   - trust: The signers that are accepted.
  /// - Throws: A ``ModelError`` if the bundle is invalid, has no mode `train`, or its runtime
  ///   cannot train.
  public convenience init(
    bundleAt url: URL, options: Model.Options = Model.Options(), trust: TrustPolicy = .unrestricted
  ) throws(ModelError) {
    try self.init(ModelBundle(at: url, trust: trust), options: options)
  }

  /// Opens a bundle for training, in the runtime that it specifies.
  ///
  /// - Parameters:
  ///   - bundle: The bundle to open.
  ///   - backends: The runtimes to choose from.
  ///   - options: The threads and image options.
  /// - Throws: A ``ModelError`` if the bundle has no mode `train` or its runtime cannot train.
  public convenience init(
    _ bundle: ModelBundle, backends: Backends = .standard,
    options: Model.Options = Model.Options()
  ) throws(ModelError) {
    try self.init(bundle, on: backends.backend(for: bundle), options: options)
  }
}
