internal import CSQLite

/// Owns one `sqlite3 *`.
@safe final class Connection {
  let path: String
  let library: StoreLibrary
  private(set) var handle: OpaquePointer?

  /// The corresponding C function is `sqlite3_open_v2`.
  init(_ path: String, _ mode: Database.Mode, _ library: StoreLibrary) throws(StoreError) {
    self.path = path
    self.library = library
    guard !path.utf8.contains(0) else {
      throw StoreError(.unopenable(problem: "its name has a NUL character"), path: path)
    }
    let flags =
      switch mode {
      case .create: CSQLiteOpenReadWrite | CSQLiteOpenCreate
      case .existing: CSQLiteOpenReadWrite
      case .readOnly: CSQLiteOpenReadOnly
      }
    // Even a connection that fails has a handle, which says why and is freed by `deinit`.
    try check(
      unsafe library.functions.pointee.sqlite3_open_v2(
        path, &handle, Int32(flags | CSQLiteOpenFullMutex), nil))
  }

  deinit { unsafe _ = library.functions.pointee.sqlite3_close_v2(handle) }

  /// The corresponding C function is `sqlite3_busy_timeout`.
  func waitWhenBusy(for time: Duration) {
    guard let handle = unsafe handle else { return }
    let (seconds, attoseconds) = time.components
    let milliseconds = Int32(
      clamping: min(seconds, 86_400) * 1000 + attoseconds / 1_000_000_000_000_000)
    unsafe _ = library.functions.pointee.sqlite3_busy_timeout(handle, milliseconds)
  }

  /// The corresponding C function is `sqlite3_changes`.
  var changedCount: Int {
    unsafe handle.map { unsafe Int(library.functions.pointee.sqlite3_changes($0)) } ?? 0
  }

  /// The corresponding C function is `sqlite3_last_insert_rowid`.
  var lastInsertedRow: Int64 {
    unsafe handle.map { unsafe library.functions.pointee.sqlite3_last_insert_rowid($0) } ?? 0
  }

  /// The corresponding C function is `sqlite3_get_autocommit`.
  var isInTransaction: Bool {
    unsafe handle.map { unsafe library.functions.pointee.sqlite3_get_autocommit($0) == 0 } ?? false
  }

  /// The one place where SQLite's numbers become errors.
  func check(_ status: Int32) throws(StoreError) {
    guard Int(status) != CSQLiteOK else { return }
    let text = unsafe library.functions.pointee.sqlite3_errmsg(handle)
    let problem = unsafe text.map { unsafe String(cString: $0) } ?? "no memory"
    throw StoreError(Self.reason(status, problem), path: path)
  }

  private static func reason(_ status: Int32, _ problem: String) -> StoreError.Reason {
    // The lowest byte is the kind; those above say more than anybody asks.
    switch Int(status & 0xFF) {
    case CSQLiteBusy, CSQLiteLocked: .busy
    case CSQLiteCannotOpen: .unopenable(problem: problem)
    case CSQLiteCorrupt, CSQLiteNotADatabase: .notADatabase(problem: problem)
    case CSQLiteConstraint: .constraint(problem: problem)
    case CSQLiteFull, CSQLiteReadOnly: .unwritable(problem: problem)
    default: .failed(code: Int(status), problem: problem)
    }
  }
}
