internal import TensorIOCore
internal import TensorIOStore
internal import TensorIOSystem

/// Results as rows of a database, which is its own ledger: a row is there whole or not at all.
final class ResultDatabase: ResultSink {
  let recorded: RecordedItems
  private let writer: RecordWriter
  private let database: Database
  private let insertion: Statement

  /// Begins a database, or goes on with one.
  init(_ path: String, _ writer: RecordWriter, isResuming: Bool) throws(CommandFailure) {
    if !isResuming, FileKind(at: path) != nil { throw .alreadyThere(path) }
    self.writer = writer
    do throws(StoreError) {
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
        recorded.add(row[0].text ?? "", row[1] == .null ? .answered : .failed)
      }
      self.recorded = recorded
    } catch {
      throw CommandFailure(error)
    }
  }

  func begin() {}

  func write(_ record: RunRecord, key: String?, isFirst: Bool) throws(CommandFailure) {
    let line = String(
      decoding: writer.bytes(of: record, isFirst: isFirst).dropLast(), as: UTF8.self)
    do throws(StoreError) {
      try insertion.execute([
        .text(key ?? ""), .text(record.input), record.failure.map { .text($0.code) } ?? .null,
        .text(line),
      ])
    } catch {
      throw CommandFailure(error)
    }
  }

  func end() {}
}
