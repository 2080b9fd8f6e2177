package import TensorIOBundle
import TensorIOSystem
import TensorIOTasks

/// Signs bundles and chains: writes their manifest and its signature.
package struct BundleSigner {
  /// A signed bundle or chain.
  package struct SignedBundle {
    /// The path of the folder or zip archive.
    package let path: String
    /// The manifest that was signed.
    package let manifest: BundleManifest
  }

  private let key: SecretKey

  /// Creates a signer with a key.
  package init(with key: SecretKey) {
    self.key = key
  }

  /// Signs a chain with the bundles inside its folder, or a bundle.
  package func sign(_ path: String) throws(ModelError) -> [SignedBundle] {
    try ModelBundle.isChain(path) ? sign(chain: path) : [sign(bundle: path)]
  }

  /// Signs the bundle in a folder, or in a zip archive, which is replaced.
  private func sign(bundle path: String) throws(ModelError) -> SignedBundle {
    guard let unpacked = try ZipBundleUnpacker().unpack(path) else {
      return try sign(folder: path)
    }
    let signed = try sign(folder: unpacked.path)
    try ModelBundle(at: unpacked.path).pack(to: path, overwriting: true)
    return withExtendedLifetime(unpacked) { SignedBundle(path: path, manifest: signed.manifest) }
  }

  /// Signs the bundles inside a chain's folder, and then the chain.
  ///
  /// Bundles next to the folder may have other signers and are not changed.
  private func sign(chain path: String) throws(ModelError) -> [SignedBundle] {
    // An existing manifest may describe an earlier state of the chain.
    try BundleManifest.write(into: path, describedBy: ChainDescription.fileName)
    let folder = try ChainDirectory(at: path)
    var signed: [SignedBundle] = []
    for name in try folder.description().bundleNames where folder.contains(name) {
      signed.append(try sign(bundle: folder.bundlePath(named: name)))
    }
    return signed + [try sign(folder: folder.path, isChain: true)]
  }

  private func sign(
    folder: String, isChain: Bool = false
  ) throws(ModelError) -> SignedBundle {
    let manifest = try BundleManifest.write(
      into: folder,
      describedBy: isChain ? ChainDescription.fileName : BundleFolder.descriptionName)
    // A bundle that cannot be opened is not signed.
    if isChain {
      _ = try ChainDirectory(at: folder).description()
    } else {
      _ = try ModelBundle(at: folder)
    }
    let path = "\(folder)/\(BundleManifest.signatureName)"
    do {
      let signature = try key.sign(manifest.bytes, comment: comment(manifest))
      try AtomicFile.write(signature.fileBytes, to: path)
    } catch let error as ModelError {
      throw error.in(file: folder)
    } catch {
      let detail = (error as? FileError)?.message ?? "\(error)"
      throw ModelError(.run, .unwritable(path, detail: detail))
    }
    return SignedBundle(path: folder, manifest: manifest)
  }

  /// Returns the trusted comment: minisign's standard fields, and the identity of the bundle.
  private func comment(_ manifest: BundleManifest) -> String {
    [
      "timestamp:\(Platform.unixTime)", "file:\(BundleManifest.name)", "hashed",
      "bundle:\(manifest.id.prefix(Self.maxCommentField))",
      "version:\(manifest.version.prefix(Self.maxCommentField))",
    ].joined(separator: "\t")
  }

  /// The maximum length of an identifier or version in the comment, which is a single line.
  private static let maxCommentField = 200
}
