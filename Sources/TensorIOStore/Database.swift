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
  private let connection: Connection

  /// How a database is opened.
  package enum Mode: Sendable {
    /// For writing, made where it is missing.
    case create
    /// For writing, and it has to be there.
    case existing
    case readOnly
  }

  /// Opens a database: `:memory:` is one that nobody else sees.
  ///
  /// It has a write-ahead log, so that readers do not wait for writers, and a killed process loses
  /// nothing that was committed. Whoever finds it locked waits for a while.
  package init(
    at path: String, _ mode: Mode = .create, busyTimeout: Duration = .seconds(5),
    library: StoreLibrary? = nil
  ) throws(StoreError) {
    let library = if let library { library } else { try StoreLibrary.standard }
    connection = try Connection(path, mode, library)
    connection.waitWhenBusy(for: busyTimeout)
    // A schema from outside may call no functions that do more than compute.
    try execute("PRAGMA trusted_schema = OFF")
    if mode != .readOnly {
      _ = try rows("PRAGMA journal_mode = WAL")
      try execute("PRAGMA synchronous = NORMAL")
    }
  }

  /// Makes a statement that can be run many times.
  package func prepare(_ sql: StaticString) throws(StoreError) -> Statement {
    try Statement(sql, connection)
  }

  /// Executes a statement that answers nothing.
  package func execute(_ sql: StaticString, _ values: StoreValue...) throws(StoreError) {
    try prepare(sql).execute(values)
  }

  /// All rows that a statement answers.
  package func rows(
    _ sql: StaticString, _ values: StoreValue...
  ) throws(StoreError) -> [[StoreValue]] {
    try prepare(sql).rows(values)
  }

  /// How many rows the last statement has changed.
  package var changedCount: Int { connection.changedCount }

  /// The number of the row that was inserted last.
  package var lastInsertedRow: Int64 { connection.lastInsertedRow }
}

extension Database {
  /// Does all of something, or nothing of it when it throws.
  package func transaction<Result>(
    _ body: () throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    try begin()
    do throws(StoreError) {
      let result = try body()
      try commit()
      return result
    } catch {
      rollBack()
      throw error
    }
  }

  /// Begins a transaction, taking the right to write at once, so that a later statement cannot fail
  /// for want of it.
  package func begin() throws(StoreError) { try execute("BEGIN IMMEDIATE") }

  /// Ends a transaction, whose changes stay.
  package func commit() throws(StoreError) { try execute("COMMIT") }

  /// Ends a transaction as if it had not been; what failed badly has been rolled back already.
  package func rollBack() {
    if connection.isInTransaction { try? execute("ROLLBACK") }
  }
}
