public import TensorIOBundle
public import TensorIOCore
public import TensorIOTasks

extension Chain {
  /// The file extension of a chain's folder.
  public static let pathExtension = "tiochain"

  /// Whether a path has the file extension of a chain.
  public static func hasChainExtension(_ path: String) -> Bool {
    path.reversed().drop { $0 == "/" }.starts(with: ".\(pathExtension)".reversed())
  }

  /// Opens the chain in a folder.
  ///
  ///     let chain = try Chain(at: "faces.tiochain")
  ///
  /// - Parameters:
  ///   - path: The path of the folder. Its bundles are inside or next to it.
  ///   - backends: The runtimes to open the bundles in.
  ///   - options: The options for opening each bundle.
  ///   - trust: The signers that are accepted, for the chain and for each bundle.
  /// - Throws: A ``ModelError`` if the chain or one of its bundles cannot be opened.
  public init(
    at path: String, backends: Backends = .standard, options: Model.Options = Model.Options(),
    trust: TrustPolicy = .unrestricted
  ) throws(ModelError) {
    let folder = try ChainDirectory(at: path, trust: trust)
    let description = try folder.description()
    var models: [String: Model] = [:]
    for step in description.steps {
      guard case .bundle(let name, _) = step.kind else { continue }
      let bundle = try ModelBundle(at: folder.bundlePath(named: name), trust: trust)
      let model = try Model(bundle, backends: backends, options: options)
      try model.createAllSessions()
      models[step.name] = model
    }
    try self.init(description, models: models)
  }

  /// Verifies the chain in a folder and its bundles without loading models, and returns its
  /// identity.
  package static func verifiedIdentity(
    at path: String, trust: TrustPolicy
  ) throws(ModelError) -> (id: String, version: String) {
    let folder = try ChainDirectory(at: path, trust: trust)
    let description = try folder.description()
    for name in description.bundleNames {
      _ = try ModelBundle(at: folder.bundlePath(named: name), trust: trust)
    }
    return (description.id, description.version)
  }
}
