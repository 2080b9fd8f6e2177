import TensorIOCore
import TensorIOImage
import TensorIOJSON
import TensorIOSystem

extension ResultColumn {
  /// Returns a function that shows an entry of the column in a line of text; it is made once for many entries.
  ///
  /// A record is the texts of its members, without those that are missing. Of lists and images, only the size is shown.
  var entryText: (Int) -> String {
    switch self {
    case .numbers(let numbers):
      switch numbers.elements {
      case .floats(let values): { values[$0].formatted(decimals: 4) }
      case .doubles(let values): { values[$0].formatted(decimals: 4) }
      case .integers(let values): { "\(values[$0])" }
      case .booleans(let values): { "\(values[$0])" }
      }
    case .texts(let texts): { texts[$0].sanitizedForTerminal }
    case .images(let images): { "\(images[$0].width) × \(images[$0].height)" }
    case .lists(let ends, of: _):
      { index in
        let count = ends[index] - (index == 0 ? 0 : ends[index - 1])
        return "\(count) \(count == 1 ? "value" : "values")"
      }
    case .records(let members): Self.text(of: members.map(\.column.entryText))
    case .optionals(let isPresent, of: let values): Self.text(of: values, isPresent)
    }
  }

  private static func text(of members: [(Int) -> String]) -> (Int) -> String {
    { index in members.map { $0(index) }.filter { !$0.isEmpty }.joined(separator: "  ") }
  }

  private static func text(of values: ResultColumn, _ isPresent: [Bool]) -> (Int) -> String {
    let (text, positions) = (values.entryText, positions(isPresent))
    return { positions[$0].map(text) ?? "" }
  }

  /// Returns the entries of a list, or the entry itself.
  func elements(of entry: Int) -> (column: ResultColumn, range: Range<Int>) {
    guard case .lists(let ends, of: let items) = self else { return (self, entry..<entry + 1) }
    return (items, (entry == 0 ? 0 : ends[entry - 1])..<ends[entry])
  }

  /// Returns the values of entries as rows of a table: one for each member of a record.
  func tableRows(_ entries: Range<Int>, named name: String) -> [ResultRow] {
    let values = cells
    let labels = values.first { $0.path == ["label"] }?.text
    return entries.enumerated().flatMap { position, entry in
      values.compactMap { path, text in
        guard let value = text(entry) else { return nil }
        return ResultRow(
          output: ([name] + path).joined(separator: "/"),
          index: entries.count == 1 && path.isEmpty ? "" : "\(position)",
          label: path == ["label"] ? "" : labels?(entry) ?? "", value: value)
      }
    }
  }

  /// The members of records, also of those in records, with functions that return their values as text.
  ///
  /// Missing values are `nil`, and lists are JSON.
  private var cells: [(path: [String], text: (Int) -> String?)] {
    switch self {
    case .records(let members):
      return members.flatMap { member in
        member.column.cells.map { (path: [member.name] + $0.path, text: $0.text) }
      }
    case .optionals(let isPresent, of: let values):
      let positions = Self.positions(isPresent)
      return values.cells.map { path, text in (path, { positions[$0].flatMap(text) }) }
    case .texts(let texts): return [([], { texts[$0] })]
    case .numbers, .lists, .images:
      let write = entryWriter
      return [
        (
          [],
          { index in
            var writer = JSONWriter(.compact)
            write(index, &writer)
            return writer.string
          }
        )
      ]
    }
  }
}
