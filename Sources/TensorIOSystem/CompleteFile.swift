/// Files that appear complete or not at all.
package enum CompleteFile {
  /// Writes beside the path and renames, so that nobody ever sees half a file; one that is private
  /// nobody but its owner may read.
  package static func write(
    _ bytes: [UInt8], to path: String, isPrivate: Bool = false
  ) throws(FileFault) {
    let beside = Placement.beside(path)
    do throws(FileFault) {
      let file = try WritableFile(creating: beside, isPrivate: isPrivate)
      try file.write(bytes, at: 0)
      try file.close()
      try Folder.move(beside, to: path)
    } catch {
      Folder.remove(beside)
      throw error
    }
  }
}
