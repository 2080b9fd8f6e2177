import Foundation
import TensorIOTestSupport
import Testing
@testable import TensorIOLibrary

@Suite struct DatabaseTests {
  private func table() throws -> Database {
    let database = try Database(at: ":memory:")
    try database.execute("CREATE TABLE face (name TEXT UNIQUE, value)")
    return database
  }

  @Test func `Values come back as they went in`() throws {
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

  @Test func `A statement runs many times, each with its own values`() throws {
    let database = try table()
    let insert = try database.prepare("INSERT INTO face VALUES (?, ?)")
    for number in 0..<100 { try insert.execute([.text("\(number)"), .integer(Int64(number))]) }
    let above = try database.prepare("SELECT count(*), avg(value) FROM face WHERE value >= ?")
    #expect(try above.rows([50]) == [[50, 74.5]])
    #expect(try above.rows([98]).first?[1].real == 98.5)
  }

  @Test func `A transaction is done as a whole or not at all`() throws {
    let database = try table()
    #expect(throws: DatabaseError.self) {
      try database.transaction { () throws(DatabaseError) in
        try database.execute("INSERT INTO face VALUES ('a', 1)")
        try database.execute("INSERT INTO face VALUES ('a', 2)")
      }
    }
    #expect(try database.rows("SELECT * FROM face").isEmpty)
    try database.transaction { () throws(DatabaseError) in
      try database.execute("INSERT INTO face VALUES ('a', 1)")
    }
    #expect(try database.rows("SELECT * FROM face") == [["a", 1]])
  }

  @Test func `What is committed is there for others, and after the process`() throws {
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

  @Test func `Who does not get to write in time is told that somebody else does`() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/a.sqlite"
    let first = try Database(at: path)
    let second = try Database(at: path, busyTimeout: .milliseconds(20))
    try first.beginTransaction()
    #expect(throws: DatabaseError(.busy, path: path)) { try second.beginTransaction() }
    first.rollback()
    try second.beginTransaction()
  }
}

@Suite struct StoreErrorTests {
  private func reason(_ body: () throws(DatabaseError) -> Void) -> DatabaseError.Reason? {
    do throws(DatabaseError) {
      try body()
      return nil
    } catch {
      return error.reason
    }
  }

  @Test func `A file that is missing, a folder, or no database is refused`() throws {
    let folder = try TemporaryFolder()
    let text = try folder.write(Array(repeating: UInt8(ascii: "x"), count: 4096), to: "text")
    for path in [folder.path + "/missing", folder.path, "a\0b", folder.path + "/no/folder"] {
      guard
        case .cannotOpen = reason({ () throws(DatabaseError) in _ = try Database(at: path, .readWrite) }
        )
      else { throw Unexpected(path) }
    }
    let wrong = reason { () throws(DatabaseError) in _ = try Database(at: text) }
    guard case .notADatabase = wrong else { throw Unexpected("\(wrong as Any)") }
  }

  @Test func `Values that do not fit a statement are counted, and rules are kept`() throws {
    let database = try Database(at: ":memory:")
    try database.execute("CREATE TABLE face (name TEXT UNIQUE)")
    #expect(
      reason { () throws(DatabaseError) in try database.execute("INSERT INTO face VALUES (?)") }
        == .wrongParameterCount(expected: 1, actual: 0))
    try database.execute("INSERT INTO face VALUES ('a')")
    let constraint = reason { () throws(DatabaseError) in
      try database.execute("INSERT INTO face VALUES (?)", "a")
    }
    guard case .constraint = constraint else { throw Unexpected("\(constraint as Any)") }
  }

  @Test func `What is only read is not written`() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/a.sqlite"
    try Database(at: path).execute("CREATE TABLE face (name TEXT)")
    let reader = try Database(at: path, .readOnly)
    let refusal = reason { () throws(DatabaseError) in
      try reader.execute("INSERT INTO face VALUES ('a')")
    }
    guard case .unwritable = refusal else { throw Unexpected("\(refusal as Any)") }
  }

  @Test func `A library that is not there is an error with its remedy`() {
    let error = #expect(throws: DatabaseError.self) { try SQLiteLibrary(path: "/nowhere/sqlite.so") }
    #expect(error?.isMissingLibrary == true)
    #expect(error?.description.contains(DatabaseError.installCommand) == true)
    #expect(throws: DatabaseError.self) { try SQLiteLibrary(path: "libm.so.6") }
  }

  private struct Unexpected: Error {
    let what: String
    init(_ what: String) { self.what = what }
  }
}
