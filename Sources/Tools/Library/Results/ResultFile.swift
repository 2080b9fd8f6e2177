import TensorIOBundle
package import TensorIOCore
import TensorIOSystem
package import TensorIOTasks

/// A result file of lines, with a log of the recorded items beside it.
///
/// A line is written before its log entry. After a crash, everything beyond the last logged offset,
/// complete or not, is cut off and run again, and every logged result is complete.
package final class ResultFile: ResultSink {
  /// The suffix of the log's file name.
  static let logSuffix = ".ledger"

  package let recorded: RecordedItems
  private let path: String
  private let encoder: any RecordEncoder
  private var results: AppendableFile
  private var log: AppendableFile

  /// Creates a result file, or resumes one.
  package init(_ path: String, _ encoder: any RecordEncoder, isResuming: Bool)
    throws(OperationError)
  {
    if !isResuming, FileKind(at: path) != nil { throw .fileExists(path) }
    self.path = path
    self.encoder = encoder
    do throws(FileError) {
      var log = try Self.openLog(of: path, isResuming: isResuming)
      var results = try AppendableFile(path)
      let entries = try Self.logEntries(of: path, upTo: results.byteCount)
      try log.truncate(to: entries.last?.logEnd ?? ResultLog.header.count)
      try results.truncate(to: entries.last?.resultEnd ?? 0)
      recorded = entries.reduce(into: RecordedItems()) { $0.add($1.key, $1.outcome) }
      self.log = log
      self.results = results
    } catch {
      throw .unwritable(path, Self.message(for: error))
    }
  }

  /// Opens the log, which is created before the result file.
  ///
  /// Results without a log are rejected.
  private static func openLog(
    of path: String, isResuming: Bool
  ) throws(FileError) -> AppendableFile {
    let hasResults = FileKind(at: path) != nil
    guard !hasResults || FileKind(at: path + logSuffix) != nil else { throw .notARegularFile }
    var log = try AppendableFile(path + logSuffix)
    if !hasResults, !isResuming || log.byteCount < ResultLog.header.count {
      try log.truncate(to: 0)
      try log.append(ResultLog.header)
    }
    return log
  }

  /// Reads the log entries whose results are within the result file.
  private static func logEntries(
    of path: String, upTo byteCount: Int
  ) throws(FileError) -> [ResultLog.Entry] {
    let bytes = try FileBytes.contents(of: path + logSuffix, limit: .max - 1)
    guard let log = ResultLog(bytes) else { throw .notARegularFile }
    let entries = log.entries { $0.resultEnd <= byteCount }
    if let end = entries.last?.resultEnd, try !isLineEnd(end, in: path) { throw .truncated }
    return entries
  }

  /// Whether a line ends at a logged offset, which is false if the file was changed.
  private static func isLineEnd(_ end: Int, in path: String) throws(FileError) -> Bool {
    guard end > 0 else { return false }
    return try ReadableFile(path).bytes(in: end - 1..<end) == [UInt8(ascii: "\n")]
  }

  private static func message(for error: FileError) -> String {
    switch error {
    case .notARegularFile: "cannot resume: the log (\(logSuffix)) is missing or invalid"
    case .truncated: "cannot resume: the file does not match its log (\(logSuffix))"
    default: error.message
    }
  }

  package func begin() throws(OperationError) {
    if results.byteCount == 0 { try append(encoder.header) }
  }

  package func write(_ record: RunRecord, key: String?, isFirst: Bool) throws(OperationError) {
    try append(encoder.bytes(of: record, isFirst: isFirst))
    guard let key else { return }
    let outcome: RecordedItems.Outcome = record.error == nil ? .succeeded : .failed
    let line = ResultLog.line(key, outcome, end: results.byteCount)
    try written { () throws(FileError) in try log.append(line) }
  }

  package func end() {}

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

/// A database of results, one row per record.
///
/// Rows are written atomically, so it needs no log.
package final class ResultDatabase: ResultSink {
  package let recorded: RecordedItems
  private let encoder: any RecordEncoder
  private let database: Database
  private let insertion: SQLiteStatement

  /// Creates a database, or resumes one.
  package init(_ path: String, _ encoder: any RecordEncoder, isResuming: Bool)
    throws(OperationError)
  {
    if !isResuming, FileKind(at: path) != nil { throw .fileExists(path) }
    self.encoder = encoder
    do throws(ModelError) {
      database = try Database(at: path, tables: ["result"])
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

  package func begin() {}

  package func write(_ record: RunRecord, key: String?, isFirst: Bool) throws(OperationError) {
    let line = String(
      decoding: encoder.bytes(of: record, isFirst: isFirst).dropLast(), as: UTF8.self)
    do throws(ModelError) {
      try insertion.execute([
        .text(key ?? ""), .text(record.input), record.error.map { .text($0.code) } ?? .null,
        .text(line),
      ])
    } catch {
      throw OperationError(error)
    }
  }

  package func end() {}
}
