#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

#if canImport(Darwin)
  private typealias FolderStream = UnsafeMutablePointer<DIR>
#else
  private typealias FolderStream = OpaquePointer
#endif

/// Folders: what is in them, and making, moving and removing them.
package enum FileSystem {
  /// The names of what is in a folder, in byte order, without `.` and `..`.
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

  private static func nextEntryName(in stream: FolderStream) throws(FileError) -> String? {
    while true {
      // At the end there is no entry either; a failure has a number besides.
      errno = 0
      if let entry = unsafe readdir(stream) {
        return unsafe withUnsafePointer(to: &entry.pointee.d_name) { name in
          unsafe String(cString: UnsafeRawPointer(name).assumingMemoryBound(to: CChar.self))
        }
      }
      if errno == EINTR { continue }
      guard errno == 0 else { throw .lastError }
      return nil
    }
  }

  /// Makes a folder where nothing is yet; a private one may be entered by nobody else.
  ///
  /// The corresponding C function is `mkdir`.
  package static func createDirectory(_ path: String, isPrivate: Bool = false) throws(FileError) {
    guard !path.utf8.contains(0) else { throw .nulInPath }
    guard unsafe mkdir(path, isPrivate ? 0o700 : 0o777) == 0 else { throw .lastError }
  }

  /// Makes a folder, and those that it lies in, where they are not there yet.
  package static func createDirectories(_ path: String) throws(FileError) {
    guard FileKind(at: path) != .directory else { return }
    let parent = FilePath.parent(of: path)
    if parent != path { try createDirectories(parent) }
    do throws(FileError) {
      try createDirectory(path)
    } catch {
      // Somebody else may have made it in the meantime.
      guard FileKind(at: path) == .directory else { throw error }
    }
  }

  /// The folder of the system's temporary ones.
  static var temporaryDirectory: String { Platform.environment("TMPDIR") ?? "/tmp" }

  /// Makes an empty folder among the system's temporary ones, which nobody else may enter.
  ///
  /// The corresponding C function is `mkdtemp`.
  package static func createTemporaryDirectory(_ name: String) throws(FileError) -> String {
    var template = (temporaryDirectory + "/" + name + ".XXXXXX").utf8CString
    let made = unsafe template.withUnsafeMutableBufferPointer { template in
      unsafe template.baseAddress.flatMap { unsafe mkdtemp($0) }.map { unsafe String(cString: $0) }
    }
    guard let made else { throw .lastError }
    return made
  }

  /// Gives a file or folder another name, in the place of a file that has it.
  ///
  /// The corresponding C function is `rename`.
  package static func move(_ path: String, to target: String) throws(FileError) {
    guard !path.utf8.contains(0), !target.utf8.contains(0) else { throw .nulInPath }
    guard unsafe rename(path, target) == 0 else { throw .lastError }
  }

  /// Removes a file, a link, or a folder with all that is in it, as far as the system lets it.
  package static func remove(_ path: String) {
    guard !path.utf8.contains(0) else { return }
    if FileKind(at: path, followingSymlinks: false) == .directory {
      for name in (try? entryNames(in: path)) ?? [] { remove(path + "/" + name) }
      unsafe rmdir(path)
    } else {
      unsafe unlink(path)
    }
  }

  /// Copies a file, or a folder with all that is in it, to where nothing is yet, and sees that it
  /// is on the disk.
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
