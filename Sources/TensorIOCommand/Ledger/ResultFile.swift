internal import TensorIOCore
internal import TensorIOSystem

/// Results as lines in a file, and beside it the ledger that says which items they are of.
///
/// Lines are written before the ledger tells of them. So what a killed process leaves behind the
/// last place that the ledger knows, half a line or a whole one, is cut off and run again, and
/// nothing that the ledger knows is.
final class ResultFile: ResultSink {
  /// What the ledger's name ends in, behind that of the results.
  static let ledgerEnding = ".ledger"

  let recorded: RecordedItems
  private let path: String
  private let writer: RecordWriter
  private var results: AppendedFile
  private var ledger: AppendedFile

  /// Begins a file, or goes on with one.
  init(_ path: String, _ writer: RecordWriter, isResuming: Bool) throws(CommandFailure) {
    if !isResuming, FileKind(at: path) != nil { throw .alreadyThere(path) }
    self.path = path
    self.writer = writer
    do throws(FileFault) {
      var ledger = try Self.ledger(of: path, isResuming: isResuming)
      var results = try AppendedFile(path)
      let entries = try Self.entries(of: path, upTo: results.byteCount)
      try ledger.truncate(to: entries.last?.ledgerEnd ?? LedgerText.head.count)
      try results.truncate(to: entries.last?.end ?? 0)
      recorded = entries.reduce(into: RecordedItems()) { $0.add($1.key, $1.outcome) }
      self.ledger = ledger
      self.results = results
    } catch {
      throw .unwritable(path, Self.problem(error))
    }
  }

  /// The ledger, which is begun before its results, and not where there are results without one.
  private static func ledger(
    of path: String, isResuming: Bool
  ) throws(FileFault) -> AppendedFile {
    let hasResults = FileKind(at: path) != nil
    guard !hasResults || FileKind(at: path + ledgerEnding) != nil else { throw .notAFile }
    var ledger = try AppendedFile(path + ledgerEnding)
    if !hasResults, !isResuming || ledger.byteCount < LedgerText.head.count {
      try ledger.truncate(to: 0)
      try ledger.append(LedgerText.head)
    }
    return ledger
  }

  /// What the ledger knows of results that are there.
  private static func entries(
    of path: String, upTo byteCount: Int
  ) throws(FileFault) -> [LedgerText.Entry] {
    let bytes = try FileBytes.contents(of: path + ledgerEnding, limit: .max - 1)
    guard let ledger = LedgerText(bytes) else { throw .notAFile }
    let entries = ledger.entries { $0.end <= byteCount }
    if let end = entries.last?.end, try !isLineEnd(end, in: path) { throw .shrank }
    return entries
  }

  /// Whether a line ends where the ledger says so, as it does unless somebody has changed the file.
  private static func isLineEnd(_ end: Int, in path: String) throws(FileFault) -> Bool {
    guard end > 0 else { return false }
    return try ReadableFile(path).bytes(end - 1..<end) == [UInt8(ascii: "\n")]
  }

  private static func problem(_ fault: FileFault) -> String {
    switch fault {
    case .notAFile: "it has no ledger (\(ledgerEnding)), so nobody knows what it holds"
    case .shrank: "somebody has changed it, so its ledger (\(ledgerEnding)) does not fit it"
    default: fault.problem
    }
  }

  func begin() throws(CommandFailure) {
    if results.byteCount == 0 { try append(writer.head) }
  }

  func write(_ record: RunRecord, key: String?, isFirst: Bool) throws(CommandFailure) {
    try append(writer.bytes(of: record, isFirst: isFirst))
    guard let key else { return }
    let outcome: RecordedItems.Outcome = record.failure == nil ? .answered : .failed
    let line = LedgerText.line(key, outcome, end: results.byteCount)
    try written { () throws(FileFault) in try ledger.append(line) }
  }

  func end() {}

  private func append(_ bytes: [UInt8]) throws(CommandFailure) {
    try written { () throws(FileFault) in try results.append(bytes) }
  }

  private func written(_ body: () throws(FileFault) -> Void) throws(CommandFailure) {
    do throws(FileFault) {
      try body()
    } catch {
      throw .unwritable(path, error.problem)
    }
  }
}
