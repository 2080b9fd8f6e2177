internal import TensorIOSystem

/// The files that are in a bundle's folder, if there is nothing but files and folders that they lie in.
struct BundleListing {
  /// Where the files lie in the folder, by the bytes of their paths; without the manifest and its
  /// signature.
  private(set) var paths: [String] = []

  private let root: String

  /// Lists a folder.
  init(of root: String) throws(ModelError) {
    self.root = root
    for name in try names(in: "") where !BundleManifest.ownNames.contains(name) {
      try add(name)
    }
    paths.sort { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  private mutating func add(_ path: String) throws(ModelError) {
    guard paths.count < BundleManifest.mostFiles else {
      throw .altered("there are more than \(BundleManifest.mostFiles) files")
    }
    // Also keeps a folder from being gone through for ever.
    guard BundlePath.fault(of: path) == nil else {
      throw .altered("'\(path)' cannot be the name of a file in a bundle")
    }
    switch FileKind(at: "\(root)/\(path)", followingLinks: false) {
    case .file: paths.append(path)
    case .folder: try addFolder(path)
    case .other: throw .altered("'\(path)' is a link or a device")
    case nil: throw .altered("'\(path)' went while it was looked at")
    }
  }

  private mutating func addFolder(_ path: String) throws(ModelError) {
    let names = try names(in: path)
    guard !names.isEmpty else { throw .altered("the folder '\(path)' is empty") }
    for name in names { try add("\(path)/\(name)") }
  }

  private func names(in path: String) throws(ModelError) -> [String] {
    do throws(FileFault) {
      return try Folder.names(in: path.isEmpty ? root : "\(root)/\(path)")
    } catch {
      throw .altered("the folder '\(path)' cannot be read: \(error.problem)")
    }
  }
}
