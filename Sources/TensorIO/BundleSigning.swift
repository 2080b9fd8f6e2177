package import TensorIOCore
package import TensorIOIntegrity
internal import TensorIOSystem

/// Signs bundles: writes their manifest anew, and its signature beside it.
package struct BundleSigning {
  private let key: SecretKey

  /// Signs with a key.
  package init(with key: SecretKey) {
    self.key = key
  }

  /// Signs the bundle in a folder, or in a zip, which is packed again, and returns it.
  package func sign(_ path: String) throws(ModelError) -> ModelBundle {
    guard FileKind(at: path) == .file else { return try sign(folder: path) }
    let unpacked = try BundleArchives().unpack(path)
    let bundle = try sign(folder: unpacked.path)
    try bundle.pack(to: path, replacing: true)
    return withExtendedLifetime(unpacked) { bundle }
  }

  private func sign(folder: String) throws(ModelError) -> ModelBundle {
    let manifest = try BundleManifest.write(into: folder)
    // What cannot be opened is not signed.
    let bundle = try ModelBundle(at: folder)
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
    return bundle
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
