extension StoreError: CustomStringConvertible {
  /// One line: which file, what is the matter, and what to do about it.
  package var description: String {
    path.map { "the database '\($0)': \(message)" } ?? message
  }

  private var message: String {
    switch reason {
    case .libraryMissing(let path, let problem):
      "databases need SQLite, but \(path) cannot be used (\(problem)): \(Self.remedy)"
    case .unopenable(let problem): "it cannot be opened: \(problem)"
    case .notADatabase(let problem): "it is damaged, or no database of SQLite: \(problem)"
    case .busy: "somebody else is writing to it"
    case .constraint(let problem): "what was to be written breaks its rules: \(problem)"
    case .unwritable(let problem): "it cannot be written: \(problem)"
    case .wrongCount(let expected, let actual):
      "a statement takes \(expected) values and was given \(actual)"
    case .tooLarge(let bytes): "\(bytes) bytes are more than a value may have"
    case .failed(let code, let problem): "SQLite failed with code \(code): \(problem)"
    }
  }

  /// The command that brings the library.
  package static var remedy: String {
    #if os(macOS)
      "brew install sqlite"
    #else
      "apt-get install libsqlite3-0"
    #endif
  }
}
