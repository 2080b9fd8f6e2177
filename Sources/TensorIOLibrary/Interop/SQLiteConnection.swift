import CSQLite
import TensorIOSystem

/// Owns one `sqlite3 *`.
@safe final class SQLiteConnection {
  let path: String
  let library: SQLiteLibrary
  private(set) var handle: OpaquePointer?

  /// The corresponding C function is `sqlite3_open_v2`.
  init(_ path: String, _ mode: Database.Mode, _ library: SQLiteLibrary) throws(DatabaseError) {
    self.path = path
    self.library = library
    guard !path.utf8.contains(0) else {
      throw DatabaseError(.cannotOpen(problem: "its name has a NUL character"), path: path)
    }
    let flags =
      switch mode {
      case .readWriteCreate: CSQLiteOpenReadWrite | CSQLiteOpenCreate
      case .readWrite: CSQLiteOpenReadWrite
      case .readOnly: CSQLiteOpenReadOnly
      }
    // Even a connection that fails has a handle, which says why and is freed by `deinit`.
    try check(
      unsafe library.functions.pointee.sqlite3_open_v2(
        path, &handle, Int32(flags | CSQLiteOpenFullMutex), nil))
  }

  deinit { unsafe _ = library.functions.pointee.sqlite3_close_v2(handle) }

  /// The corresponding C function is `sqlite3_busy_timeout`.
  func setBusyTimeout(_ time: Duration) {
    guard let handle = unsafe handle else { return }
    let (seconds, attoseconds) = time.components
    let milliseconds = Int32(
      clamping: min(seconds, 86_400) * 1000 + attoseconds / 1_000_000_000_000_000)
    unsafe _ = library.functions.pointee.sqlite3_busy_timeout(handle, milliseconds)
  }

  /// The corresponding C function is `sqlite3_changes`.
  var changedRowCount: Int {
    unsafe handle.map { unsafe Int(library.functions.pointee.sqlite3_changes($0)) } ?? 0
  }

  /// The corresponding C function is `sqlite3_last_insert_rowid`.
  var lastInsertedRowID: Int64 {
    unsafe handle.map { unsafe library.functions.pointee.sqlite3_last_insert_rowid($0) } ?? 0
  }

  /// The corresponding C function is `sqlite3_get_autocommit`.
  var isInTransaction: Bool {
    unsafe handle.map { unsafe library.functions.pointee.sqlite3_get_autocommit($0) == 0 } ?? false
  }

  /// The one place where SQLite's numbers become errors.
  func check(_ status: Int32) throws(DatabaseError) {
    guard Int(status) != CSQLiteOK else { return }
    let text = unsafe library.functions.pointee.sqlite3_errmsg(handle)
    let problem = unsafe text.map { unsafe String(cString: $0) } ?? "no memory"
    throw DatabaseError(Self.reason(status, problem), path: path)
  }

  private static func reason(_ status: Int32, _ problem: String) -> DatabaseError.Reason {
    // The lowest byte is the kind; those above say more than anybody asks.
    switch Int(status & 0xFF) {
    case CSQLiteBusy, CSQLiteLocked: .busy
    case CSQLiteCannotOpen: .cannotOpen(problem: problem)
    case CSQLiteCorrupt, CSQLiteNotADatabase: .notADatabase(problem: problem)
    case CSQLiteConstraint: .constraint(problem: problem)
    case CSQLiteFull, CSQLiteReadOnly: .unwritable(problem: problem)
    default: .failed(code: Int(status), problem: problem)
    }
  }
}

/// SQLite's functions, as found in the opened library, which stays open.
// Unchecked, but safe: the table is never written again.
@safe package struct SQLiteLibrary: @unchecked Sendable {
  let functions: UnsafePointer<CSQLiteTable>

  #if os(macOS)
    private static let names = ["libsqlite3.dylib"]
  #else
    private static let fileNames = ["libsqlite3.so.0"]
  #endif

  /// Opens the library at a path, or by its usual name.
  package init(path: String? = nil) throws(DatabaseError) {
    do throws(DynamicLibraryError) {
      unsafe functions = try DynamicLibrary.open(
        firstOf: path.map { [$0] } ?? Self.fileNames, csqlite_open)
    } catch {
      throw DatabaseError(.missingLibrary(path: error.path, problem: error.message))
    }
  }

  /// The library of this system, opened by the first who asks.
  package static var standard: SQLiteLibrary {
    get throws(DatabaseError) { try opened.get() }
  }

  private static let opened = Result { () throws(DatabaseError) in try SQLiteLibrary() }

  /// The library's name and version, as `SQLite 3.40.1`.
  package var version: String {
    unsafe "SQLite " + String(cString: functions.pointee.sqlite3_libversion())
  }
}
