internal import TensorIOSystem

extension BundleManifest {
  /// Writes the manifest of what is in a folder into it, in the place of one that is there.
  ///
  /// A signature that is there is of another manifest, and goes; so do folders that hold nothing.
  @discardableResult
  package static func write(
    into folder: String, describedBy description: String = BundleFolder.descriptionName
  ) throws(ModelError) -> BundleManifest {
    guard FileKind(at: "\(folder)/\(description)") == .file else {
      throw ModelError(.bundle, .missingFile(description), file: folder)
    }
    removeEmptyFolders(in: folder)
    let manifest = try BundleManifest(of: folder)
    try WholeFolder.at("\(folder)/\(name)") { () throws(FileFault) in
      Folder.remove("\(folder)/\(signatureName)")
      try CompleteFile.write(manifest.bytes, to: "\(folder)/\(name)")
    }
    return manifest
  }

  /// Whether there is nothing left of a folder's content is known when that has been gone through.
  private static func removeEmptyFolders(in folder: String) {
    for name in (try? Folder.names(in: folder)) ?? [] {
      let path = "\(folder)/\(name)"
      guard FileKind(at: path, followingLinks: false) == .folder else { continue }
      removeEmptyFolders(in: path)
      if (try? Folder.names(in: path))?.isEmpty == true { Folder.remove(path) }
    }
  }
}
