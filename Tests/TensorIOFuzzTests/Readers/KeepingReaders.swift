import TensorIOSystem
@testable import TensorIOCommand
@testable import TensorIOCore
@testable import TensorIOEvaluation
@testable import TensorIOJSON
@testable import TensorIOLibrary
@testable import TensorIOLiteRT
@testable import TensorIOTraining

/// Readers of what the program itself has kept, which somebody may have changed.
enum KeepingReaders {
  static func settings(_ bytes: [UInt8]) throws(BrokenPromise) {
    guard let settings = unlessRefused({ try Settings(parsing: bytes, path: "settings.json") })
    else { return }
    try promise(
      (settings.threads ?? 1) > 0 && (settings.top ?? 1) > 0, "a count that is not positive")
  }

  /// No item ends before the one before it, or beyond the text that tells of it.
  static func ledger(_ bytes: [UInt8]) throws(BrokenPromise) {
    guard let ledger = ResultLog(bytes) else { return }
    var last = (end: 0, ledgerEnd: ResultLog.header.count)
    for entry in ledger.entries(while: { _ in true }) {
      try promise(
        entry.resultEnd >= last.end && entry.logEnd > last.ledgerEnd && entry.logEnd <= bytes.count,
        "an item is out of order")
      last = (entry.resultEnd, entry.logEnd)
    }
  }

  /// What is accepted is written so that it reads as the same again.
  static func checkpoint(_ bytes: [UInt8]) throws(BrokenPromise) {
    guard let record = record(bytes) else { return }
    let text = record.json
    try promise(self.record(text)?.json == text, "what was written reads as something else")
  }

  private static func record(_ bytes: [UInt8]) -> CheckpointMetadata? {
    unlessRefused { try CheckpointMetadata(JSONDocument(parsing: bytes).root) }
  }

  /// What came of an item is written so that it reads as the same again, and so is a journal.
  static func journal(_ bytes: [UInt8]) throws(BrokenPromise) {
    if let item = EvaluatedItem(jsonLine: bytes) {
      try promise(EvaluatedItem(jsonLine: item.jsonLine)?.jsonLine == item.jsonLine, "an item reads as another")
    }
    let path = try FuzzedFile.holding(subject.jsonLine + [ASCII.lineFeed] + bytes, named: "journal")
    guard let items = journal(at: path) else { return }
    try promise(journal(at: path)?.keys == items.keys, "a journal has other items the second time")
  }

  private static let subject = EvaluationLogHeader(bundleDigest: "b", data: "d", count: 2, options: [])

  private static func journal(at path: String) -> [Int: EvaluatedItem]? {
    unlessRefused { try EvaluationLog(at: path, of: subject, resuming: true).completedItems }
  }

  /// What is accepted is written so that it reads as the same again, and is shown in every form.
  static func report(_ bytes: [UInt8]) throws(BrokenPromise) {
    guard let report = unlessRefused({ try EvaluationReport(json: bytes) }) else { return }
    let text = report.json
    let again = unlessRefused { try EvaluationReport(json: text).json }
    try promise(again == text, "what was written reads as something else")
    _ = (ReportPage(report).html, report.metricsCSV, report.perClassCSV, report.textLines)
  }

  /// What is remembered of a model names a folder, and nothing outside of it.
  static func digest(_ bytes: [UInt8]) throws(BrokenPromise) {
    // The root's identity is that of a file that was there long before.
    guard let identity = FileIdentity("/") else { return }
    _ = try FuzzedFile.holding(bytes, named: "digests/\(identity.key)")
    let digests = DigestCache(in: WeightCache(path: try FuzzedFile.folder()))
    let digest = digests.digest(of: identity) { [1, 2, 3] }
    try promise(digest.allSatisfy(\.isHexDigit), "a digest is \(digest)")
  }
}
