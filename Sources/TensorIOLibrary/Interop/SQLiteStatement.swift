import CSQLite

/// A statement that is ready to run, any number of times, each with its own values.
///
/// Owns one `sqlite3_stmt *`; the connection lives as long as it does.
@safe package final class SQLiteStatement {
  private let connection: SQLiteConnection
  private let handle: OpaquePointer

  /// The corresponding C function is `sqlite3_prepare_v2`.
  init(_ sql: StaticString, _ connection: SQLiteConnection) throws(DatabaseError) {
    self.connection = connection
    let functions = unsafe connection.library.functions.pointee
    var handle: OpaquePointer?
    let status = unsafe connection.handle.map { database in
      var rest: UnsafePointer<CChar>?
      return unsafe functions.sqlite3_prepare_v2(database, sql.description, -1, &handle, &rest)
    }
    try connection.check(status ?? Int32(CSQLiteCannotOpen))
    guard let handle = unsafe handle else {
      throw DatabaseError(.failed(code: 0, problem: "the statement is empty"), path: connection.path)
    }
    unsafe self.handle = handle
  }

  deinit { unsafe _ = functions.sqlite3_finalize(handle) }

  private var functions: CSQLiteTable { unsafe connection.library.functions.pointee }

  /// Runs to the end; rows, where there are any, are not looked at.
  package func execute(_ values: [DatabaseValue]) throws(DatabaseError) {
    try forEachRow(values) { _ in }
  }

  /// All rows.
  package func rows(_ values: [DatabaseValue] = []) throws(DatabaseError) -> [[DatabaseValue]] {
    var rows: [[DatabaseValue]] = []
    try forEachRow(values) { rows.append($0) }
    return rows
  }

  /// Hands over row after row, of which only one is in memory.
  ///
  /// The corresponding C functions are `sqlite3_step` and `sqlite3_reset`.
  package func forEachRow(
    _ values: [DatabaseValue], _ body: ([DatabaseValue]) throws(DatabaseError) -> Void
  ) throws(DatabaseError) {
    defer { reset() }
    try bind(values)
    while try step() { try body(row()) }
  }

  private func step() throws(DatabaseError) -> Bool {
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
  private func bind(_ values: [DatabaseValue]) throws(DatabaseError) {
    let expected = unsafe Int(functions.sqlite3_bind_parameter_count(handle))
    guard values.count == expected else {
      throw DatabaseError(
        .wrongParameterCount(expected: expected, actual: values.count), path: connection.path)
    }
    for (place, value) in zip(Int32(1)..., values) { try connection.check(bind(value, at: place)) }
  }

  /// The library copies text and bytes before it returns, so that they may live as they like.
  private func bind(_ value: DatabaseValue, at place: Int32) throws(DatabaseError) -> Int32 {
    switch value {
    case .null: unsafe functions.sqlite3_bind_null(handle, place)
    case .integer(let number): unsafe functions.sqlite3_bind_int64(handle, place, number)
    case .real(let number): unsafe functions.sqlite3_bind_double(handle, place, number)
    case .text(let text):
      unsafe functions.sqlite3_bind_text(
        handle, place, text, try count(text.utf8.count), csqlite_copy_first)
    case .blob(let bytes) where bytes.isEmpty:
      unsafe functions.sqlite3_bind_zeroblob(handle, place, 0)
    case .blob(let bytes):
      unsafe functions.sqlite3_bind_blob(
        handle, place, bytes, try count(bytes.count), csqlite_copy_first)
    }
  }

  private func count(_ bytes: Int) throws(DatabaseError) -> Int32 {
    guard let count = Int32(exactly: bytes) else {
      throw DatabaseError(.tooLarge(bytes: bytes), path: connection.path)
    }
    return count
  }

  private func row() -> [DatabaseValue] {
    unsafe (0..<functions.sqlite3_column_count(handle)).map(column)
  }

  private func column(_ place: Int32) -> DatabaseValue {
    switch unsafe Int(functions.sqlite3_column_type(handle, place)) {
    case CSQLiteInteger: .integer(unsafe functions.sqlite3_column_int64(handle, place))
    case CSQLiteFloat: .real(unsafe functions.sqlite3_column_double(handle, place))
    case CSQLiteText: .text(text(place))
    case CSQLiteBlob:
      .blob(unsafe bytes(functions.sqlite3_column_blob(handle, place), place))
    default: .null
    }
  }

  private func text(_ place: Int32) -> String {
    let text = unsafe UnsafeRawPointer(functions.sqlite3_column_text(handle, place))
    return unsafe String(decoding: bytes(text, place), as: UTF8.self)
  }

  /// The length is asked for after the pointer, since that may change how the value is kept.
  private func bytes(_ start: UnsafeRawPointer?, _ place: Int32) -> [UInt8] {
    let count = unsafe Int(functions.sqlite3_column_bytes(handle, place))
    return unsafe Array(UnsafeRawBufferPointer(start: start, count: count))
  }
}
