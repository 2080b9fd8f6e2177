/// Why a database cannot be used.
package struct StoreError: Error, Sendable, Hashable {
  /// What went wrong, with the evidence.
  package enum Reason: Sendable, Hashable {
    case libraryMissing(path: String, problem: String)
    /// The file cannot be opened or made.
    case unopenable(problem: String)
    /// The file holds something else, or what it holds is damaged.
    case notADatabase(problem: String)
    /// Somebody else holds the database for longer than the busy timeout.
    case busy
    /// What was written contradicts a rule of the table.
    case constraint(problem: String)
    /// The disk is full, or the file may not be written.
    case unwritable(problem: String)
    /// A statement and its values do not fit.
    case wrongCount(expected: Int, actual: Int)
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

extension StoreError {
  /// The short name of the reason, for scripts.
  package var code: String {
    switch reason {
    case .libraryMissing: "store-library-missing"
    case .unopenable: "store-unopenable"
    case .notADatabase: "store-not-a-database"
    case .busy: "store-busy"
    case .constraint: "store-constraint"
    case .unwritable: "store-unwritable"
    case .wrongCount, .tooLarge, .failed: "store-failed"
    }
  }

  /// Whether the machine lacks something, rather than the database.
  package var isMissingLibrary: Bool {
    if case .libraryMissing = reason { true } else { false }
  }
}
