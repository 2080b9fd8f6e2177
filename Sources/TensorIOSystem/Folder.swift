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
package enum Folder {
  /// The names of what is in a folder, in byte order, without `.` and `..`.
  ///
  /// The corresponding C functions are `opendir` and `readdir`.
  package static func names(in path: String) throws(FileFault) -> [String] {
    guard !path.utf8.contains(0) else { throw .nulInPath }
    guard let stream = unsafe opendir(path) else { throw .last }
    defer { unsafe closedir(stream) }
    var names: [String] = []
    while let name = try unsafe nextName(in: stream) {
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  private static func nextName(in stream: FolderStream) throws(FileFault) -> String? {
    while true {
      // At the end there is no entry either; a failure has a number besides.
      errno = 0
      if let entry = unsafe readdir(stream) {
        return unsafe withUnsafePointer(to: &entry.pointee.d_name) { name in
          unsafe String(cString: UnsafeRawPointer(name).assumingMemoryBound(to: CChar.self))
        }
      }
      if errno == EINTR { continue }
      guard errno == 0 else { throw .last }
      return nil
    }
  }

  /// Makes a folder where nothing is yet; a private one may be entered by nobody else.
  ///
  /// The corresponding C function is `mkdir`.
  package static func make(_ path: String, isPrivate: Bool = false) throws(FileFault) {
    guard !path.utf8.contains(0) else { throw .nulInPath }
    guard unsafe mkdir(path, isPrivate ? 0o700 : 0o777) == 0 else { throw .last }
  }

  /// Makes a folder, and those that it lies in, where they are not there yet.
  package static func makeAll(_ path: String) throws(FileFault) {
    guard FileKind(at: path) != .folder else { return }
    let parent = FilePath.parent(of: path)
    if parent != path { try makeAll(parent) }
    do throws(FileFault) {
      try make(path)
    } catch {
      // Somebody else may have made it in the meantime.
      guard FileKind(at: path) == .folder else { throw error }
    }
  }

  /// The folder of the system's temporary ones.
  static var temporary: String { Platform.environment("TMPDIR") ?? "/tmp" }

  /// Makes an empty folder among the system's temporary ones, which nobody else may enter.
  ///
  /// The corresponding C function is `mkdtemp`.
  package static func makeTemporary(_ name: String) throws(FileFault) -> String {
    var template = (temporary + "/" + name + ".XXXXXX").utf8CString
    let made = unsafe template.withUnsafeMutableBufferPointer { template in
      unsafe template.baseAddress.flatMap { unsafe mkdtemp($0) }.map { unsafe String(cString: $0) }
    }
    guard let made else { throw .last }
    return made
  }

  /// Gives a file or folder another name, in the place of a file that has it.
  ///
  /// The corresponding C function is `rename`.
  package static func move(_ path: String, to target: String) throws(FileFault) {
    guard !path.utf8.contains(0), !target.utf8.contains(0) else { throw .nulInPath }
    guard unsafe rename(path, target) == 0 else { throw .last }
  }

  /// Removes a file, a link, or a folder with all that is in it, as far as the system lets it.
  package static func remove(_ path: String) {
    guard !path.utf8.contains(0) else { return }
    if FileKind(at: path, followingLinks: false) == .folder {
      for name in (try? names(in: path)) ?? [] { remove(path + "/" + name) }
      unsafe rmdir(path)
    } else {
      unsafe unlink(path)
    }
  }

  /// Copies a file, or a folder with all that is in it, to where nothing is yet, and sees that it
  /// is on the disk.
  package static func copy(_ path: String, to target: String) throws(FileFault) {
    if FileKind(at: path, followingLinks: false) == .folder {
      try make(target)
      for name in try names(in: path) { try copy(path + "/" + name, to: target + "/" + name) }
    } else {
      let file = try WritableFile(creating: target)
      try file.write(from: ReadableFile(path))
      try file.close()
    }
    try syncEntry(target)
  }
}
