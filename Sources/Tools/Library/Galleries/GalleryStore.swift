import TensorIOBundle
package import TensorIOCore
import TensorIOSystem
package import TensorIOTasks

/// A database of embeddings with names, bound to the embedder that computed them.
///
/// Entries are enrolled atomically, and concurrent processes wait for each other. Embeddings of
/// another embedder are not comparable and are rejected.
package struct GalleryStore {
  /// An embedding to be enrolled.
  package struct Entry {
    let imagePath: String
    let embedding: Embedding

    package init(imagePath: String, embedding: Embedding) {
      self.imagePath = imagePath
      self.embedding = embedding
    }
  }

  /// The code of the error of a gallery that is bound to another embedder.
  package static let mismatchCode = "embedder-mismatch"

  private let path: String
  private let database: Database

  /// Opens a gallery; a missing or empty file is only accepted with `createIfMissing`.
  package init(_ path: String, createIfMissing: Bool = false) throws(OperationError) {
    guard createIfMissing || FileKind(at: path) != nil else {
      throw .input(
        "missing-gallery", "\(path): no such gallery")
    }
    self.path = path
    do throws(ModelError) {
      database = try Database(
        at: path, createIfMissing ? .readWriteCreate : .readWrite, tables: ["embedder", "face"])
    } catch ModelError.databaseSchemaMismatch {
      throw .input("not-a-gallery", "\(path): the database does not contain a gallery")
    } catch {
      throw OperationError(error)
    }
  }

  /// Adds embeddings under a name and returns the number of new ones.
  package func enroll(
    _ entries: [Entry], as name: String, by embedder: EmbedderIdentity
  ) throws(OperationError) -> Int {
    let mismatch: EmbedderMismatch?
    var added = 0
    do throws(ModelError) {
      mismatch = try database.transaction { () throws(ModelError) -> EmbedderMismatch? in
        try createTables()
        if let mismatch = try bind(to: embedder) { return mismatch }
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
    if let mismatch { throw mismatch.error(path) }
    return added
  }

  /// Returns all embeddings, if the gallery is bound to `embedder`.
  package func gallery(for embedder: EmbedderIdentity) throws(OperationError) -> InMemoryGallery {
    try readMatchingEmbedder { () throws(ModelError) in
      guard try embedderRows().first?.first?.text == embedder.digest else { return nil }
      var gallery = InMemoryGallery()
      for row in try database.rows("SELECT name, embedding FROM face ORDER BY id") {
        guard let name = row[0].text, let bytes = row[1].blob else { continue }
        gallery.enroll(Embedding(littleEndianBytes: bytes), as: name)
      }
      return gallery
    }
  }

  /// A number that changes when another connection changes the gallery.
  func version() throws(OperationError) -> Int64? {
    do throws(ModelError) {
      return try database.rows("PRAGMA data_version").first?.first?.integer
    } catch {
      throw OperationError(error)
    }
  }

  /// Returns the enrolled names in order, with their numbers of embeddings.
  package func nameCounts() throws(OperationError) -> [(name: String, count: Int)] {
    do throws(ModelError) {
      return try database.rows("SELECT name, COUNT(*) FROM face GROUP BY name ORDER BY name")
        .map { ($0[0].text ?? "", Int(clamping: $0[1].integer ?? 0)) }
    } catch {
      throw OperationError(error)
    }
  }

  /// Removes a name and returns its number of embeddings.
  package func remove(_ name: String) throws(OperationError) -> Int {
    do throws(ModelError) {
      try database.execute("DELETE FROM face WHERE name = ?", .text(name))
      return database.changedRowCount
    } catch {
      throw OperationError(error)
    }
  }
}

// MARK: Schema

extension GalleryStore {
  /// The name of another embedder that a gallery is bound to.
  fileprivate enum EmbedderMismatch {
    case boundTo(String)

    func error(_ path: String) -> OperationError {
      switch self {
      case .boundTo(let other):
        .input(
          mismatchCode,
          "\(path): the gallery is bound to another embedder (\(other)), whose embeddings are not "
            + "comparable; enroll into a new gallery")
      }
    }
  }

  private func createTables() throws(ModelError) {
    try database.execute(
      "CREATE TABLE IF NOT EXISTS embedder (digest TEXT NOT NULL, name TEXT NOT NULL)")
    try database.execute(
      """
      CREATE TABLE IF NOT EXISTS face (
        id INTEGER PRIMARY KEY, name TEXT NOT NULL, picture TEXT NOT NULL,
        embedding BLOB NOT NULL, UNIQUE (name, embedding))
      """)
  }

  /// Binds a new gallery to an embedder, or returns the embedder it is bound to.
  private func bind(to embedder: EmbedderIdentity) throws(ModelError) -> EmbedderMismatch? {
    guard let owner = try embedderRows().first else {
      try database.execute(
        "INSERT INTO embedder VALUES (?, ?)", .text(embedder.digest), .text(embedder.name))
      return nil
    }
    return owner[0].text == embedder.digest ? nil : .boundTo(owner[1].text ?? "?")
  }

  private func embedderRows() throws(ModelError) -> [[DatabaseValue]] {
    try database.rows("SELECT digest, name FROM embedder")
  }

  private func readMatchingEmbedder<Result>(
    _ body: () throws(ModelError) -> Result?
  ) throws(OperationError) -> Result {
    let name: String
    do throws(ModelError) {
      if let result = try body() { return result }
      name = try embedderRows().first?[1].text ?? "?"
    } catch {
      throw OperationError(error)
    }
    throw EmbedderMismatch.boundTo(name).error(path)
  }
}

/// The identity of an embedder, independent of its folder's name.
package struct EmbedderIdentity: Sendable, Hashable {
  /// The digest of everything that determines its outputs, in hexadecimal.
  package let digest: String
  /// The name for messages.
  package let name: String

  /// The identity of one bundle, or of the bundles of a chain.
  package init(_ origin: EmbeddingOrigin) throws(OperationError) {
    var digest = SHA256()
    for bundle in origin.bundles { digest.update(try BundleDigest.digest(of: bundle)) }
    name = origin.id
    self.digest = digest.finalize().hexadecimal
  }
}
