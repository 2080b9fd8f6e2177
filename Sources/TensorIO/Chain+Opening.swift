public import TensorIOBundle
public import TensorIOCore
public import TensorIOTasks

extension Chain {
  /// What the name of a chain's folder ends in.
  public static let pathExtension = "tiochain"

  /// Whether a path is named as chains are.
  public static func hasChainExtension(_ path: String) -> Bool {
    path.reversed().drop { $0 == "/" }.starts(with: ".\(pathExtension)".reversed())
  }

  /// Opens the chain in a folder, whose bundles lie in it or beside it.
  ///
  /// The folder is held to the policy, and so is each of the bundles.
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

  /// Which chain lies in a folder that is held to a policy, as its bundles are; no model is loaded.
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
