import TensorIOCore
import TensorIOData
import TensorIOLibrary
import TensorIOSystem

/// A data set: a database of pictures, labels and boxes, and the pictures that were copied into it.
///
/// A picture is known by the digest of its bytes, so that it is there once however often it is
/// imported. Whatever is told has been written.
struct DatasetStore {
  static let fileName = "data.sqlite"

  let name: String
  /// The folder of the database.
  let folder: String
  private let database: Database

  /// Opens a data set, or makes an empty one.
  init(_ name: String, in folder: String, createIfMissing: Bool) throws(OperationError) {
    (self.name, self.folder) = (name, folder)
    let path = "\(folder)/\(Self.fileName)"
    do throws(DatabaseError) {
      database = try Database(at: path, createIfMissing ? .readWriteCreate : .readWrite)
      if createIfMissing { try Self.createTables(database) }
    } catch {
      throw OperationError(error)
    }
    try validateSchema(path)
  }

  /// Where pictures are copied to.
  var imageFolder: String { "\(folder)/pictures" }

  /// Does something with the database, whose errors are the command's.
  func withDatabase<Value>(
    _ body: (Database) throws(DatabaseError) -> Value
  ) throws(OperationError) -> Value {
    do throws(DatabaseError) {
      return try body(database)
    } catch {
      throw OperationError(error)
    }
  }
}

// MARK: Reading

extension DatasetStore {
  /// All items, in the order in which they came.
  func loadItems() throws(OperationError) -> StoredItems {
    try withDatabase { (database) throws(DatabaseError) in
      let labels = try database.rows("SELECT id, name FROM label ORDER BY id")
      let ids = labels.compactMap(\.[0].integer)
      let places = Dictionary(uniqueKeysWithValues: zip(ids, ids.indices))
      var items = try Self.itemsWithoutAnnotations(database)
      let rows = Dictionary(uniqueKeysWithValues: zip(items.map(\.id), items.indices))
      for row in try database.rows("SELECT item, label FROM item_label ORDER BY item, label") {
        guard let item = row[0].integer.flatMap({ rows[$0] }),
          let label = row[1].integer.flatMap({ places[$0] })
        else { continue }
        items[item].labels.append(label)
      }
      for row in try database.rows("SELECT * FROM box ORDER BY id") {
        guard let item = row[1].integer.flatMap({ rows[$0] }),
          let label = row[2].integer.flatMap({ places[$0] })
        else { continue }
        items[item].boxes.append(Self.box(row, label))
      }
      return StoredItems(items, labels: labels.map { $0[1].text ?? "" })
    }
  }

  private static func itemsWithoutAnnotations(_ database: Database) throws(DatabaseError) -> [StoredItem] {
    try database.rows(
      "SELECT id, name, path, origin, part, reviewed FROM item ORDER BY id"
    ).map { row in
      StoredItem(
        id: row[0].integer ?? 0, name: row[1].text ?? "", imagePath: row[2].text ?? "",
        source: row[3].text ?? "", split: row[4].text.flatMap(DatasetSplit.init(rawValue:)),
        isReviewed: row[5].integer == 1)
    }
  }

  private static func box(_ row: [DatabaseValue], _ label: Int) -> AnnotatedBox {
    AnnotatedBox(
      labelIndex: label, xmin: row[3].real ?? 0, ymin: row[4].real ?? 0, xmax: row[5].real ?? 0,
      ymax: row[6].real ?? 0, isCrowd: row[7].integer == 1, isDifficult: row[8].integer == 1,
      area: row[9].real)
  }
}

// MARK: Writing

extension DatasetStore {
  /// Adds a picture that is not there yet, and says whether it was new.
  func insert(_ item: ImportedItem, at path: String, digest: String) throws(OperationError) -> Bool {
    try withDatabase { (database) throws(DatabaseError) in
      try database.transaction { () throws(DatabaseError) in
        try database.execute(
          """
          INSERT OR IGNORE INTO item (name, path, digest, origin, part, reviewed)
          VALUES (?, ?, ?, ?, ?, 0)
          """, .text(item.name), .text(path), .text(digest), .text(item.source),
          item.split.map { .text($0.rawValue) } ?? .null)
        guard database.changedRowCount == 1 else { return false }
        let id = database.lastInsertedRowID
        try Self.insertAnnotations(of: id, labels: item.labels, boxes: item.boxes, database)
        return true
      }
    }
  }

  /// Whether a picture with a digest is there.
  func contains(digest: String) throws(OperationError) -> Bool {
    try withDatabase { (database) throws(DatabaseError) in
      try !database.rows("SELECT 1 FROM item WHERE digest = ?", .text(digest)).isEmpty
    }
  }

  /// Says what somebody who has looked at a picture sees in it, in place of what was known.
  func saveReview(
    of id: Int64, labels: [String], boxes: [(label: String, box: AnnotatedBox)]
  ) throws(OperationError) {
    try withDatabase { (database) throws(DatabaseError) in
      try database.transaction { () throws(DatabaseError) in
        try Self.deleteAnnotations(of: id, database)
        try database.execute("UPDATE item SET reviewed = 1 WHERE id = ?", .integer(id))
        try Self.insertAnnotations(of: id, labels: labels, boxes: boxes, database)
      }
    }
  }

  /// Sets items apart.
  func assign(_ items: [StoredItem], toSplit part: DatasetSplit) throws(OperationError) {
    try withDatabase { (database) throws(DatabaseError) in
      try database.transaction { () throws(DatabaseError) in
        for item in items {
          try database.execute(
            "UPDATE item SET part = ? WHERE id = ?", .text(part.rawValue), .integer(item.id))
        }
      }
    }
  }

  /// Removes items; what was copied of them goes, too.
  func remove(_ items: [StoredItem]) throws(OperationError) {
    try withDatabase { (database) throws(DatabaseError) in
      try database.transaction { () throws(DatabaseError) in
        for item in items {
          try Self.deleteAnnotations(of: item.id, database)
          try database.execute("DELETE FROM item WHERE id = ?", .integer(item.id))
        }
      }
    }
    for item in items where item.imagePath.hasPrefix(imageFolder + "/") { FileSystem.remove(item.imagePath) }
  }

  private static func deleteAnnotations(of id: Int64, _ database: Database) throws(DatabaseError) {
    try database.execute("DELETE FROM item_label WHERE item = ?", .integer(id))
    try database.execute("DELETE FROM box WHERE item = ?", .integer(id))
  }

  private static func insertAnnotations(
    of id: Int64, labels: [String], boxes: [(label: String, box: AnnotatedBox)],
    _ database: Database
  ) throws(DatabaseError) {
    for label in labels {
      try database.execute(
        "INSERT OR IGNORE INTO item_label (item, label) VALUES (?, ?)", .integer(id),
        .integer(try labelID(of: label, database)))
    }
    for (label, box) in boxes {
      try database.execute(
        """
        INSERT INTO box (item, label, xmin, ymin, xmax, ymax, crowd, difficult, area)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
        """, .integer(id), .integer(try labelID(of: label, database)), .real(box.xmin),
        .real(box.ymin), .real(box.xmax), .real(box.ymax), .integer(box.isCrowd ? 1 : 0),
        .integer(box.isDifficult ? 1 : 0), .real(box.area))
    }
  }

  private static func labelID(
    of label: String, _ database: Database
  ) throws(DatabaseError) -> Int64 {
    try database.execute("INSERT OR IGNORE INTO label (name) VALUES (?)", .text(label))
    return try database.rows("SELECT id FROM label WHERE name = ?", .text(label))[0][0].integer ?? 0
  }
}

// MARK: The tables

extension DatasetStore {
  private static func createTables(_ database: Database) throws(DatabaseError) {
    try database.execute(
      "CREATE TABLE IF NOT EXISTS label (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE)")
    try database.execute(
      """
      CREATE TABLE IF NOT EXISTS item (
        id INTEGER PRIMARY KEY, name TEXT NOT NULL, path TEXT NOT NULL,
        digest TEXT NOT NULL UNIQUE, origin TEXT NOT NULL, part TEXT, reviewed INTEGER NOT NULL)
      """)
    try database.execute(
      """
      CREATE TABLE IF NOT EXISTS item_label (
        item INTEGER NOT NULL, label INTEGER NOT NULL, PRIMARY KEY (item, label))
      """)
    try database.execute(
      """
      CREATE TABLE IF NOT EXISTS box (
        id INTEGER PRIMARY KEY, item INTEGER NOT NULL, label INTEGER NOT NULL, xmin REAL NOT NULL,
        ymin REAL NOT NULL, xmax REAL NOT NULL, ymax REAL NOT NULL, crowd INTEGER NOT NULL,
        difficult INTEGER NOT NULL, area REAL NOT NULL)
      """)
    try database.execute("CREATE INDEX IF NOT EXISTS box_item ON box (item)")
  }

  private func validateSchema(_ path: String) throws(OperationError) {
    let tables = try withDatabase { (database) throws(DatabaseError) in
      try database.rows(
        """
        SELECT name FROM sqlite_master
        WHERE type = 'table' AND name IN ('label', 'item', 'item_label', 'box')
        """)
    }
    guard tables.count == 4 else {
      throw .input("not-a-dataset", "\(path): the database holds no data set")
    }
  }
}
