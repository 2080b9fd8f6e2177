#if canImport(Darwin)
  private typealias DirectoryStream = UnsafeMutablePointer<DIR>
#else
  private typealias DirectoryStream = OpaquePointer
#endif

/// Operations on directories and files.
package enum FileSystem {
  /// Returns the names of the entries of a directory, in byte order, without `.` and `..`.
  ///
  /// The corresponding C functions are `opendir` and `readdir`.
  package static func entryNames(in path: String) throws(FileError) -> [String] {
    guard !path.utf8.contains(0) else { throw .nulInPath }
    guard let stream = unsafe opendir(path) else { throw .lastError }
    defer { unsafe closedir(stream) }
    var names: [String] = []
    while let name = try unsafe nextEntryName(in: stream) {
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  /// Creates a symbolic link.
  ///
  /// The corresponding C function is `symlink`.
  ///
  /// - Parameters:
  ///   - target: The path that the link leads to.
  ///   - path: The path of the link.
  /// - Throws: ``FileError`` if the link cannot be created.
  package static func createLink(to target: String, at path: String) throws(FileError) {
    guard !target.utf8.contains(0), !path.utf8.contains(0) else { throw .nulInPath }
    guard unsafe symlink(target, path) == 0 else { throw .lastError }
  }

  /// The position of an entry's name.
  ///
  /// Access to the field would copy all 256 bytes that a name can have, and the memory of an entry
  /// ends after the name.
  private static let nameOffset = MemoryLayout<dirent>.offset(of: \.d_name) ?? 0

  private static func nextEntryName(in stream: DirectoryStream) throws(FileError) -> String? {
    while true {
      // `readdir` returns null at the end and on errors; only errors set `errno`.
      errno = 0
      if let entry = unsafe readdir(stream) {
        let name = unsafe UnsafeRawPointer(entry).advanced(by: nameOffset)
        return unsafe String(cString: name.assumingMemoryBound(to: CChar.self))
      }
      if errno == EINTR { continue }
      guard errno == 0 else { throw .lastError }
      return nil
    }
  }

  /// Creates a directory.
  ///
  /// Only the owner can access a private one.
  ///
  /// The corresponding C function is `mkdir`.
  package static func createDirectory(_ path: String, isPrivate: Bool = false) throws(FileError) {
    guard !path.utf8.contains(0) else { throw .nulInPath }
    guard unsafe mkdir(path, isPrivate ? 0o700 : 0o777) == 0 else { throw .lastError }
  }

  /// Creates a directory and its missing parents.
  package static func createDirectories(_ path: String) throws(FileError) {
    guard FileKind(at: path) != .directory else { return }
    let parent = FilePath.parent(of: path)
    if parent != path { try createDirectories(parent) }
    do throws(FileError) {
      try createDirectory(path)
    } catch {
      // Another process may have created it in the meantime.
      guard FileKind(at: path) == .directory else { throw error }
    }
  }

  /// Whether files cannot be created in a directory, or the directory itself cannot be created:
  /// the file system is read-only, or the permissions deny it.
  ///
  /// The corresponding C function is `access`.
  package static func isReadOnly(_ path: String) -> Bool {
    var existing = path
    while FileKind(at: existing) == nil, FilePath.parent(of: existing) != existing {
      existing = FilePath.parent(of: existing)
    }
    guard unsafe access(existing, W_OK | X_OK) != 0 else { return false }
    return [EROFS, EACCES, EPERM].contains(errno)
  }

  /// The system's directory for temporary files.
  package static var temporaryDirectory: String { Platform.environment("TMPDIR") ?? "/tmp" }

  /// Creates a directory in the system's temporary directory that only the user can access.
  ///
  /// The corresponding C function is `mkdtemp`.
  package static func createTemporaryDirectory(_ name: String) throws(FileError) -> String {
    var template = (temporaryDirectory + "/" + name + ".XXXXXX").utf8CString
    let path = unsafe template.withUnsafeMutableBufferPointer { template in
      unsafe template.baseAddress.flatMap { unsafe mkdtemp($0) }.map { unsafe String(cString: $0) }
    }
    guard let path else { throw .lastError }
    return path
  }

  /// Renames a file or directory, replacing an existing file.
  ///
  /// The corresponding C function is `rename`.
  package static func move(_ path: String, to target: String) throws(FileError) {
    guard !path.utf8.contains(0), !target.utf8.contains(0) else { throw .nulInPath }
    guard unsafe rename(path, target) == 0 else { throw .lastError }
  }

  /// Removes a file, a symbolic link, or a directory and its contents.
  ///
  /// Errors are ignored.
  package static func remove(_ path: String) {
    guard !path.utf8.contains(0) else { return }
    if FileKind(at: path, followingSymlinks: false) == .directory {
      for name in (try? entryNames(in: path)) ?? [] { remove(path + "/" + name) }
      unsafe rmdir(path)
    } else {
      unsafe unlink(path)
    }
  }

  /// Copies a file, or a directory and its contents, to a path that does not exist, and flushes the
  /// copy to disk.
  package static func copy(_ path: String, to target: String) throws(FileError) {
    if FileKind(at: path, followingSymlinks: false) == .directory {
      try createDirectory(target)
      for name in try entryNames(in: path) { try copy(path + "/" + name, to: target + "/" + name) }
    } else {
      let file = try WritableFile(creating: target)
      try file.write(from: ReadableFile(path))
      try file.close()
    }
    try syncItem(target)
  }
}
