#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// Names beside a place, and the moving of what has one into that place.
package enum Placement {
  /// A name that nobody else uses, in the same folder, so that what has it can be moved.
  package static func beside(_ path: String) -> String {
    "\(path).\(UInt32.random(in: 0 ... .max))\(ending)"
  }

  private static let ending = ".part"

  /// Removes the folders that writers which were killed have left beside a path.
  ///
  /// Those that are still at work hold a ``FolderLock``.
  package static func removeLeftovers(beside path: String) {
    let start = (path.split(separator: "/").last ?? "") + "."
    let folder = FilePath.parent(of: path)
    for name in (try? Folder.names(in: folder)) ?? []
    where name.hasPrefix(start) && name.hasSuffix(ending) {
      let number = name.dropFirst(start.count).dropLast(ending.count)
      if UInt32(number) != nil { FolderLock.removeLeftover(folder + "/" + name) }
    }
  }

  /// Moves something to a path, in the place of what is there.
  ///
  /// Where the system can exchange two names, whoever looks finds the old or the new one at any
  /// moment. Where it cannot, a folder moves aside first, and back when the new one cannot come.
  package static func move(_ staging: String, to path: String) throws(FileFault) {
    let old = FileKind(at: path, followingLinks: false)
    let isFile = FileKind(at: staging, followingLinks: false) == .file
    if old == nil || old == .file && isFile { return try Folder.move(staging, to: path) }
    if exchange(staging, path) { return Folder.remove(staging) }
    try moveAside(staging, path)
  }

  private static func moveAside(_ staging: String, _ path: String) throws(FileFault) {
    let old = beside(path)
    try Folder.move(path, to: old)
    do throws(FileFault) {
      try Folder.move(staging, to: path)
    } catch {
      try Folder.move(old, to: path)
      throw error
    }
    Folder.remove(old)
  }

  /// Exchanges the names of two files or folders; false where the system cannot.
  ///
  /// The corresponding function is `renameat2`, which only newer C libraries have.
  private static func exchange(_ first: String, _ second: String) -> Bool {
    #if os(Linux)
      typealias Rename =
        @convention(c) (CInt, UnsafePointer<CChar>, CInt, UnsafePointer<CChar>, CUnsignedInt)
        -> CInt
      guard !first.utf8.contains(0), !second.utf8.contains(0),
        let symbol = unsafe dlsym(nil, "renameat2")
      else { return false }
      let rename = unsafe unsafeBitCast(symbol, to: Rename.self)
      let exchangeNames: CUnsignedInt = 2
      return unsafe rename(AT_FDCWD, first, AT_FDCWD, second, exchangeNames) == 0
    #else
      return false
    #endif
  }
}

extension Folder {
  /// Sees that a file, or a folder with all that is in it, is on the disk and not only on its way.
  ///
  /// The corresponding C function is `fsync`.
  package static func sync(_ path: String) throws(FileFault) {
    if FileKind(at: path, followingLinks: false) == .folder {
      for name in try names(in: path) { try sync(path + "/" + name) }
    }
    try syncEntry(path)
  }

  /// Sees that the names in a folder are on the disk.
  package static func syncEntry(_ path: String) throws(FileFault) {
    guard !path.utf8.contains(0) else { throw .nulInPath }
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .last }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw .last }
  }
}
