import Foundation
import TensorIOBundle
import TensorIOTestSupport
import Testing

@testable import TensorIOLibrary

@Suite struct DatabaseTests {
  private func table() throws -> Database {
    let database = try Database(at: ":memory:")
    try database.execute("CREATE TABLE face (name TEXT UNIQUE, value)")
    return database
  }

  @Test func `Values of every type are stored and returned unchanged`() throws {
    let database = try table()
    let values: [DatabaseValue] = [
      nil, 7, .integer(.min), 0.1, "", "Zoë'); DROP TABLE face; --", "a\0b", .blob([]),
      .blob([0, 255, 0]), .text(String(repeating: "x", count: 100_000)),
    ]
    for (index, value) in values.enumerated() {
      try database.execute("INSERT INTO face VALUES (?, ?)", .text("\(index)"), value)
      #expect(database.lastInsertedRowID == Int64(index + 1))
    }
    #expect(try database.rows("SELECT value FROM face ORDER BY rowid").map { $0[0] } == values)
    try database.execute("DELETE FROM face WHERE value IS NOT NULL")
    #expect(database.changedRowCount == values.count - 1)
  }

  @Test func `A statement can run repeatedly with different values`() throws {
    let database = try table()
    let insert = try database.prepare("INSERT INTO face VALUES (?, ?)")
    for number in 0..<100 { try insert.execute([.text("\(number)"), .integer(Int64(number))]) }
    let above = try database.prepare("SELECT count(*), avg(value) FROM face WHERE value >= ?")
    #expect(try above.rows([50]) == [[50, 74.5]])
    #expect(try above.rows([98]).first?[1].real == 98.5)
  }

  @Test func `A transaction that throws is rolled back completely`() throws {
    let database = try table()
    #expect(throws: ModelError.self) {
      try database.transaction { () throws(ModelError) in
        try database.execute("INSERT INTO face VALUES ('a', 1)")
        try database.execute("INSERT INTO face VALUES ('a', 2)")
      }
    }
    #expect(try database.rows("SELECT * FROM face").isEmpty)
    try database.transaction { () throws(ModelError) in
      try database.execute("INSERT INTO face VALUES ('a', 1)")
    }
    #expect(try database.rows("SELECT * FROM face") == [["a", 1]])
  }

  @Test func `Committed changes are visible to other connections`() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/a.sqlite"
    let writer = try Database(at: path)
    try writer.execute("CREATE TABLE face (name TEXT)")
    try writer.beginTransaction()
    try writer.execute("INSERT INTO face VALUES ('a')")
    let reader = try Database(at: path, .readOnly)
    #expect(try reader.rows("SELECT * FROM face").isEmpty)
    try writer.commit()
    #expect(try reader.rows("SELECT * FROM face") == [["a"]])
  }

  @Test func `A writer that waits longer than the busy timeout gets a busy error`() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/a.sqlite"
    let first = try Database(at: path)
    let second = try Database(at: path, busyTimeout: .milliseconds(20))
    try first.beginTransaction()
    let error = #expect(throws: ModelError.self) { try second.beginTransaction() }
    #expect(error?.code == "database-busy" && error?.file == path)
    first.rollback()
    try second.beginTransaction()
  }
}

@Suite struct DatabaseErrorTests {
  private func code(_ body: () throws(ModelError) -> Void) -> String? {
    do throws(ModelError) {
      try body()
      return nil
    } catch {
      return error.code
    }
  }

  @Test func `Missing files, directories and other files are rejected`() throws {
    let folder = try TemporaryFolder()
    let text = try folder.write(Array(repeating: UInt8(ascii: "x"), count: 4096), to: "text")
    for path in [folder.path + "/missing", folder.path, "a\0b", folder.path + "/no/folder"] {
      let found = code { () throws(ModelError) in _ = try Database(at: path, .readWrite) }
      #expect(found == "database-cannot-open", "\(path)")
    }
    #expect(code { () throws(ModelError) in _ = try Database(at: text) } == "not-a-database")
  }

  @Test func `A wrong number of values and a violated constraint are errors`() throws {
    let database = try Database(at: ":memory:")
    try database.execute("CREATE TABLE face (name TEXT UNIQUE)")
    let error = #expect(throws: ModelError.self) {
      try database.execute("INSERT INTO face VALUES (?)")
    }
    #expect(error?.number("expected") == 1 && error?.number("actual") == 0)
    try database.execute("INSERT INTO face VALUES ('a')")
    let constraint = code { () throws(ModelError) in
      try database.execute("INSERT INTO face VALUES (?)", "a")
    }
    #expect(constraint == "database-constraint")
  }

  @Test func `A read-only connection cannot write`() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/a.sqlite"
    try Database(at: path).execute("CREATE TABLE face (name TEXT)")
    let reader = try Database(at: path, .readOnly)
    let error = code { () throws(ModelError) in try reader.execute("INSERT INTO face VALUES ('a')")
    }
    #expect(error == "database-unwritable")
  }

  @Test func `The error of a missing library contains the install command`() {
    let error = #expect(throws: ModelError.self) {
      try SQLiteLibrary(path: "/nowhere/sqlite.so")
    }
    #expect(error?.code == "sqlite-missing")
    #expect(error?.recoverySuggestion == SQLiteLibrary.installCommand)
    #expect(throws: ModelError.self) { try SQLiteLibrary(path: "libm.so.6") }
  }

  @Test func `A database with other tables is rejected and not changed`() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/other.sqlite"
    do {
      let library = try Database(at: ":memory:")
      try library.execute("ATTACH ? AS other", .text(path))
      try library.execute("CREATE TABLE other.note (text TEXT)")
    }
    let before = try Data(contentsOf: URL(filePath: path))
    for mode in [Database.Mode.readWriteCreate, .readWrite, .readOnly] {
      #expect(
        code { () throws(ModelError) in _ = try Database(at: path, mode, tables: ["face"]) }
          == "database-schema-mismatch")
    }
    #expect(try Data(contentsOf: URL(filePath: path)) == before)
    let empty = folder.path + "/empty.sqlite"
    let created = try Database(at: empty, tables: ["face"])
    try created.execute("CREATE TABLE face (name TEXT)")
    _ = try Database(at: empty, .readWrite, tables: ["face"])
  }
}
