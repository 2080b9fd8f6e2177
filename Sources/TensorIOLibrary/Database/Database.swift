/// A connection to a database of SQLite.
///
/// What is executed is a literal, and values go beside it in the places of its question marks, so
/// that no text from outside ever becomes a statement:
///
/// ```swift
/// let database = try Database(at: "faces.sqlite")
/// try database.execute("CREATE TABLE IF NOT EXISTS face (name TEXT, embedding BLOB)")
/// try database.execute("INSERT INTO face VALUES (?, ?)", .text(name), .bytes(embedding))
/// let names = try database.rows("SELECT DISTINCT name FROM face").compactMap(\.[0].text)
/// ```
///
/// A connection belongs to one thread at a time; put it behind a `Mutex` to share it.
package final class Database {
  private let connection: SQLiteConnection

  /// How a database is opened.
  package enum Mode: Sendable {
    /// For writing, made where it is missing.
    case readWriteCreate
    /// For writing, and it has to be there.
    case readWrite
    case readOnly
  }

  /// Opens a database: `:memory:` is one that nobody else sees.
  ///
  /// It has a write-ahead log, so that readers do not wait for writers, and a killed process loses
  /// nothing that was committed. Whoever finds it locked waits for a while.
  package init(
    at path: String, _ mode: Mode = .readWriteCreate, busyTimeout: Duration = .seconds(5),
    library: SQLiteLibrary? = nil
  ) throws(DatabaseError) {
    let library = if let library { library } else { try SQLiteLibrary.standard }
    connection = try SQLiteConnection(path, mode, library)
    connection.setBusyTimeout( busyTimeout)
    // A schema from outside may call no functions that do more than compute.
    try execute("PRAGMA trusted_schema = OFF")
    if mode != .readOnly {
      _ = try rows("PRAGMA journal_mode = WAL")
      try execute("PRAGMA synchronous = NORMAL")
    }
  }

  /// Makes a statement that can be run many times.
  package func prepare(_ sql: StaticString) throws(DatabaseError) -> SQLiteStatement {
    try SQLiteStatement(sql, connection)
  }

  /// Executes a statement that answers nothing.
  package func execute(_ sql: StaticString, _ values: DatabaseValue...) throws(DatabaseError) {
    try prepare(sql).execute(values)
  }

  /// All rows that a statement answers.
  package func rows(
    _ sql: StaticString, _ values: DatabaseValue...
  ) throws(DatabaseError) -> [[DatabaseValue]] {
    try prepare(sql).rows(values)
  }

  /// How many rows the last statement has changed.
  package var changedRowCount: Int { connection.changedRowCount }

  /// The number of the row that was inserted last.
  package var lastInsertedRowID: Int64 { connection.lastInsertedRowID }
}

extension Database {
  /// Does all of something, or nothing of it when it throws.
  package func transaction<Result>(
    _ body: () throws(DatabaseError) -> Result
  ) throws(DatabaseError) -> Result {
    try beginTransaction()
    do throws(DatabaseError) {
      let result = try body()
      try commit()
      return result
    } catch {
      rollback()
      throw error
    }
  }

  /// Begins a transaction, taking the right to write at once, so that a later statement cannot fail
  /// for want of it.
  package func beginTransaction() throws(DatabaseError) { try execute("BEGIN IMMEDIATE") }

  /// Ends a transaction, whose changes stay.
  package func commit() throws(DatabaseError) { try execute("COMMIT") }

  /// Ends a transaction as if it had not been; what failed badly has been rolled back already.
  package func rollback() {
    if connection.isInTransaction { try? execute("ROLLBACK") }
  }
}

/// What a statement is given in the place of a question mark, and what a column holds.
package enum DatabaseValue: Sendable, Hashable {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case blob([UInt8])
}

extension DatabaseValue {
  /// The number, if it is a whole one.
  package var integer: Int64? { if case .integer(let value) = self { value } else { nil } }

  /// The number, whole or not.
  package var real: Double? {
    switch self {
    case .real(let value): value
    case .integer(let value): Double(value)
    case .null, .text, .blob: nil
    }
  }

  /// The text.
  package var text: String? { if case .text(let value) = self { value } else { nil } }

  /// The bytes.
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
