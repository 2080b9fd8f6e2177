/// The text of a ledger: a line that says so, and a line for each item, `KEY OUTCOME END`.
package struct ResultLog {
  /// One item's line.
  package struct Entry {
    package let key: String
    package let outcome: RecordedItems.Outcome
    /// Where its result ends in the file of results.
    package let resultEnd: Int
    /// Where its line ends in the ledger.
    package let logEnd: Int
  }

  package static let header = Array("tensorio ledger 1\n".utf8)

  private let bytes: [UInt8]

  /// The text, if it is one of a ledger.
  package init?(_ bytes: [UInt8]) {
    guard bytes.starts(with: Self.header) else { return nil }
    self.bytes = bytes
  }

  /// The line of an item.
  package static func line(_ key: String, _ outcome: RecordedItems.Outcome, end: Int) -> [UInt8] {
    Array("\(key) \(outcome == .succeeded ? "ok" : "failed") \(end)\n".utf8)
  }

  /// The items up to the first line that is half, makes no sense, or is not wanted.
  package func entries(while isWanted: (Entry) -> Bool) -> [Entry] {
    var entries: [Entry] = []
    var start = Self.header.count
    while let newline = bytes[start...].firstIndex(of: UInt8(ascii: "\n")),
      let entry = Self.entry(bytes[start..<newline], ledgerEnd: newline + 1),
      entry.resultEnd >= entries.last?.resultEnd ?? 0, isWanted(entry)
    {
      entries.append(entry)
      start = newline + 1
    }
    return entries
  }

  private static func entry(_ line: ArraySlice<UInt8>, ledgerEnd: Int) -> Entry? {
    let words = String(decoding: line, as: UTF8.self).split(separator: " ")
    guard words.count == 3, let end = Int(words[2]), ["ok", "failed"].contains(words[1]) else {
      return nil
    }
    return Entry(
      key: String(words[0]), outcome: words[1] == "ok" ? .succeeded : .failed, resultEnd: end,
      logEnd: ledgerEnd)
  }
}
