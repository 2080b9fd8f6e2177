/// An error from opening a shared library.
package struct DynamicLibraryError: Error, Hashable {
  /// The path of the library, or the name that the dynamic linker resolves.
  package let path: String
  /// A short description of the error.
  package let message: String
}

/// Shared libraries that are opened on demand and never closed.
package enum DynamicLibrary {
  /// A C function that opens the library at a path and returns its function table, or sets an error
  /// message, which the caller frees.
  package typealias OpenFunction<Table> = (
    UnsafePointer<CChar>, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
  ) -> UnsafePointer<Table>?

  /// The library of the Python package with the functions of cairo, FreeType, libwebp, libsodium and
  /// expat.
  ///
  /// The dynamic linker finds it beside the library that opens it. It exists in the Python package
  /// only; its name differs from those of the system's libraries, so that no other package of the
  /// process is linked to it.
  package static let bundledName = "libtensorio-optional.so"

  /// Opens the library at a path, and returns its function table.
  ///
  /// Without a path, it opens the library of the Python package, or else the first of the system's
  /// names that can be opened.
  package static func open<Table>(
    _ path: String?, orFirstOf systemNames: [String], _ openFunction: OpenFunction<Table>
  ) throws(DynamicLibraryError) -> UnsafePointer<Table> {
    let paths = path.map { [$0] } ?? [bundledName] + systemNames
    for path in paths.dropLast() {
      if let table = unsafe try? open(path, openFunction) { return unsafe table }
    }
    return try unsafe open(paths.last ?? "", openFunction)
  }

  /// Opens the library at a path and returns its function table.
  package static func open<Table>(
    _ path: String, _ openFunction: OpenFunction<Table>
  ) throws(DynamicLibraryError) -> UnsafePointer<Table> {
    var message: UnsafeMutablePointer<CChar>?
    if let table = unsafe path.withCString({ unsafe openFunction($0, &message) }) {
      return unsafe table
    }
    let text = unsafe takeString(message) ?? "out of memory"
    throw DynamicLibraryError(path: path, message: text)
  }

  /// Returns a C string as a `String` and frees it; `nil` if the pointer is null.
  package static func takeString(_ text: UnsafeMutablePointer<CChar>?) -> String? {
    guard let text = unsafe text else { return nil }
    defer { unsafe free(text) }
    return unsafe String(cString: text)
  }
}
