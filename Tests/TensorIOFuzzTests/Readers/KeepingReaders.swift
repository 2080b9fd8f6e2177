@testable internal import TensorIOCommand
@testable internal import TensorIOCore

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
    guard let ledger = LedgerText(bytes) else { return }
    var last = (end: 0, ledgerEnd: LedgerText.head.count)
    for entry in ledger.entries(while: { _ in true }) {
      try promise(
        entry.end >= last.end && entry.ledgerEnd > last.ledgerEnd && entry.ledgerEnd <= bytes.count,
        "an item is out of order")
      last = (entry.end, entry.ledgerEnd)
    }
  }

  /// What is accepted is written so that it reads as the same again.
  static func checkpoint(_ bytes: [UInt8]) throws(BrokenPromise) {
    guard let record = record(bytes) else { return }
    let text = record.json
    try promise(self.record(text)?.json == text, "what was written reads as something else")
  }

  private static func record(_ bytes: [UInt8]) -> CheckpointRecord? {
    unlessRefused { try CheckpointRecord(JSONDocument(parsing: bytes).root) }
  }
}
