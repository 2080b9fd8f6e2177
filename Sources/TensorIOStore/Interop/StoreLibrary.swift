internal import CSQLite
internal import TensorIOSystem

/// SQLite's functions, as found in the opened library, which stays open.
// Unchecked, but safe: the table is never written again.
@safe package struct StoreLibrary: @unchecked Sendable {
  let functions: UnsafePointer<CSQLiteTable>

  #if os(macOS)
    private static let names = ["libsqlite3.dylib"]
  #else
    private static let names = ["libsqlite3.so.0"]
  #endif

  /// Opens the library at a path, or by its usual name.
  package init(path: String? = nil) throws(StoreError) {
    do throws(SystemLibraryFault) {
      unsafe functions = try SystemLibrary.open(
        firstOf: path.map { [$0] } ?? Self.names, csqlite_open)
    } catch {
      throw StoreError(.libraryMissing(path: error.path, problem: error.problem))
    }
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
