/// The log of recorded items beside a result file: a header, and a line `KEY OUTCOME END` per item.
package struct ResultLog {
  /// The entry of an item.
  package struct Entry {
    package let key: String
    package let outcome: RecordedItems.Outcome
    /// The offset in the result file at which the item's record ends.
    package let resultEnd: Int
    /// The offset in the log at which the item's line ends.
    package let logEnd: Int
  }

  package static let header = Array("tensorio ledger 1\n".utf8)

  private let bytes: [UInt8]

  /// Reads a log; returns `nil` if the header is missing.
  package init?(_ bytes: [UInt8]) {
    guard bytes.starts(with: Self.header) else { return nil }
    self.bytes = bytes
  }

  /// Returns the line of an item.
  package static func line(_ key: String, _ outcome: RecordedItems.Outcome, end: Int) -> [UInt8] {
    Array("\(key) \(outcome == .succeeded ? "ok" : "failed") \(end)\n".utf8)
  }

  /// Returns the entries before the first line that is incomplete, malformed or fails `predicate`.
  package func entries(while predicate: (Entry) -> Bool) -> [Entry] {
    var entries: [Entry] = []
    var start = Self.header.count
    while let newline = bytes[start...].firstIndex(of: UInt8(ascii: "\n")),
      let entry = Self.entry(bytes[start..<newline], logEnd: newline + 1),
      entry.resultEnd >= entries.last?.resultEnd ?? 0, predicate(entry)
    {
      entries.append(entry)
      start = newline + 1
    }
    return entries
  }

  private static func entry(_ line: ArraySlice<UInt8>, logEnd: Int) -> Entry? {
    let words = String(decoding: line, as: UTF8.self).split(separator: " ")
    guard words.count == 3, let end = Int(words[2]), ["ok", "failed"].contains(words[1]) else {
      return nil
    }
    return Entry(
      key: String(words[0]), outcome: words[1] == "ok" ? .succeeded : .failed, resultEnd: end,
      logEnd: logEnd)
  }
}
