/// An error of a database or of SQLite.
package struct DatabaseError: Error, Sendable, Hashable {
  /// The reason of an error, with its details.
  package enum Reason: Sendable, Hashable {
    case missingLibrary(path: String, detail: String)
    /// The file cannot be opened or created.
    case cannotOpen(detail: String)
    /// The file is not a SQLite database, or it is corrupt.
    case notADatabase(detail: String)
    /// The database does not have the expected tables.
    case unexpectedSchema
    /// Another connection held a lock for longer than the busy timeout.
    case busy
    /// A row violates a constraint of its table.
    case constraint(detail: String)
    /// The disk is full, or the file is read-only.
    case unwritable(detail: String)
    /// The number of values does not match the statement's parameters.
    case wrongParameterCount(expected: Int, actual: Int)
    /// A value exceeds SQLite's size limit.
    case tooLarge(bytes: Int)
    /// Any other error, with SQLite's result code.
    case failed(code: Int, detail: String)
  }

  /// The reason of the error.
  package let reason: Reason
  /// The path of the database, if the error concerns one.
  package let path: String?

  package init(_ reason: Reason, path: String? = nil) {
    self.reason = reason
    self.path = path
  }
}

extension DatabaseError {
  /// The stable identifier of the reason, for scripts.
  package var code: String {
    switch reason {
    case .missingLibrary: "sqlite-missing"
    case .cannotOpen: "database-cannot-open"
    case .notADatabase: "not-a-database"
    case .unexpectedSchema: "database-schema-mismatch"
    case .busy: "database-busy"
    case .constraint: "database-constraint"
    case .unwritable: "database-unwritable"
    case .wrongParameterCount, .tooLarge, .failed: "database-failed"
    }
  }

  /// Whether the SQLite library is missing, rather than the database being at fault.
  package var isMissingLibrary: Bool {
    if case .missingLibrary = reason { true } else { false }
  }
}

extension DatabaseError: CustomStringConvertible {
  /// One line with the path, the reason and a remedy.
  package var description: String {
    path.map { "database '\($0)': \(message)" } ?? message
  }

  private var message: String {
    switch reason {
    case .missingLibrary(let path, let detail):
      "cannot load SQLite from \(path) (\(detail)); install it with `\(Self.installCommand)`"
    case .cannotOpen(let detail): "cannot open the file: \(detail)"
    case .notADatabase(let detail): "not a SQLite database, or corrupt: \(detail)"
    case .unexpectedSchema: "the file contains a different kind of database"
    case .busy: "locked by another process"
    case .constraint(let detail): "constraint violated: \(detail)"
    case .unwritable(let detail): "cannot write the file: \(detail)"
    case .wrongParameterCount(let expected, let actual):
      "the statement has \(expected) parameters, got \(actual) values"
    case .tooLarge(let bytes): "a value of \(bytes) bytes exceeds SQLite's limit"
    case .failed(let code, let detail): "SQLite error \(code): \(detail)"
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
}
