import TensorIOLibrary

/// Reads a database of results.
enum ResultRows {
  /// Returns the inputs in order, with an exclamation mark after failed ones.
  static func read(_ path: String) throws -> [String] {
    try Database(at: path, .readOnly).rows("SELECT input, error FROM result ORDER BY id").map {
      ($0[0].text ?? "") + ($0[1] == .null ? "" : "!")
    }
  }
}
