internal import TensorIOSystem

extension BundleManifest {
  /// Takes the manifest of what is in a folder now.
  package init(of folder: String) throws(ModelError) {
    let paths = try BundleListing(of: folder).paths
    if let hidden = paths.first(where: \.hasHiddenPart) {
      throw .altered("'\(hidden)' is hidden, and hidden files are not packed: remove it")
    }
    try self.init(paths.map { ($0, "\(folder)/\($0)") })
  }

  /// Takes the manifest of files that lie anywhere, by the paths that they have in their bundle.
  package init(_ files: [(name: String, path: String)]) throws(ModelError) {
    let listed = files.filter { !Self.ownNames.contains($0.name) }
      .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    self.files = try listed.map { (name, path) throws(ModelError) in try File(name, at: path) }
    let identity = try Self.identity(in: listed)
    (id, version) = (identity.id, identity.version)
  }

  /// What the description of a bundle or of a chain says, whatever else is wrong with it.
  private static func identity(
    in files: [(name: String, path: String)]
  ) throws(ModelError) -> (id: String, version: String) {
    let found = descriptionNames.lazy.compactMap { name in files.first { $0.name == name } }.first
    guard let found else {
      throw ModelError(.bundle, .missingFile(BundleFolder.descriptionName))
    }
    let bytes = try FileBytes.read(
      found.path, named: found.name, limit: JSONLimits.descriptionBytes)
    let root = try? JSONDocument(parsing: bytes, dialect: .description).root
    return (root?["id"]?.string ?? "", root?["version"]?.string ?? "")
  }
}

extension BundleManifest.File {
  init(_ name: String, at path: String) throws(ModelError) {
    do throws(FileFault) {
      let (digest, byteCount) = try SHA256.digest(ofFile: path)
      self.init(path: name, byteCount: byteCount, digest: digest.hexadecimal)
    } catch {
      throw ModelError(.bundle, error.reason(named: name))
    }
  }
}

extension String {
  fileprivate var hasHiddenPart: Bool {
    split(separator: "/").contains { $0.hasPrefix(".") }
  }
}
