extension ModelBundle {
  /// A bundle of which nothing lies at its path but what made it, with the files of another one.
  package init(_ description: ModelDescription, at path: String, filesOf other: ModelBundle) {
    self.description = description
    warnings = []
    folder = BundleFolder(path: path, filesOf: other.folder)
    origin = nil
  }
}

extension BundleFolder {
  fileprivate init(path: String, filesOf other: BundleFolder) {
    self.init(path: path, root: other.root, unpacked: nil, manifest: other.manifest)
  }
}
