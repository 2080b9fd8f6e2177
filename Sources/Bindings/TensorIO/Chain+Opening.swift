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
  public static let pathExtension = "tiochain"

  /// Whether a path has the file extension of a chain.
  public static func hasChainExtension(_ path: String) -> Bool {
    path.reversed().drop { $0 == "/" }.starts(with: ".\(pathExtension)".reversed())
  }

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
    let folder = try ChainDirectory(at: path, trust: options.trust)
    let description = try folder.description()
    var models: [String: Model] = [:]
    for step in description.steps {
      guard case .bundle(let name, _) = step.kind else { continue }
      let model = try Model(
        ModelBundle(at: folder.bundlePath(named: name), options: options), options: options)
      try model.createAllSessions()
      models[step.name] = model
    }
    try self.init(description, models: models, path: path)
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

  /// Verifies the chain in a folder and its bundles without loading models, and returns its
  /// identity.
  package static func verifiedIdentity(
    at path: String, trust: TrustPolicy
  ) throws(ModelError) -> (id: String, version: String) {
    let folder = try ChainDirectory(at: path, trust: trust)
    let description = try folder.description()
    for name in description.bundleNames {
      _ = try ModelBundle(at: folder.bundlePath(named: name), options: OpeningOptions(trust: trust))
    }
    return (description.id, description.version)
  }
}
