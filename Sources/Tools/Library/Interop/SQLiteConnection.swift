import COptionalLibraries
package import TensorIOBundle
import TensorIOSystem

/// Owner of a `sqlite3 *`.
@safe final class SQLiteConnection {
  let path: String
  let library: SQLiteLibrary
  private(set) var handle: OpaquePointer?

  /// The corresponding C function is `sqlite3_open_v2`.
  init(_ path: String, _ mode: Database.Mode, _ library: SQLiteLibrary) throws(ModelError) {
    self.path = path
    self.library = library
    guard !path.utf8.contains(0) else {
      throw .database(
        ModelError.databaseCannotOpen,
        "cannot open the database: the path contains a NUL character",
        at: path)
    }
    let flags =
      switch mode {
      case .readWriteCreate: CSQLiteOpenReadWrite | CSQLiteOpenCreate
      case .readWrite: CSQLiteOpenReadWrite
      case .readOnly: CSQLiteOpenReadOnly
      }
    // A failed open also returns a handle, which holds the message and is closed by `deinit`.
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

  /// Throws the error of a result code other than `SQLITE_OK`.
  func check(_ status: Int32) throws(ModelError) {
    guard Int(status) != CSQLiteOK else { return }
    let text = unsafe library.functions.pointee.sqlite3_errmsg(handle)
    let detail = unsafe text.map { unsafe String(cString: $0) } ?? "out of memory"
    throw Self.error(status, detail, at: path)
  }

  private static func error(_ status: Int32, _ detail: String, at path: String) -> ModelError {
    // The low byte is the primary result code.
    let (code, summary) =
      switch Int(status & 0xFF) {
      case CSQLiteBusy, CSQLiteLocked: (ModelError.databaseBusy, "locked by another process")
      case CSQLiteCannotOpen: (ModelError.databaseCannotOpen, "cannot open the database")
      case CSQLiteCorrupt, CSQLiteNotADatabase:
        (ModelError.notADatabase, "not a SQLite database, or corrupt")
      case CSQLiteConstraint: (ModelError.databaseConstraint, "constraint violated")
      case CSQLiteFull, CSQLiteReadOnly:
        (ModelError.databaseUnwritable, "cannot write the database")
      default: (ModelError.databaseFailed, "SQLite error \(status)")
      }
    return .database(code, "\(summary): \(detail, as: "detail")", at: path)
  }
}

/// The functions of the loaded SQLite library, which is never unloaded.
// Unchecked, but safe: the function table is not written after loading.
@safe package struct SQLiteLibrary: @unchecked Sendable {
  let functions: UnsafePointer<CSQLiteTable>

  #if os(macOS)
    private static let fileNames = ["libsqlite3.dylib"]
  #else
    private static let fileNames = ["libsqlite3.so.0"]
  #endif

  /// Loads the library at `path`, or by its default name.
  package init(path: String? = nil) throws(ModelError) {
    do throws(DynamicLibraryError) {
      unsafe functions = try DynamicLibrary.open(path, orFirstOf: Self.fileNames, csqlite_open)
    } catch {
      throw .database(
        ModelError.sqliteMissing,
        """
        cannot load SQLite from \(error.path, as: "path") (\(error.message)); install it with \
        `\(Self.installCommand, as: "suggestion")`
        """)
    }
  }

  /// The command that installs SQLite.
  package static var installCommand: String {
    #if os(macOS)
      "brew install sqlite"
    #else
      "apt-get install libsqlite3-0"
    #endif
  }

  /// The system's SQLite library, loaded on first use.
  package static var standard: SQLiteLibrary {
    get throws(ModelError) { try opened.get() }
  }

  private static let opened = Result { () throws(ModelError) in try SQLiteLibrary() }

  /// The library's name and version, such as `SQLite 3.40.1`.
  package var version: String {
    unsafe "SQLite " + String(cString: functions.pointee.sqlite3_libversion())
  }
}
