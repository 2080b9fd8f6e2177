/// The names of an archive so far: no two of them may be the same to any file system.
///
/// Some take `A` and `a` for one name, some `é` as one character or as two. Of the names of a zip
/// that one system packed, another would then write one file over the other.
struct NameTree {
  private struct Known {
    let name: String
    let isFolder: Bool
    /// Whether the archive lists it, rather than something inside it.
    var isListed: Bool
  }

  private var known: [String: Known] = [:]

  /// Adds a name and the folders on the way to it.
  mutating func add(_ name: EntryName, isFolder: Bool) throws(ArchiveError) {
    var path = ""
    for (depth, part) in name.parts.enumerated() {
      path += (depth == 0 ? "" : "/") + part
      let isLast = depth == name.parts.count - 1
      try add(Known(name: path, isFolder: isFolder || !isLast, isListed: isLast))
    }
  }

  /// A folder may be on the way to many names, but nothing is listed twice.
  private mutating func add(_ new: Known) throws(ArchiveError) {
    // Swift compares strings by what they look like, so that only the case has to be folded.
    let key = new.name.uppercased().lowercased()
    guard let old = known[key] else {
      known[key] = new
      return
    }
    let isSameFolder = old.isFolder && new.isFolder && old.name.utf8.elementsEqual(new.name.utf8)
    guard isSameFolder, !(old.isListed && new.isListed) else {
      throw ArchiveError(.collidingNames(first: old.name), entry: new.name)
    }
    known[key]?.isListed = old.isListed || new.isListed
  }
}
