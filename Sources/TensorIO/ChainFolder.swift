internal import TensorIOCore
internal import TensorIOSystem
internal import TensorIOTasks

/// The folder of a chain: what its `chain.json` says, and where its bundles lie.
struct ChainFolder {
  private let folder: BundleFolder
  /// The text of the description.
  let bytes: [UInt8]

  /// Reads the description, and sees that the folder is what a manifest in it says, and of somebody
  /// who is trusted.
  init(at path: String, trust: TrustPolicy = .anyone) throws(ModelError) {
    folder = try BundleFolder(at: path, trust: trust)
    bytes = try folder.bytes(of: ChainDescription.fileName, limit: JSONLimits.description.bytes)
  }

  /// The folder as the caller named it, without what may follow its name.
  var path: String { folder.path }

  /// What the chain says.
  func description() throws(ModelError) -> ChainDescription {
    do throws(ModelError) {
      return try ChainDescription(json: bytes)
    } catch {
      throw error.in(file: "\(path)/\(ChainDescription.fileName)")
    }
  }

  /// A bundle's path: in the chain's own folder, or else beside it.
  func bundle(named name: String) -> String {
    holds(name) ? "\(path)/\(name)" : beside(name)
  }

  /// Whether a bundle lies in the chain's own folder.
  func holds(_ name: String) -> Bool { FileKind(at: "\(path)/\(name)") != nil }

  private func beside(_ name: String) -> String {
    guard let resolved = FilePath.resolved(path) else { return "\(path)/\(name)" }
    return FilePath.parent(of: resolved) + "/" + name
  }
}
