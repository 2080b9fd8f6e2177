#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// Why a library of the system could not be used.
package struct DynamicLibraryError: Error, Hashable {
  /// Where it was looked for: a path, or a name that the system knows the place of.
  package let path: String
  /// What is the matter, in a few words.
  package let message: String
}

/// Libraries that are opened when they are needed, and stay open.
package enum DynamicLibrary {
  /// A C function that opens a library at a path and gives its table of functions, or a text that
  /// says what is the matter.
  package typealias Opening<Table> = (
    UnsafePointer<CChar>, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
  ) -> UnsafePointer<Table>?

  /// The functions of the library at the first of some paths that has one.
  package static func open<Table>(
    firstOf paths: [String], _ opening: Opening<Table>
  ) throws(DynamicLibraryError) -> UnsafePointer<Table> {
    for path in paths.dropLast() {
      if let table = unsafe try? open(path, opening) { return unsafe table }
    }
    return try unsafe open(paths.last ?? "", opening)
  }

  /// The functions of the library at a path.
  package static func open<Table>(
    _ path: String, _ opening: Opening<Table>
  ) throws(DynamicLibraryError) -> UnsafePointer<Table> {
    var problem: UnsafeMutablePointer<CChar>?
    if let table = unsafe path.withCString({ unsafe opening($0, &problem) }) {
      return unsafe table
    }
    let text = unsafe takeString(problem) ?? "no memory"
    throw DynamicLibraryError(path: path, message: text)
  }

  /// A text that C gave away, as a string; `nil` where there is none.
  package static func takeString(_ text: UnsafeMutablePointer<CChar>?) -> String? {
    guard let text = unsafe text else { return nil }
    defer { unsafe free(text) }
    return unsafe String(cString: text)
  }
}
