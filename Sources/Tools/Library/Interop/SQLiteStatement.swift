import COptionalLibraries
package import TensorIOBundle

/// A compiled statement, which can be run repeatedly with different values.
///
/// Owner of a `sqlite3_stmt *`; it keeps its connection alive.
@safe package final class SQLiteStatement {
  private let connection: SQLiteConnection
  private let handle: OpaquePointer

  /// The corresponding C function is `sqlite3_prepare_v2`.
  init(_ sql: StaticString, _ connection: SQLiteConnection) throws(ModelError) {
    self.connection = connection
    let functions = unsafe connection.library.functions.pointee
    var handle: OpaquePointer?
    let status = unsafe connection.handle.map { database in
      var rest: UnsafePointer<CChar>?
      return unsafe functions.sqlite3_prepare_v2(database, sql.description, -1, &handle, &rest)
    }
    try connection.check(status ?? Int32(CSQLiteCannotOpen))
    guard let handle = unsafe handle else {
      throw .database(ModelError.databaseFailed, "empty statement", at: connection.path)
    }
    unsafe self.handle = handle
  }

  deinit { unsafe _ = functions.sqlite3_finalize(handle) }

  private var functions: CSQLiteTable { unsafe connection.library.functions.pointee }

  /// Runs the statement and ignores its rows.
  package func execute(_ values: [DatabaseValue]) throws(ModelError) {
    try forEachRow(values) { _ in }
  }

  /// Runs the statement and returns all rows.
  package func rows(_ values: [DatabaseValue] = []) throws(ModelError) -> [[DatabaseValue]] {
    var rows: [[DatabaseValue]] = []
    try forEachRow(values) { rows.append($0) }
    return rows
  }

  /// Passes each row to `body`, holding one row in memory at a time.
  ///
  /// The corresponding C functions are `sqlite3_step` and `sqlite3_reset`.
  package func forEachRow(
    _ values: [DatabaseValue], _ body: ([DatabaseValue]) throws(ModelError) -> Void
  ) throws(ModelError) {
    defer { reset() }
    try bind(values)
    while try step() { try body(row()) }
  }

  private func step() throws(ModelError) -> Bool {
    let status = unsafe functions.sqlite3_step(handle)
    if Int(status) == CSQLiteRow { return true }
    if Int(status) == CSQLiteDone { return false }
    try connection.check(status)
    return false
  }

  private func reset() {
    unsafe _ = functions.sqlite3_reset(handle)
    unsafe _ = functions.sqlite3_clear_bindings(handle)
  }
}

// MARK: Values

extension SQLiteStatement {
  private func bind(_ values: [DatabaseValue]) throws(ModelError) {
    let expected = unsafe Int(functions.sqlite3_bind_parameter_count(handle))
    guard values.count == expected else {
      throw .database(
        ModelError.databaseFailed,
        """
        the statement has \(expected, as: "expected") parameters, got \
        \(values.count, as: "actual") values
        """, at: connection.path)
    }
    for (index, value) in zip(Int32(1)..., values) { try connection.check(bind(value, at: index)) }
  }

  // SQLite copies text and blobs before the call returns.
  private func bind(_ value: DatabaseValue, at index: Int32) throws(ModelError) -> Int32 {
    switch value {
    case .null: unsafe functions.sqlite3_bind_null(handle, index)
    case .integer(let number): unsafe functions.sqlite3_bind_int64(handle, index, number)
    case .real(let number): unsafe functions.sqlite3_bind_double(handle, index, number)
    case .text(let text):
      unsafe functions.sqlite3_bind_text(
        handle, index, text, try count(text.utf8.count), csqlite_copy_first)
    case .blob(let bytes) where bytes.isEmpty:
      unsafe functions.sqlite3_bind_zeroblob(handle, index, 0)
    case .blob(let bytes):
      unsafe functions.sqlite3_bind_blob(
        handle, index, bytes, try count(bytes.count), csqlite_copy_first)
    }
  }

  private func count(_ bytes: Int) throws(ModelError) -> Int32 {
    guard let count = Int32(exactly: bytes) else {
      throw .database(
        ModelError.databaseFailed, "a value of \(bytes, as: "bytes") bytes exceeds SQLite's limit",
        at: connection.path)
    }
    return count
  }

  private func row() -> [DatabaseValue] {
    unsafe (0..<functions.sqlite3_column_count(handle)).map(column)
  }

  private func column(_ index: Int32) -> DatabaseValue {
    switch unsafe Int(functions.sqlite3_column_type(handle, index)) {
    case CSQLiteInteger: .integer(unsafe functions.sqlite3_column_int64(handle, index))
    case CSQLiteFloat: .real(unsafe functions.sqlite3_column_double(handle, index))
    case CSQLiteText: .text(text(index))
    case CSQLiteBlob:
      .blob(unsafe bytes(functions.sqlite3_column_blob(handle, index), index))
    default: .null
    }
  }

  private func text(_ index: Int32) -> String {
    let text = unsafe UnsafeRawPointer(functions.sqlite3_column_text(handle, index))
    return unsafe String(decoding: bytes(text, index), as: UTF8.self)
  }

  // The length is read after the pointer, because `sqlite3_column_text` may convert the value.
  private func bytes(_ start: UnsafeRawPointer?, _ index: Int32) -> [UInt8] {
    let count = unsafe Int(functions.sqlite3_column_bytes(handle, index))
    return unsafe Array(UnsafeRawBufferPointer(start: start, count: count))
  }
}
