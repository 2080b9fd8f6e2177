#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// Folders: what is in them.
package enum Folder {
  /// The names of what is in a folder, in byte order, without `.` and `..`.
  ///
  /// The corresponding C functions are `opendir` and `readdir`.
  package static func names(in path: String) throws(FileFault) -> [String] {
    guard !path.utf8.contains(0) else { throw .nulInPath }
    guard let stream = unsafe opendir(path) else { throw .last }
    defer { unsafe closedir(stream) }
    var names: [String] = []
    while let entry = unsafe readdir(stream) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { name in
        unsafe String(cString: UnsafeRawPointer(name).assumingMemoryBound(to: CChar.self))
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }
}
