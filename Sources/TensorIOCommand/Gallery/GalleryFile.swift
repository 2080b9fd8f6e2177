internal import TensorIOCore
internal import TensorIOStore
internal import TensorIOSystem
internal import TensorIOTasks

/// Embeddings under names, in a database, with the digest of the bundle that made them.
///
/// What is enrolled together is there together or not at all, and whoever enrols waits for others
/// who do. Numbers that another bundle made mean something else, so they never stand side by side.
struct GalleryFile {
  /// An embedding on its way into the gallery.
  struct Entry {
    let picture: String
    let embedding: Embedding
  }

  private let path: String
  private let database: Database

  /// Opens a gallery; a missing one is made only where somebody is to be enrolled.
  init(_ path: String, makingIt: Bool = false) throws(CommandFailure) {
    guard makingIt || FileKind(at: path) != nil else {
      throw .input(
        "missing-gallery", "\(path): there is no gallery; `tensorio gallery enroll` makes one")
    }
    self.path = path
    do throws(StoreError) {
      database = try Database(at: path, makingIt ? .create : .existing)
    } catch {
      throw CommandFailure(error)
    }
    if !makingIt { try checkKind() }
  }

  /// Adds embeddings under a name and says how many were new.
  func enroll(
    _ entries: [Entry], as name: String, by embedder: EmbedderIdentity
  ) throws(CommandFailure) -> Int {
    let other: Refusal?
    var added = 0
    do throws(StoreError) {
      other = try database.transaction { () throws(StoreError) -> Refusal? in
        try makeTables()
        if let refusal = try claim(by: embedder) { return refusal }
        for entry in entries {
          try database.execute(
            "INSERT OR IGNORE INTO face (name, picture, embedding) VALUES (?, ?, ?)", .text(name),
            .text(entry.picture), .bytes(entry.embedding.littleEndianBytes))
          added += database.changedCount
        }
        return nil
      }
    } catch {
      throw CommandFailure(error)
    }
    if let other { throw other.failure(path) }
    return added
  }

  /// All that are enrolled, if a bundle can be compared with them.
  func entries(for embedder: EmbedderIdentity) throws(CommandFailure) -> MemoryGallery {
    try reading { () throws(StoreError) in
      guard try rowsOfOwner().first?.first?.text == embedder.digest else { return nil }
      var gallery = MemoryGallery()
      for row in try database.rows("SELECT name, embedding FROM face ORDER BY id") {
        guard let name = row[0].text, let bytes = row[1].bytes else { continue }
        gallery.enroll(Embedding(littleEndianBytes: bytes), as: name)
      }
      return gallery
    }
  }

  /// The names, in order, and how many embeddings each has.
  func names() throws(CommandFailure) -> [(name: String, count: Int)] {
    do throws(StoreError) {
      return try database.rows("SELECT name, COUNT(*) FROM face GROUP BY name ORDER BY name")
        .map { ($0[0].text ?? "", Int(clamping: $0[1].integer ?? 0)) }
    } catch {
      throw CommandFailure(error)
    }
  }

  /// Removes a name and says how many embeddings it had.
  func remove(_ name: String) throws(CommandFailure) -> Int {
    do throws(StoreError) {
      try database.execute("DELETE FROM face WHERE name = ?", .text(name))
      return database.changedCount
    } catch {
      throw CommandFailure(error)
    }
  }
}

// MARK: The database

extension GalleryFile {
  /// Why embeddings have no place in a gallery.
  fileprivate enum Refusal {
    case madeBy(String)

    func failure(_ path: String) -> CommandFailure {
      switch self {
      case .madeBy(let other):
        .input(
          "other-embedder",
          "\(path): the gallery was made with another embedder (\(other)), whose numbers mean "
            + "something else; enrol into a new one")
      }
    }
  }

  private func makeTables() throws(StoreError) {
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
  private func claim(by embedder: EmbedderIdentity) throws(StoreError) -> Refusal? {
    guard let owner = try rowsOfOwner().first else {
      try database.execute(
        "INSERT INTO embedder VALUES (?, ?)", .text(embedder.digest), .text(embedder.name))
      return nil
    }
    return owner[0].text == embedder.digest ? nil : .madeBy(owner[1].text ?? "?")
  }

  private func rowsOfOwner() throws(StoreError) -> [[StoreValue]] {
    try database.rows("SELECT digest, name FROM embedder")
  }

  private func reading<Result>(
    _ body: () throws(StoreError) -> Result?
  ) throws(CommandFailure) -> Result {
    let name: String
    do throws(StoreError) {
      if let result = try body() { return result }
      name = try rowsOfOwner().first?[1].text ?? "?"
    } catch {
      throw CommandFailure(error)
    }
    throw Refusal.madeBy(name).failure(path)
  }

  /// Refuses a database that holds something else.
  private func checkKind() throws(CommandFailure) {
    let tables: [[StoreValue]]
    do throws(StoreError) {
      tables = try database.rows(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name IN ('embedder', 'face')")
    } catch {
      throw CommandFailure(error)
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
