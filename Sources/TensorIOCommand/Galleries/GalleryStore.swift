import TensorIOCore
import TensorIOLibrary
import TensorIOSystem
import TensorIOTasks

/// Embeddings under names, in a database, with the digest of the bundle that made them.
///
/// What is enrolled together is there together or not at all, and whoever enrols waits for others
/// who do. Numbers that another bundle made mean something else, so they never stand side by side.
struct GalleryStore {
  /// An embedding on its way into the gallery.
  struct Entry {
    let imagePath: String
    let embedding: Embedding
  }

  private let path: String
  private let database: Database

  /// Opens a gallery; a missing one is made only where somebody is to be enrolled.
  init(_ path: String, createIfMissing: Bool = false) throws(OperationError) {
    guard createIfMissing || FileKind(at: path) != nil else {
      throw .input(
        "missing-gallery", "\(path): there is no gallery; `tensorio gallery enroll` makes one")
    }
    self.path = path
    do throws(DatabaseError) {
      database = try Database(at: path, createIfMissing ? .readWriteCreate : .readWrite)
    } catch {
      throw OperationError(error)
    }
    if !createIfMissing { try validateSchema() }
  }

  /// Adds embeddings under a name and says how many were new.
  func enroll(
    _ entries: [Entry], as name: String, by embedder: EmbedderIdentity
  ) throws(OperationError) -> Int {
    let other: EmbedderMismatch?
    var added = 0
    do throws(DatabaseError) {
      other = try database.transaction { () throws(DatabaseError) -> EmbedderMismatch? in
        try createTables()
        if let refusal = try bind(to: embedder) { return refusal }
        for entry in entries {
          try database.execute(
            "INSERT OR IGNORE INTO face (name, picture, embedding) VALUES (?, ?, ?)", .text(name),
            .text(entry.imagePath), .blob(entry.embedding.littleEndianBytes))
          added += database.changedRowCount
        }
        return nil
      }
    } catch {
      throw OperationError(error)
    }
    if let other { throw other.error(path) }
    return added
  }

  /// All that are enrolled, if a bundle can be compared with them.
  func gallery(for embedder: EmbedderIdentity) throws(OperationError) -> InMemoryGallery {
    try readMatchingEmbedder { () throws(DatabaseError) in
      guard try embedderRows().first?.first?.text == embedder.digest else { return nil }
      var gallery = InMemoryGallery()
      for row in try database.rows("SELECT name, embedding FROM face ORDER BY id") {
        guard let name = row[0].text, let bytes = row[1].blob else { continue }
        gallery.enroll(Embedding(littleEndianBytes: bytes), as: name)
      }
      return gallery
    }
  }

  /// The names, in order, and how many embeddings each has.
  func nameCounts() throws(OperationError) -> [(name: String, count: Int)] {
    do throws(DatabaseError) {
      return try database.rows("SELECT name, COUNT(*) FROM face GROUP BY name ORDER BY name")
        .map { ($0[0].text ?? "", Int(clamping: $0[1].integer ?? 0)) }
    } catch {
      throw OperationError(error)
    }
  }

  /// Removes a name and says how many embeddings it had.
  func remove(_ name: String) throws(OperationError) -> Int {
    do throws(DatabaseError) {
      try database.execute("DELETE FROM face WHERE name = ?", .text(name))
      return database.changedRowCount
    } catch {
      throw OperationError(error)
    }
  }
}

// MARK: The database

extension GalleryStore {
  /// Why embeddings have no place in a gallery.
  fileprivate enum EmbedderMismatch {
    case madeBy(String)

    func error(_ path: String) -> OperationError {
      switch self {
      case .madeBy(let other):
        .input(
          "other-embedder",
          "\(path): the gallery was made with another embedder (\(other)), whose numbers mean "
            + "something else; enrol into a new one")
      }
    }
  }

  private func createTables() throws(DatabaseError) {
    try database.execute(
      "CREATE TABLE IF NOT EXISTS embedder (digest TEXT NOT NULL, name TEXT NOT NULL)")
    try database.execute(
      """
      CREATE TABLE IF NOT EXISTS face (
        id INTEGER PRIMARY KEY, name TEXT NOT NULL, picture TEXT NOT NULL,
        embedding BLOB NOT NULL, UNIQUE (name, embedding))
      """)
  }

  /// Makes the gallery that of an embedder, or says whose it is.
  private func bind(to embedder: EmbedderIdentity) throws(DatabaseError) -> EmbedderMismatch? {
    guard let owner = try embedderRows().first else {
      try database.execute(
        "INSERT INTO embedder VALUES (?, ?)", .text(embedder.digest), .text(embedder.name))
      return nil
    }
    return owner[0].text == embedder.digest ? nil : .madeBy(owner[1].text ?? "?")
  }

  private func embedderRows() throws(DatabaseError) -> [[DatabaseValue]] {
    try database.rows("SELECT digest, name FROM embedder")
  }

  private func readMatchingEmbedder<Result>(
    _ body: () throws(DatabaseError) -> Result?
  ) throws(OperationError) -> Result {
    let name: String
    do throws(DatabaseError) {
      if let result = try body() { return result }
      name = try embedderRows().first?[1].text ?? "?"
    } catch {
      throw OperationError(error)
    }
    throw EmbedderMismatch.madeBy(name).error(path)
  }

  /// Refuses a database that holds something else.
  private func validateSchema() throws(OperationError) {
    let tables: [[DatabaseValue]]
    do throws(DatabaseError) {
      tables = try database.rows(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name IN ('embedder', 'face')")
    } catch {
      throw OperationError(error)
    }
    guard tables.count == 2 else {
      throw .input("not-a-gallery", "\(path): the database holds no gallery")
    }
  }
}

extension Embedding {
  /// The numbers as 32 bits each, lowest byte first.
  fileprivate var littleEndianBytes: [UInt8] {
    values.flatMap { value in
      (0..<4).map { UInt8(truncatingIfNeeded: value.bitPattern >> ($0 * 8)) }
    }
  }

  fileprivate init(littleEndianBytes bytes: [UInt8]) {
    self.init(
      stride(from: 0, to: bytes.count - bytes.count % 4, by: 4).map { place in
        let bits = (0..<4).reduce(UInt32(0)) { $0 | UInt32(bytes[place + $1]) << ($1 * 8) }
        return Float(bitPattern: bits)
      })
  }
}
