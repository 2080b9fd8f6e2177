package import TensorIOBundle

extension ModelError {
  /// The SQLite library cannot be opened.
  package static let sqliteMissing = Code("sqlite-missing")
  /// The file cannot be opened or created.
  package static let databaseCannotOpen = Code("database-cannot-open")
  /// The file is not a SQLite database, or it is corrupt.
  package static let notADatabase = Code("not-a-database")
  /// The database does not have the expected tables.
  package static let databaseSchemaMismatch = Code("database-schema-mismatch")
  /// Another connection held a lock for longer than the busy timeout.
  package static let databaseBusy = Code("database-busy")
  /// A row violates a constraint of its table.
  package static let databaseConstraint = Code("database-constraint")
  /// The disk is full, or the file is read-only.
  package static let databaseUnwritable = Code("database-unwritable")
  /// Any other error of SQLite.
  package static let databaseFailed = Code("database-failed")

  /// Returns an error of a database.
  static func database(_ code: Code, _ message: Message, at path: String? = nil) -> ModelError {
    ModelError(.run, .init(code, message), file: path)
  }
}
