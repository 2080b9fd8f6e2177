import TensorIOLibrary

/// The rows of a database of results.
enum ResultRows {
  /// The inputs in order, each with a mark where it failed.
  static func read(_ path: String) throws -> [String] {
    try Database(at: path, .readOnly).rows("SELECT input, error FROM result ORDER BY id").map {
      ($0[0].text ?? "") + ($0[1] == .null ? "" : "!")
    }
  }
}
