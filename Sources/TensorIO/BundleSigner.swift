package import TensorIOBundle
import TensorIOSystem
import TensorIOTasks

/// Signs bundles and chains: writes their manifest anew, and its signature beside it.
package struct BundleSigner {
  /// What was signed.
  package struct SignedBundle {
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
  package func sign(_ path: String) throws(ModelError) -> SignedBundle {
    guard FileKind(at: path) == .file else { return try sign(folder: path) }
    let unpacked = try ZipBundleUnpacker().unpack(path)
    let signed = try sign(folder: unpacked.path)
    try ModelBundle(at: unpacked.path).pack(to: path, overwriting: true)
    return withExtendedLifetime(unpacked) { SignedBundle(path: path, manifest: signed.manifest) }
  }

  /// Signs the bundles that lie in a chain's folder, and then the chain.
  ///
  /// Those that lie beside it may be of other makers, and are left as they are.
  package func sign(chain path: String) throws(ModelError) -> [SignedBundle] {
    // One that is there may be of what the chain was before.
    try BundleManifest.write(into: path, describedBy: ChainDescription.fileName)
    let folder = try ChainDirectory(at: path)
    var signed: [SignedBundle] = []
    for name in try folder.description().bundleNames where folder.contains(name) {
      signed.append(try sign(folder.bundlePath(named: name)))
    }
    return signed + [try sign(folder: folder.path)]
  }

  private func sign(folder: String) throws(ModelError) -> SignedBundle {
    let isChain = Chain.hasChainExtension(folder)
    let manifest = try BundleManifest.write(
      into: folder,
      describedBy: isChain ? ChainDescription.fileName : BundleFolder.descriptionName)
    // What cannot be opened is not signed.
    if isChain {
      _ = try ChainDirectory(at: folder).description()
    } else {
      _ = try ModelBundle(at: folder)
    }
    let path = "\(folder)/\(BundleManifest.signatureName)"
    do {
      let signature = try key.sign(manifest.bytes, comment: comment(manifest))
      try AtomicFile.write(signature.fileBytes, to: path)
    } catch let error as SigningError {
      throw ModelError(
        .runtime, .unverifiable(code: error.code, detail: error.description), file: folder)
    } catch {
      let problem = (error as? FileError)?.message ?? "\(error)"
      throw ModelError(.run, .unwritable(path, detail: problem))
    }
    return SignedBundle(path: folder, manifest: manifest)
  }

  /// What minisign says of a file, and of what it is the manifest.
  private func comment(_ manifest: BundleManifest) -> String {
    [
      "timestamp:\(Platform.unixTime)", "file:\(BundleManifest.name)", "hashed",
      "bundle:\(manifest.id.prefix(Self.maxCommentField))",
      "version:\(manifest.version.prefix(Self.maxCommentField))",
    ].joined(separator: "\t")
  }

  /// A comment is a line; an identifier may be a book.
  private static let maxCommentField = 200
}
