import TensorIOCore
import TensorIOLibrary
import TensorIOSystem
import TensorIOTasks

/// Results as lines in a file, and beside it the ledger that says which items they are of.
///
/// Lines are written before the ledger tells of them. So what a killed process leaves behind the
/// last place that the ledger knows, half a line or a whole one, is cut off and run again, and
/// nothing that the ledger knows is.
final class ResultFile: ResultSink {
  /// What the ledger's name ends in, behind that of the results.
  static let logSuffix = ".ledger"

  let recorded: RecordedItems
  private let path: String
  private let writer: RecordWriter
  private var results: AppendableFile
  private var openLog: AppendableFile

  /// Begins a file, or goes on with one.
  init(_ path: String, _ writer: RecordWriter, isResuming: Bool) throws(OperationError) {
    if !isResuming, FileKind(at: path) != nil { throw .fileExists(path) }
    self.path = path
    self.writer = writer
    do throws(FileError) {
      var ledger = try Self.openLog(of: path, isResuming: isResuming)
      var results = try AppendableFile(path)
      let entries = try Self.logEntries(of: path, upTo: results.byteCount)
      try ledger.truncate(to: entries.last?.logEnd ?? ResultLog.header.count)
      try results.truncate(to: entries.last?.resultEnd ?? 0)
      recorded = entries.reduce(into: RecordedItems()) { $0.add($1.key, $1.outcome) }
      self.openLog = ledger
      self.results = results
    } catch {
      throw .unwritable(path, Self.message(for: error))
    }
  }

  /// The ledger, which is begun before its results, and not where there are results without one.
  private static func openLog(
    of path: String, isResuming: Bool
  ) throws(FileError) -> AppendableFile {
    let hasResults = FileKind(at: path) != nil
    guard !hasResults || FileKind(at: path + logSuffix) != nil else { throw .notARegularFile }
    var ledger = try AppendableFile(path + logSuffix)
    if !hasResults, !isResuming || ledger.byteCount < ResultLog.header.count {
      try ledger.truncate(to: 0)
      try ledger.append(ResultLog.header)
    }
    return ledger
  }

  /// What the ledger knows of results that are there.
  private static func logEntries(
    of path: String, upTo byteCount: Int
  ) throws(FileError) -> [ResultLog.Entry] {
    let bytes = try FileBytes.contents(of: path + logSuffix, limit: .max - 1)
    guard let ledger = ResultLog(bytes) else { throw .notARegularFile }
    let entries = ledger.entries { $0.resultEnd <= byteCount }
    if let end = entries.last?.resultEnd, try !isLineEnd(end, in: path) { throw .truncated }
    return entries
  }

  /// Whether a line ends where the ledger says so, as it does unless somebody has changed the file.
  private static func isLineEnd(_ end: Int, in path: String) throws(FileError) -> Bool {
    guard end > 0 else { return false }
    return try ReadableFile(path).bytes(in: end - 1..<end) == [UInt8(ascii: "\n")]
  }

  private static func message(for fault: FileError) -> String {
    switch fault {
    case .notARegularFile: "it has no ledger (\(logSuffix)), so nobody knows what it holds"
    case .truncated: "somebody has changed it, so its ledger (\(logSuffix)) does not fit it"
    default: fault.message
    }
  }

  func begin() throws(OperationError) {
    if results.byteCount == 0 { try append(writer.header) }
  }

  func write(_ record: RunRecord, key: String?, isFirst: Bool) throws(OperationError) {
    try append(writer.bytes(of: record, isFirst: isFirst))
    guard let key else { return }
    let outcome: RecordedItems.Outcome = record.error == nil ? .succeeded : .failed
    let line = ResultLog.line(key, outcome, end: results.byteCount)
    try written { () throws(FileError) in try openLog.append(line) }
  }

  func end() {}

  private func append(_ bytes: [UInt8]) throws(OperationError) {
    try written { () throws(FileError) in try results.append(bytes) }
  }

  private func written(_ body: () throws(FileError) -> Void) throws(OperationError) {
    do throws(FileError) {
      try body()
    } catch {
      throw .unwritable(path, error.message)
    }
  }
}

/// Results as rows of a database, which is its own ledger: a row is there whole or not at all.
final class ResultDatabase: ResultSink {
  let recorded: RecordedItems
  private let writer: RecordWriter
  private let database: Database
  private let insertion: SQLiteStatement

  /// Begins a database, or goes on with one.
  init(_ path: String, _ writer: RecordWriter, isResuming: Bool) throws(OperationError) {
    if !isResuming, FileKind(at: path) != nil { throw .fileExists(path) }
    self.writer = writer
    do throws(DatabaseError) {
      database = try Database(at: path)
      try database.execute(
        """
        CREATE TABLE IF NOT EXISTS result (
          id INTEGER PRIMARY KEY, key TEXT NOT NULL, input TEXT NOT NULL, error TEXT,
          record TEXT NOT NULL)
        """)
      insertion = try database.prepare(
        "INSERT INTO result (key, input, error, record) VALUES (?, ?, ?, ?)")
      var recorded = RecordedItems()
      try database.prepare("SELECT key, error FROM result").forEachRow([]) { row in
        recorded.add(row[0].text ?? "", row[1] == .null ? .succeeded : .failed)
      }
      self.recorded = recorded
    } catch {
      throw OperationError(error)
    }
  }

  func begin() {}

  func write(_ record: RunRecord, key: String?, isFirst: Bool) throws(OperationError) {
    let line = String(
      decoding: writer.bytes(of: record, isFirst: isFirst).dropLast(), as: UTF8.self)
    do throws(DatabaseError) {
      try insertion.execute([
        .text(key ?? ""), .text(record.input), record.error.map { .text($0.code) } ?? .null,
        .text(line),
      ])
    } catch {
      throw OperationError(error)
    }
  }

  func end() {}
}
