import TensorIOBundle
import TensorIOCore
import TensorIOLibrary
import TensorIOSystem
import TensorIOTasks

/// A database with the embeddings of inputs, so that teaching again computes only those of new ones.
///
/// The key of an embedding is the digest of the input, the bundle and the preparation. The cache is optional: without a
/// folder or SQLite, and with a damaged file, all embeddings are computed.
struct EmbeddingCache {
  private static let fileName = "embeddings.sqlite"
  /// The number of embeddings that are kept; the oldest ones are removed.
  private static let maxCount: Int64 = 100_000
  /// The number of embeddings that an interrupt can lose.
  private static let batchSize = 64

  private let database: Database
  private var pending: [(key: String, embedding: [Float])] = []

  /// Opens the cache in a folder; `nil` if it cannot be opened.
  init?(in folder: String) {
    do {
      try FileSystem.createDirectories(folder)
      database = try Database(at: "\(folder)/\(Self.fileName)")
      try database.execute(
        "CREATE TABLE IF NOT EXISTS embedding (id INTEGER PRIMARY KEY, key TEXT UNIQUE, vector BLOB)"
      )
    } catch {
      return nil
    }
  }

  /// Returns the embedding with a key; `nil` if it is not cached.
  func embedding(_ key: String) -> [Float]? {
    let rows = try? database.rows("SELECT vector FROM embedding WHERE key = ?", .text(key))
    return rows?.first?.first?.blob.map { Embedding(littleEndianBytes: $0).values }
  }

  /// Adds an embedding.
  mutating func add(_ embedding: [Float], _ key: String) {
    pending.append((key, embedding))
    if pending.count >= Self.batchSize { flush() }
  }

  /// Writes what was added.
  ///
  /// An error is ignored: the embeddings are computed again next time.
  mutating func flush() {
    let pending = pending
    guard !pending.isEmpty else { return }
    try? database.transaction { () throws(ModelError) in
      for (key, embedding) in pending {
        try database.execute(
          "INSERT OR IGNORE INTO embedding (key, vector) VALUES (?, ?)", .text(key),
          .blob(Embedding(embedding).littleEndianBytes))
      }
      try database.execute(
        "DELETE FROM embedding WHERE id <= (SELECT MAX(id) FROM embedding) - ?",
        .integer(Self.maxCount))
    }
    self.pending = []
  }
}
