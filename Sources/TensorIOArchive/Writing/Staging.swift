internal import TensorIOSystem

/// A file or folder that is made beside its final place and appears there complete or not at all.
package enum Staging {
  /// Makes something at a path, by way of another path beside it.
  package static func replace(
    _ path: String, replacing: Bool, _ make: (_ staging: String) throws(ArchiveError) -> Void
  ) throws(ArchiveError) {
    let path = withoutTrailingSlashes(path)
    try refuse(path, unless: replacing)
    let staging = beside(path)
    do throws(ArchiveError) {
      try make(staging)
      try refuse(path, unless: replacing)  // somebody else may have been faster
      try place(staging, at: path)
    } catch {
      Folder.remove(staging)
      throw error
    }
  }

  private static func refuse(_ path: String, unless replacing: Bool) throws(ArchiveError) {
    guard !replacing, FileKind(at: path, followingLinks: false) != nil else { return }
    throw ArchiveError(.alreadyThere(path))
  }

  /// A folder cannot be renamed onto another, so what is there moves aside first, and back when
  /// the new one cannot take its place.
  private static func place(_ staging: String, at path: String) throws(ArchiveError) {
    do throws(FileFault) {
      guard FileKind(at: path, followingLinks: false) != nil else {
        return try Folder.move(staging, to: path)
      }
      let old = beside(path)
      try Folder.move(path, to: old)
      do throws(FileFault) {
        try Folder.move(staging, to: path)
      } catch {
        try Folder.move(old, to: path)
        throw error
      }
      Folder.remove(old)
    } catch {
      throw ArchiveError(.unwritable(path, problem: error.problem))
    }
  }

  /// A name that nobody else uses, in the same folder, so that it can be renamed.
  private static func beside(_ path: String) -> String {
    "\(path).\(UInt32.random(in: 0 ... .max)).part"
  }

  private static func withoutTrailingSlashes(_ path: String) -> String {
    var path = path
    while path.count > 1, path.hasSuffix("/") { path.removeLast() }
    return path
  }
}
