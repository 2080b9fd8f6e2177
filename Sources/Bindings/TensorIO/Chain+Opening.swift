public import TensorIOBundle
public import TensorIOCore
public import TensorIOTasks

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension Chain {
  /// The file extension of a chain's folder.
  public static let pathExtension = BundleFolder.chainExtension

  /// Opens the chain in a folder.
  ///
  /// - Parameters:
  ///   - path: The path of the folder. Its bundles are inside or next to it.
  ///   - options: The signers that are trusted for the chain and for each bundle, the runtimes, and
  ///     the options of each model.
  /// - Throws: A ``ModelError`` if the chain or one of its bundles cannot be opened.
  public init(
    at path: String, options: OpeningOptions = OpeningOptions()
  ) throws(ModelError) {
    try self.init(ModelBundle(at: path, options: options), options)
  }

  /// Opens the models of a chain's bundle.
  init(_ bundle: ModelBundle, _ options: OpeningOptions) throws(ModelError) {
    guard let composition = bundle.composition else {
      throw ModelError(.bundle, .missingFile(BundleFolder.chainName), file: bundle.path)
    }
    let description = try ChainDescription(json: composition.description)
    var models: [String: Model] = [:]
    for (step, part) in zip(description.steps.filter(\.runsBundle), composition.parts) {
      let model = try Model(part, options: options)
      try model.createAllSessions()
      models[step.name] = model
    }
    try self.init(description, models: models, path: bundle.path)
  }

  /// Opens the chain in a folder.
  ///
  /// - Parameters:
  ///   - url: The file URL of the folder. Its bundles are inside or next to it.
  ///   - options: The signers that are trusted for the chain and for each bundle, the runtimes, and
  ///     the options of each model.
  /// - Throws: A ``ModelError`` if the chain or one of its bundles cannot be opened.
  public init(
    at url: URL, options: OpeningOptions = OpeningOptions()
  ) throws(ModelError) {
    try self.init(at: url.bundlePath, options: options)
  }
}
