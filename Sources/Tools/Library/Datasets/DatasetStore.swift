import TensorIOBundle
package import TensorIOCore
package import TensorIOData
import TensorIOSystem

/// A dataset: a database of images, labels and boxes, and a folder of copied images.
///
/// Images are identified by the digest of their bytes, so an image is stored once however often it
/// is imported. Every change is committed when a method returns.
package struct DatasetStore {
  package static let fileName = "data.sqlite"

  package let name: String
  /// The folder that contains the database.
  package let folder: String
  private let database: Database

  /// Opens a dataset, or creates an empty one.
  package init(_ name: String, in folder: String, createIfMissing: Bool) throws(OperationError) {
    (self.name, self.folder) = (name, folder)
    let path = "\(folder)/\(Self.fileName)"
    do throws(ModelError) {
      let database = try Database(
        at: path, createIfMissing ? .readWriteCreate : .readWrite,
        tables: ["label", "item", "item_label", "box"])
      if createIfMissing {
        // Other processes must not see some of the tables without the others.
        try database.transaction { () throws(ModelError) in try Self.createTables(database) }
      }
      self.database = database
    } catch ModelError.databaseSchemaMismatch {
      throw .input("not-a-dataset", "\(path): the database does not contain a dataset")
    } catch {
      throw OperationError(error)
    }
  }

  /// The folder of copied images.
  package var imageFolder: String { "\(folder)/pictures" }

  /// Runs `body` with the database and converts its errors.
  func withDatabase<Value>(
    _ body: (Database) throws(ModelError) -> Value
  ) throws(OperationError) -> Value {
    do throws(ModelError) {
      return try body(database)
    } catch {
      throw OperationError(error)
    }
  }
}

// MARK: Reading

extension DatasetStore {
  /// Loads all items, in the order in which they were imported.
  package func loadItems() throws(OperationError) -> StoredItems {
    try withDatabase { (database) throws(ModelError) in
      let labels = try database.rows("SELECT id, name FROM label ORDER BY id")
      let ids = labels.compactMap(\.[0].integer)
      let labelIndices = Dictionary(uniqueKeysWithValues: zip(ids, ids.indices))
      var items = try Self.itemsWithoutAnnotations(database)
      let rows = Dictionary(uniqueKeysWithValues: zip(items.map(\.id), items.indices))
      for row in try database.rows("SELECT item, label FROM item_label ORDER BY item, label") {
        guard let item = row[0].integer.flatMap({ rows[$0] }),
          let label = row[1].integer.flatMap({ labelIndices[$0] })
        else { continue }
        items[item].labels.append(label)
      }
      for row in try database.rows("SELECT * FROM box ORDER BY id") {
        guard let item = row[1].integer.flatMap({ rows[$0] }),
          let label = row[2].integer.flatMap({ labelIndices[$0] })
        else { continue }
        items[item].boxes.append(Self.box(row, label))
      }
      return StoredItems(items, labels: labels.map { $0[1].text ?? "" })
    }
  }

  private static func itemsWithoutAnnotations(
    _ database: Database
  ) throws(ModelError) -> [StoredItem] {
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
  /// Adds an image unless the dataset contains it, and returns whether it was added.
  package func insert(_ item: ImportedItem, at path: String, digest: String) throws(OperationError)
    -> Bool
  {
    try withDatabase { (database) throws(ModelError) in
      try database.transaction { () throws(ModelError) in
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

  /// Returns whether the dataset contains an image with the given digest.
  package func contains(digest: String) throws(OperationError) -> Bool {
    try withDatabase { (database) throws(ModelError) in
      try !database.rows("SELECT 1 FROM item WHERE digest = ?", .text(digest)).isEmpty
    }
  }

  /// Replaces the annotations of an item by reviewed ones.
  package func saveReview(
    of id: Int64, labels: [String], boxes: [(label: String, box: AnnotatedBox)]
  ) throws(OperationError) {
    try withDatabase { (database) throws(ModelError) in
      try database.transaction { () throws(ModelError) in
        try Self.deleteAnnotations(of: id, database)
        try database.execute("UPDATE item SET reviewed = 1 WHERE id = ?", .integer(id))
        try Self.insertAnnotations(of: id, labels: labels, boxes: boxes, database)
      }
    }
  }

  /// Assigns items to a split.
  package func assign(_ items: [StoredItem], toSplit split: DatasetSplit) throws(OperationError) {
    try withDatabase { (database) throws(ModelError) in
      try database.transaction { () throws(ModelError) in
        for item in items {
          try database.execute(
            "UPDATE item SET part = ? WHERE id = ?", .text(split.rawValue), .integer(item.id))
        }
      }
    }
  }

  /// Removes items, and deletes their copied images.
  package func remove(_ items: [StoredItem]) throws(OperationError) {
    try withDatabase { (database) throws(ModelError) in
      try database.transaction { () throws(ModelError) in
        for item in items {
          try Self.deleteAnnotations(of: item.id, database)
          try database.execute("DELETE FROM item WHERE id = ?", .integer(item.id))
        }
      }
    }
    for item in items where item.imagePath.hasPrefix(imageFolder + "/") {
      FileSystem.remove(item.imagePath)
    }
  }

  private static func deleteAnnotations(of id: Int64, _ database: Database) throws(ModelError) {
    try database.execute("DELETE FROM item_label WHERE item = ?", .integer(id))
    try database.execute("DELETE FROM box WHERE item = ?", .integer(id))
  }

  private static func insertAnnotations(
    of id: Int64, labels: [String], boxes: [(label: String, box: AnnotatedBox)],
    _ database: Database
  ) throws(ModelError) {
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
  ) throws(ModelError) -> Int64 {
    try database.execute("INSERT OR IGNORE INTO label (name) VALUES (?)", .text(label))
    return try database.rows("SELECT id FROM label WHERE name = ?", .text(label))[0][0].integer ?? 0
  }
}

// MARK: Schema

extension DatasetStore {
  private static func createTables(_ database: Database) throws(ModelError) {
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
}
