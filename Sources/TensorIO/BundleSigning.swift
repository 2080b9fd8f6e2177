package import TensorIOCore
package import TensorIOIntegrity
internal import TensorIOSystem
internal import TensorIOTasks

/// Signs bundles and chains: writes their manifest anew, and its signature beside it.
package struct BundleSigning {
  /// What was signed.
  package struct Signed {
    /// The folder, or the zip.
    package let path: String
    /// What is signed: which bundle, or chain, of which version, and all of its files.
    package let manifest: BundleManifest
  }

  private let key: SecretKey

  /// Signs with a key.
  package init(with key: SecretKey) {
    self.key = key
  }

  /// Signs the bundle in a folder, or in a zip, which is packed again.
  package func sign(_ path: String) throws(ModelError) -> Signed {
    guard FileKind(at: path) == .file else { return try sign(folder: path) }
    let unpacked = try BundleArchives().unpack(path)
    let signed = try sign(folder: unpacked.path)
    try ModelBundle(at: unpacked.path).pack(to: path, replacing: true)
    return withExtendedLifetime(unpacked) { Signed(path: path, manifest: signed.manifest) }
  }

  /// Signs the bundles that lie in a chain's folder, and then the chain.
  ///
  /// Those that lie beside it may be of other makers, and are left as they are.
  package func sign(chain path: String) throws(ModelError) -> [Signed] {
    // One that is there may be of what the chain was before.
    try BundleManifest.write(into: path, describedBy: ChainDescription.fileName)
    let folder = try ChainFolder(at: path)
    var signed: [Signed] = []
    for name in try folder.description().bundleNames where folder.holds(name) {
      signed.append(try sign(folder.bundle(named: name)))
    }
    return signed + [try sign(folder: folder.path)]
  }

  private func sign(folder: String) throws(ModelError) -> Signed {
    let isChain = Chain.isNamed(folder)
    let manifest = try BundleManifest.write(
      into: folder,
      describedBy: isChain ? ChainDescription.fileName : BundleFolder.descriptionName)
    // What cannot be opened is not signed.
    if isChain {
      _ = try ChainFolder(at: folder).description()
    } else {
      _ = try ModelBundle(at: folder)
    }
    let path = "\(folder)/\(BundleManifest.signatureName)"
    do {
      let signature = try key.sign(manifest.bytes, comment: comment(manifest))
      try CompleteFile.write(signature.file, to: path)
    } catch let error as IntegrityError {
      throw ModelError(
        .runtime, .unverifiable(code: error.code, problem: error.description), file: folder)
    } catch {
      let problem = (error as? FileFault)?.problem ?? "\(error)"
      throw ModelError(.run, .unwritable(path, problem: problem))
    }
    return Signed(path: folder, manifest: manifest)
  }

  /// What minisign says of a file, and of what it is the manifest.
  private func comment(_ manifest: BundleManifest) -> String {
    [
      "timestamp:\(Platform.secondsNow)", "file:\(BundleManifest.name)", "hashed",
      "bundle:\(manifest.id.prefix(Self.longest))",
      "version:\(manifest.version.prefix(Self.longest))",
    ].joined(separator: "\t")
  }

  /// A comment is a line; an identifier may be a book.
  private static let longest = 200
}
