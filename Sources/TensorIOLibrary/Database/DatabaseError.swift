/// Why a database cannot be used.
package struct DatabaseError: Error, Sendable, Hashable {
  /// What went wrong, with the evidence.
  package enum Reason: Sendable, Hashable {
    case missingLibrary(path: String, problem: String)
    /// The file cannot be opened or made.
    case cannotOpen(problem: String)
    /// The file holds something else, or what it holds is damaged.
    case notADatabase(problem: String)
    /// Somebody else holds the database for longer than the busy timeout.
    case busy
    /// What was written contradicts a rule of the table.
    case constraint(problem: String)
    /// The disk is full, or the file may not be written.
    case unwritable(problem: String)
    /// A statement and its values do not fit.
    case wrongParameterCount(expected: Int, actual: Int)
    /// A value is larger than SQLite takes.
    case tooLarge(bytes: Int)
    case failed(code: Int, problem: String)
  }

  /// What went wrong.
  package let reason: Reason
  /// The database's file, where it is about one.
  package let path: String?

  package init(_ reason: Reason, path: String? = nil) {
    self.reason = reason
    self.path = path
  }
}

extension DatabaseError {
  /// The short name of the reason, for scripts.
  package var code: String {
    switch reason {
    case .missingLibrary: "store-library-missing"
    case .cannotOpen: "store-unopenable"
    case .notADatabase: "store-not-a-database"
    case .busy: "store-busy"
    case .constraint: "store-constraint"
    case .unwritable: "store-unwritable"
    case .wrongParameterCount, .tooLarge, .failed: "store-failed"
    }
  }

  /// Whether the machine lacks something, rather than the database.
  package var isMissingLibrary: Bool {
    if case .missingLibrary = reason { true } else { false }
  }
}

extension DatabaseError: CustomStringConvertible {
  /// One line: which file, what is the matter, and what to do about it.
  package var description: String {
    path.map { "the database '\($0)': \(message)" } ?? message
  }

  private var message: String {
    switch reason {
    case .missingLibrary(let path, let problem):
      "databases need SQLite, but \(path) cannot be used (\(problem)): \(Self.installCommand)"
    case .cannotOpen(let problem): "it cannot be opened: \(problem)"
    case .notADatabase(let problem): "it is damaged, or no database of SQLite: \(problem)"
    case .busy: "somebody else is writing to it"
    case .constraint(let problem): "what was to be written breaks its rules: \(problem)"
    case .unwritable(let problem): "it cannot be written: \(problem)"
    case .wrongParameterCount(let expected, let actual):
      "a statement takes \(expected) values and was given \(actual)"
    case .tooLarge(let bytes): "\(bytes) bytes are more than a value may have"
    case .failed(let code, let problem): "SQLite failed with code \(code): \(problem)"
    }
  }

  /// The command that brings the library.
  package static var installCommand: String {
    #if os(macOS)
      "brew install sqlite"
    #else
      "apt-get install libsqlite3-0"
    #endif
  }
}
