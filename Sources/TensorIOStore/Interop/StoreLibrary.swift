internal import CSQLite

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// SQLite's functions, as found in the opened library, which stays open.
// Unchecked, but safe: the table is never written again.
@safe package struct StoreLibrary: @unchecked Sendable {
  let functions: UnsafePointer<CSQLiteTable>

  #if os(macOS)
    private static let name = "libsqlite3.dylib"
  #else
    private static let name = "libsqlite3.so.0"
  #endif

  /// Opens the library at a path, or by its usual name.
  package init(path: String? = nil) throws(StoreError) {
    let path = path ?? Self.name
    var problem: UnsafeMutablePointer<CChar>?
    guard let table = unsafe csqlite_open(path, &problem) else {
      let text = unsafe problem.map { unsafe String(cString: $0) } ?? "no memory"
      unsafe free(problem)
      throw StoreError(.libraryMissing(path: path, problem: text))
    }
    unsafe functions = table
  }

  /// The library of this system, opened by the first who asks.
  package static var standard: StoreLibrary {
    get throws(StoreError) { try opened.get() }
  }

  private static let opened = Result { () throws(StoreError) in try StoreLibrary() }

  /// The library's name and version, as `SQLite 3.40.1`.
  package var version: String {
    unsafe "SQLite " + String(cString: functions.pointee.sqlite3_libversion())
  }
}
