package import TensorIOBundle
import TensorIOSystem

/// A connection to a SQLite database.
///
/// Statements are literals and values are bound to their parameters, so external text never becomes
/// part of a statement:
///
/// ```swift
/// let database = try Database(at: "faces.sqlite")
/// try database.execute("CREATE TABLE IF NOT EXISTS face (name TEXT, embedding BLOB)")
/// try database.execute("INSERT INTO face VALUES (?, ?)", .text(name), .blob(embedding))
/// let names = try database.rows("SELECT DISTINCT name FROM face").compactMap(\.[0].text)
/// ```
///
/// A connection may be used by one thread at a time; share it through a `Mutex`.
package final class Database {
  private let connection: SQLiteConnection

  /// The access mode of a connection.
  package enum Mode: Sendable {
    /// Reads and writes; creates the file if it is missing.
    case readWriteCreate
    /// Reads and writes an existing file.
    case readWrite
    case readOnly
  }

  /// Opens the database at `path`; `:memory:` opens a private, temporary one.
  ///
  /// Writable connections use a write-ahead log, so readers do not wait for writers and a killed
  /// process loses no committed transaction.
  ///
  /// A file without the given tables, which identify the kind of database, is rejected with
  /// `database-schema-mismatch` before it is changed; an empty file is only accepted
  /// in the mode `readWriteCreate`. A statement that waits for a lock longer than the busy timeout
  /// fails with `database-busy`.
  package init(
    at path: String, _ mode: Mode = .readWriteCreate, tables: Set<String> = [],
    busyTimeout: Duration = .seconds(30), library: SQLiteLibrary? = nil
  ) throws(ModelError) {
    let library = if let library { library } else { try SQLiteLibrary.standard }
    connection = try SQLiteConnection(path, mode, library)
    connection.setBusyTimeout(busyTimeout)
    // The schema of an untrusted file must not call functions with side effects.
    try execute("PRAGMA trusted_schema = OFF")
    try requireTables(tables, allowingEmpty: mode == .readWriteCreate)
    if mode != .readOnly {
      try useWriteAheadLog(waitingAtMost: busyTimeout)
      try execute("PRAGMA synchronous = NORMAL")
    }
  }

  /// Changes to a write-ahead log.
  ///
  /// The change needs an exclusive lock. SQLite does not wait for that one, because two connections
  /// that both want it would wait for each other, so the statement is repeated.
  private func useWriteAheadLog(waitingAtMost timeout: Duration) throws(ModelError) {
    let deadline = ContinuousClock.now + timeout
    while true {
      do throws(ModelError) {
        _ = try rows("PRAGMA journal_mode = WAL")
        return
      } catch ModelError.databaseBusy where ContinuousClock.now < deadline {
        BlockingSleep.sleep(.milliseconds(10))
      } catch {
        throw error
      }
    }
  }

  private func requireTables(
    _ tables: Set<String>, allowingEmpty: Bool
  ) throws(ModelError) {
    guard !tables.isEmpty else { return }
    let existing = try rows("SELECT name FROM sqlite_master WHERE type = 'table'")
      .compactMap(\.[0].text)
    guard tables.isSubset(of: existing) || (allowingEmpty && existing.isEmpty) else {
      throw .database(
        ModelError.databaseSchemaMismatch, "the file contains a different kind of database",
        at: connection.path)
    }
  }

  /// Compiles a statement for repeated use.
  package func prepare(_ sql: StaticString) throws(ModelError) -> SQLiteStatement {
    try SQLiteStatement(sql, connection)
  }

  /// Executes a statement and ignores its rows.
  package func execute(_ sql: StaticString, _ values: DatabaseValue...) throws(ModelError) {
    try prepare(sql).execute(values)
  }

  /// Returns all rows of a statement.
  package func rows(
    _ sql: StaticString, _ values: DatabaseValue...
  ) throws(ModelError) -> [[DatabaseValue]] {
    try prepare(sql).rows(values)
  }

  /// The number of rows that the last statement changed.
  package var changedRowCount: Int { connection.changedRowCount }

  /// The row ID of the last inserted row.
  package var lastInsertedRowID: Int64 { connection.lastInsertedRowID }
}

extension Database {
  /// Runs `body` in a transaction, which is rolled back if it throws.
  package func transaction<Result>(
    _ body: () throws(ModelError) -> Result
  ) throws(ModelError) -> Result {
    try beginTransaction()
    do throws(ModelError) {
      let result = try body()
      try commit()
      return result
    } catch {
      rollback()
      throw error
    }
  }

  /// Begins a transaction and acquires the write lock immediately, so later statements cannot fail
  /// with `busy`.
  package func beginTransaction() throws(ModelError) { try execute("BEGIN IMMEDIATE") }

  /// Commits the current transaction.
  package func commit() throws(ModelError) { try execute("COMMIT") }

  /// Rolls back the current transaction, unless a failed statement has already done so.
  package func rollback() {
    if connection.isInTransaction { try? execute("ROLLBACK") }
  }
}

/// A value bound to a statement's parameter, or read from a column.
package enum DatabaseValue: Sendable, Hashable {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case blob([UInt8])
}

extension DatabaseValue {
  /// The integer, or `nil` for any other type.
  package var integer: Int64? { if case .integer(let value) = self { value } else { nil } }

  /// The number as a floating-point value, or `nil` for a value that is not numeric.
  package var real: Double? {
    switch self {
    case .real(let value): value
    case .integer(let value): Double(value)
    case .null, .text, .blob: nil
    }
  }

  /// The text, or `nil` for any other type.
  package var text: String? { if case .text(let value) = self { value } else { nil } }

  /// The bytes, or `nil` for any other type.
  package var blob: [UInt8]? { if case .blob(let value) = self { value } else { nil } }
}

extension DatabaseValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByNilLiteral
{
  package init(stringLiteral text: String) { self = .text(text) }
  package init(integerLiteral number: Int64) { self = .integer(number) }
  package init(floatLiteral number: Double) { self = .real(number) }
  package init(nilLiteral: ()) { self = .null }
}
