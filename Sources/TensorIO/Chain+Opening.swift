public import TensorIOCore
internal import TensorIOSystem
public import TensorIOTasks

extension Chain {
  /// What the name of a chain's folder ends in.
  public static let pathExtension = "tiochain"

  /// Whether a path is named as chains are.
  public static func isNamed(_ path: String) -> Bool {
    path.reversed().drop { $0 == "/" }.starts(with: ".\(pathExtension)".reversed())
  }

  /// Opens the chain in a folder, whose bundles lie in it or beside it.
  ///
  /// Each of the bundles is held to the policy.
  public init(
    at path: String, backends: Backends = .standard, options: Model.Options = Model.Options(),
    trust: TrustPolicy = .anyone
  ) throws(ModelError) {
    let folder = Self.folder(path)
    let description = try Self.description(in: folder)
    var models: [String: Model] = [:]
    for step in description.steps {
      guard case .bundle(let name, _) = step.kind else { continue }
      let bundle = try ModelBundle(at: Self.bundle(named: name, of: folder), trust: trust)
      let model = try Model(bundle, backends: backends, options: options)
      try model.makeSessions()
      models[step.name] = model
    }
    try self.init(description, models: models)
  }

  private static func description(in folder: String) throws(ModelError) -> ChainDescription {
    let bytes = try descriptionBytes(in: folder)
    do throws(ModelError) {
      return try ChainDescription(json: bytes)
    } catch {
      throw error.in(file: descriptionPath(in: folder))
    }
  }

  /// A chain's path without what may follow its name.
  static func folder(_ path: String) -> String {
    String(path.reversed().drop { $0 == "/" }.reversed())
  }

  /// The `chain.json` in a folder.
  static func descriptionBytes(in folder: String) throws(ModelError) -> [UInt8] {
    guard FileKind(at: folder) == .folder else {
      throw ModelError(.bundle, .missingBundle, file: folder)
    }
    return try FileBytes.read(
      descriptionPath(in: folder), limit: JSONLimits.description.bytes)
  }

  private static func descriptionPath(in folder: String) -> String {
    "\(folder)/\(ChainDescription.fileName)"
  }

  /// In the chain's own folder, or else beside it.
  static func bundle(named name: String, of folder: String) -> String {
    let inside = "\(folder)/\(name)"
    guard FileKind(at: inside) == nil, let resolved = FilePath.resolved(folder) else {
      return inside
    }
    let parent = resolved.split(separator: "/").dropLast().joined(separator: "/")
    return "/\(parent)/\(name)"
  }
}
