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
  public init(
    at path: String, backends: Backends = .standard, options: Model.Options = Model.Options()
  ) throws(ModelError) {
    let folder = String(path.reversed().drop { $0 == "/" }.reversed())
    let description = try Self.description(in: folder)
    var models: [String: Model] = [:]
    for step in description.steps {
      guard case .bundle(let name, _) = step.kind else { continue }
      let bundle = try ModelBundle(at: Self.bundle(named: name, of: folder))
      let model = try Model(bundle, backends: backends, options: options)
      try model.makeSessions()
      models[step.name] = model
    }
    try self.init(description, models: models)
  }

  private static func description(in folder: String) throws(ModelError) -> ChainDescription {
    guard FileKind(at: folder) == .folder else {
      throw ModelError(.bundle, .missingBundle, file: folder)
    }
    let path = "\(folder)/\(ChainDescription.fileName)"
    let bytes = try FileBytes.read(path, limit: JSONLimits.description.bytes)
    do throws(ModelError) {
      return try ChainDescription(json: bytes)
    } catch {
      throw error.in(file: path)
    }
  }

  /// In the chain's own folder, or else beside it.
  private static func bundle(named name: String, of folder: String) -> String {
    let inside = "\(folder)/\(name)"
    guard FileKind(at: inside) == nil, let resolved = FilePath.resolved(folder) else {
      return inside
    }
    let parent = resolved.split(separator: "/").dropLast().joined(separator: "/")
    return "/\(parent)/\(name)"
  }
}
