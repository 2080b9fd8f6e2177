internal import TensorIOSystem

/// A file or folder that is made beside its final place and appears there complete or not at all.
package enum Staging {
  /// Makes something at a path, by way of another path beside it.
  package static func replace(
    _ path: String, replacing: Bool, _ make: (_ staging: String) throws(ArchiveError) -> Void
  ) throws(ArchiveError) {
    let path = FilePath.withoutTrailingSlashes(path)
    try refuse(path, unless: replacing)
    let staging = Placement.beside(path)
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

  private static func place(_ staging: String, at path: String) throws(ArchiveError) {
    do throws(FileFault) {
      try Placement.move(staging, to: path)
    } catch {
      throw ArchiveError(.unwritable(path, problem: error.problem))
    }
  }
}
