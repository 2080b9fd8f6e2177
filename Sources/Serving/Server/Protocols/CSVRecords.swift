/// Parses files of comma-separated values (RFC 4180).
enum CSVRecords {
  /// Passes all fields to a closure, record by record; empty lines are skipped.
  ///
  /// - Parameters:
  ///   - bytes: The file.
  ///   - body: Receives a field, and whether it is the last one of its record.
  /// - Throws: A ``ClientError`` if the file is not UTF-8, or a quoted field is not closed.
  static func forEachField(
    in bytes: [UInt8], _ body: (_ field: [UInt8], _ isLast: Bool) throws(ClientError) -> Void
  ) throws(ClientError) {
    guard bytes.isUTF8 else {
      throw ClientError(.badRequest, "invalid-csv", "the CSV file is not UTF-8")
    }
    var field: [UInt8] = []
    var (isQuoted, isFirst) = (false, true)
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      index += 1
      let next = index < bytes.count ? bytes[index] : nil
      switch byte {
      case .quote where isQuoted && next == .quote:
        field.append(.quote)
        index += 1
      case .quote: isQuoted.toggle()
      case .comma where !isQuoted:
        try body(field, false)
        field.removeAll(keepingCapacity: true)
        isFirst = false
      case .lineFeed where !isQuoted:
        if !isFirst || !field.isEmpty { try body(field, true) }
        field.removeAll(keepingCapacity: true)
        isFirst = true
      case .carriageReturn where !isQuoted && next == .lineFeed: break
      default: field.append(byte)
      }
    }
    guard !isQuoted else {
      throw ClientError(.badRequest, "invalid-csv", "the CSV file ends inside a quoted field")
    }
    if !isFirst || !field.isEmpty { try body(field, true) }
  }
}

extension UInt8 {
  fileprivate static let quote = UInt8(ascii: "\"")
}
