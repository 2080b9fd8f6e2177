public import TensorIOBundle
public import TensorIOCore
import TensorIOSystem
import TensorIOTasks

#if Everything
  import TensorIODrafting
  import TensorIORuntimes
#endif

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension Model {
  /// Opens the model at a path, in the runtime that it specifies.
  ///
  /// ```swift
  /// import TensorIO
  ///
  /// let model = try Model(at: "mobilenet.tiobundle")
  /// ```
  ///
  /// - Parameters:
  ///   - path: The path of a bundle's folder or zip archive or of a chain's folder, or the name or `id`
  ///     of a bundle in the folders of `TENSORIO_MODELS`. A folder as model hubs publish it, a SavedModel, and a `.tflite`
  ///     or `.onnx` file open as `tensorio init` would describe them.
  ///   - options: The trusted signers, the runtimes, the threads and sessions, and how images are
  ///     prepared.
  /// - Throws: A ``ModelError`` of the stage `bundle` if the bundle is invalid, and of the stage
  ///   `runtime` if the bundle is not trusted, or if the runtime is missing or rejects the model.
  public init(
    at path: String, options: OpeningOptions = OpeningOptions()
  ) throws(ModelError) {
    try self.init(at: path, options: options) { (_: ModelBundle) in }
  }

  /// Opens the model at a path; `validate` checks a bundle before its runtime is loaded.
  init(
    at path: String, options: OpeningOptions,
    validating validate: (ModelBundle) throws(ModelError) -> Void
  ) throws(ModelError) {
    let variable = Platform.environment(ModelLibrary.environmentVariable)
    let path = ModelLibrary.path(for: path, in: ModelLibrary.folders(in: variable))
    self = try ModelBundle.withConsistentFiles(at: path) { () throws(ModelError) in
      let bundle = try ModelBundle(at: path, options: options.draftingBundles)
      try validate(bundle)
      return try Model(bundle, options: options)
    }
  }

  /// Opens the model at a file URL, in the runtime that it specifies.
  ///
  /// - Parameters:
  ///   - url: The file URL of a bundle's folder or zip archive, or of a chain's folder.
  ///   - options: The trusted signers, the runtimes, the threads and sessions, and how images are
  ///     prepared.
  /// - Throws: A ``ModelError`` of the stage `bundle` if the bundle is invalid, and of the stage
  ///   `runtime` if the bundle is not trusted, or if the runtime is missing or rejects the model.
  public init(
    at url: URL, options: OpeningOptions = OpeningOptions()
  ) throws(ModelError) {
    try self.init(at: url.bundlePath, options: options)
  }

  /// Opens a bundle in the runtime that it specifies, or with the application's model if its
  /// `class` is registered.
  ///
  /// Models of the same bundle are independent of each other.
  ///
  /// - Parameters:
  ///   - bundle: The bundle to open.
  ///   - options: The runtimes, the threads and sessions, and how images are prepared. The bundle
  ///     is open already, so ``OpeningOptions/trust`` is not used.
  /// - Throws: A ``ModelError`` of the stage `bundle` if the bundle does not match its model, and
  ///   of the stage `runtime` if the runtime is missing or rejects the model.
  public init(
    _ bundle: ModelBundle, options: OpeningOptions = OpeningOptions()
  ) throws(ModelError) {
    guard !bundle.isChain else {
      self = try Chain(bundle, options).makeModel()
      return
    }
    if let runner = try options.models?.runner(for: bundle, options: options) {
      self.init(bundle, runner: runner, options: options)
    } else {
      try self.init(bundle, on: options.resolvedBackends.backend(for: bundle), options: options)
    }
  }
}

extension OpeningOptions {
  /// The options with which models without a description open as well.
  package var draftingBundles: OpeningOptions {
    #if Everything
      // A model without a bundle has no signature, and must not be loaded before it is rejected.
      guard !trust.isSignatureRequired else { return self }
      var options = self
      options.unpacker = BareModelDrafter(
        BuiltInRuntimes.all.map { runtime in
          ConfiguredRuntime(runtime, RuntimeSettings(library: libraries[runtime.identifier]))
        })
      return options
    #else
      self
    #endif
  }
}
