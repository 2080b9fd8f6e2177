extension Int {
  /// The number of bytes in megabytes, rounded down.
  package var megabytes: Int { self / 1_000_000 }
}

extension FileSystem {
  /// Returns the size of a file, or the total size of the files in a folder, in bytes.
  package static func byteCount(of path: String) -> Int {
    guard FileKind(at: path, followingSymlinks: false) == .directory else {
      return (try? ReadableFile(path))?.byteCount ?? 0
    }
    return ((try? entryNames(in: path)) ?? []).reduce(0) { $0 + byteCount(of: path + "/" + $1) }
  }
}
