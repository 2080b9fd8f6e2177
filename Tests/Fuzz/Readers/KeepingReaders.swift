import TensorIOSystem

@testable import TensorIOCommand
@testable import TensorIOCore
@testable import TensorIOEvaluation
@testable import TensorIOJSON
@testable import TensorIOLibrary
@testable import TensorIOLiteRT
@testable import TensorIOTraining

/// Readers of files that the program writes, which may have been modified.
enum KeepingReaders {
  static func settings(_ bytes: [UInt8]) throws(PropertyViolation) {
    guard let settings = unlessRejected({ try Settings(parsing: bytes, path: "settings.json") })
    else { return }
    try verify(
      (settings.threads ?? 1) > 0 && (settings.top ?? 1) > 0, "a count is not positive")
  }

  /// Items are in order and within the log.
  static func ledger(_ bytes: [UInt8]) throws(PropertyViolation) {
    guard let ledger = ResultLog(bytes) else { return }
    var last = (end: 0, ledgerEnd: ResultLog.header.count)
    for entry in ledger.entries(while: { _ in true }) {
      try verify(
        entry.resultEnd >= last.end && entry.logEnd > last.ledgerEnd && entry.logEnd <= bytes.count,
        "an item is out of order")
      last = (entry.resultEnd, entry.logEnd)
    }
  }

  /// Accepted metadata is equal after writing and reading.
  static func checkpoint(_ bytes: [UInt8]) throws(PropertyViolation) {
    guard let record = record(bytes) else { return }
    let text = record.json
    try verify(self.record(text)?.json == text, "the metadata differs after writing")
  }

  private static func record(_ bytes: [UInt8]) -> CheckpointMetadata? {
    unlessRejected { try CheckpointMetadata(JSONDocument(parsing: bytes).root) }
  }

  /// Accepted items and logs are equal after writing and reading.
  static func journal(_ bytes: [UInt8]) throws(PropertyViolation) {
    if let item = EvaluatedItem(jsonLine: bytes) {
      try verify(
        EvaluatedItem(jsonLine: item.jsonLine)?.jsonLine == item.jsonLine,
        "an item differs after writing")
    }
    let path = try FuzzedFile.holding(subject.jsonLine + [ASCII.lineFeed] + bytes, named: "journal")
    guard let items = journal(at: path) else { return }
    try verify(
      journal(at: path)?.keys == items.keys, "a log has different items when it is read again")
  }

  private static let subject = EvaluationLogHeader(
    bundleDigest: "b", data: "d", count: 2, options: [])

  private static func journal(at path: String) -> [Int: EvaluatedItem]? {
    unlessRejected { try EvaluationLog(at: path, of: subject, resuming: true).completedItems }
  }

  /// Accepted reports are equal after writing and reading, and can be rendered in all formats.
  static func report(_ bytes: [UInt8]) throws(PropertyViolation) {
    guard let report = unlessRejected({ try EvaluationReport(json: bytes) }) else { return }
    let text = report.json
    let again = unlessRejected { try EvaluationReport(json: text).json }
    try verify(again == text, "a report differs after writing")
    _ = (ReportPage(report).html, report.metricsCSV, report.perClassCSV, report.textLines)
  }

  /// Accepted references are equal after writing and reading, and every number has a bin.
  static func reference(_ bytes: [UInt8]) throws(PropertyViolation) {
    guard let reference = unlessRejected({ try DriftReference(parsing: bytes) }) else { return }
    let again = unlessRejected { try DriftReference(parsing: reference.bytes) }
    try verify(again == reference, "a reference differs after writing")
    for distribution in reference.distributions {
      for number in distribution.edges + [-.infinity, .nan, 0] {
        try verify(
          (0...distribution.counts.count).contains(distribution.bin(of: number)),
          "a number has no bin")
      }
      _ = DriftReport.Row(distribution, counts: distribution.counts, missing: 1)
    }
  }

  /// A cached digest is a valid file name.
  static func digest(_ bytes: [UInt8]) throws(PropertyViolation) {
    // The root folder is old enough for its digest to be cached.
    guard let identity = FileIdentity("/") else { return }
    _ = try FuzzedFile.holding(bytes, named: "digests/\(identity.key)")
    let digests = DigestCache(in: WeightCache(path: try FuzzedFile.folder()))
    let digest = digests.digest(of: identity) { [1, 2, 3] }
    try verify(digest.allSatisfy(\.isHexDigit), "the digest is \(digest)")
  }
}
