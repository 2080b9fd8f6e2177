#if Everything
  public import TensorIOBundle
  public import TensorIOCore
  public import TensorIOTraining

  #if canImport(FoundationEssentials)
    public import FoundationEssentials
  #else
    public import Foundation
  #endif

  extension TrainableModel {
    /// Opens the bundle at a path for training, in the runtime that it specifies.
    ///
    /// ```swift
    /// import TensorIO
    ///
    /// let model = try TrainableModel(at: "cats-vs-dogs.tiobundle")
    /// ```
    ///
    /// - Parameters:
    ///   - path: The path of a bundle's folder or zip archive.
    ///   - options: The trusted signers, the runtimes, the threads, and how images are prepared.
    /// - Throws: A ``ModelError`` if the bundle is invalid, not trusted or without a mode `train`, or
    ///   if its runtime cannot train.
    public convenience init(
      at path: String, options: OpeningOptions = OpeningOptions()
    ) throws(ModelError) {
      try self.init(ModelBundle(at: path, options: options), options: options)
    }

    /// Opens the bundle at a file URL for training, in the runtime that it specifies.
    ///
    /// - Parameters:
    ///   - url: The file URL of a bundle's folder or zip archive.
    ///   - options: The trusted signers, the runtimes, the threads, and how images are prepared.
    /// - Throws: A ``ModelError`` if the bundle is invalid, not trusted or without a mode `train`, or
    ///   if its runtime cannot train.
    public convenience init(
      at url: URL, options: OpeningOptions = OpeningOptions()
    ) throws(ModelError) {
      try self.init(at: url.bundlePath, options: options)
    }

    /// Opens a bundle for training, in the runtime that it specifies.
    ///
    /// - Parameters:
    ///   - bundle: The bundle to open.
    ///   - options: The runtimes, the threads, and how images are prepared. The mode is `train`.
    /// - Throws: A ``ModelError`` if the bundle has no mode `train` or its runtime cannot train.
    public convenience init(
      _ bundle: ModelBundle, options: OpeningOptions = OpeningOptions()
    ) throws(ModelError) {
      try self.init(bundle, on: options.resolvedBackends.backend(for: bundle), options: options)
    }
  }
#endif
