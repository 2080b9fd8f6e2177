/// Parses files of comma-separated values (RFC 4180).
enum CSVRecords {
  /// Returns the fields of all records; empty lines are skipped.
  ///
  /// - Parameters:
  ///   - bytes: The file.
  ///   - maxCount: The maximum number of records.
  /// - Returns: The fields of each record.
  /// - Throws: A ``ClientError`` if a quoted field is not closed, there are too many records, or the file is not UTF-8.
  static func parse(_ bytes: [UInt8], maxCount: Int = .max) throws(ClientError) -> [[String]] {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw ClientError(.badRequest, "invalid-csv", "the CSV file is not UTF-8")
    }
    var records: [[String]] = []
    var record: [String] = []
    var field = ""
    var isQuoted = false
    var characters = text.unicodeScalars.makeIterator()
    var next = characters.next()
    while let character = next {
      next = characters.next()
      switch character {
      case "\"" where isQuoted && next == "\"":
        field += "\""
        next = characters.next()
      case "\"": isQuoted.toggle()
      case ",", "\n":
        guard !isQuoted else { fallthrough }
        record.append(field)
        field = ""
        if character == "\n" {
          if record != [""] { records.append(record) }
          record = []
          guard records.count <= maxCount else {
            throw ClientError(
              .badRequest, "invalid-request", "the CSV file has more than \(maxCount) lines")
          }
        }
      case "\r" where !isQuoted && next == "\n": break
      default: field.unicodeScalars.append(character)
      }
    }
    guard !isQuoted else {
      throw ClientError(.badRequest, "invalid-csv", "the CSV file ends inside a quoted field")
    }
    if !field.isEmpty || !record.isEmpty { records.append(record + [field]) }
    return records
  }
}
