import TensorIOCore
import TensorIOImage
package import TensorIOJSON

extension ResultColumn {
  /// Writes the entries of a column as JSON, one at a time.
  package typealias EntryWriter = (_ index: Int, _ writer: inout JSONWriter) -> Void

  /// Returns what writes an entry of the column as JSON; it is made once for many entries.
  package var entryWriter: EntryWriter {
    switch self {
    case .numbers(let numbers): Self.writer(of: numbers.elements)
    case .texts(let texts): { $1.value(texts[$0]) }
    case .images(let images):
      { index, writer in
        guard let png = try? images[index].encoded(as: .png) else { return writer.null() }
        writer.value(png.base64)
      }
    case .lists(let ends, of: .numbers(let numbers)):
      Self.writer(of: numbers.elements) { $0 == 0 ? 0..<ends[0] : ends[$0 - 1]..<ends[$0] }
    case .lists(let ends, of: let items): Self.writer(ofListsIn: items.entryWriter, ends: ends)
    case .records(let members): Self.writer(of: members)
    case .optionals(let isPresent, of: let values):
      Self.writer(of: values.entryWriter, at: Self.positions(isPresent))
    }
  }

  private static func writer(of numbers: Numbers.Elements) -> EntryWriter {
    switch numbers {
    case .floats(let values): { $1.value(values[$0]) }
    case .doubles(let values): { $1.value(values[$0]) }
    case .integers(let values): { $1.value(values[$0]) }
    case .booleans(let values): { $1.value(values[$0]) }
    }
  }

  /// Returns what writes lists of numbers, each on one line.
  private static func writer(
    of numbers: Numbers.Elements, _ range: @escaping (Int) -> Range<Int>
  ) -> EntryWriter {
    switch numbers {
    case .floats(let values): { $1.numbers(values[range($0)]) }
    case .doubles(let values): { $1.numbers(values[range($0)]) }
    case .integers(let values): { $1.numbers(values[range($0)]) }
    case .booleans(let values):
      { index, writer in writer.array { for value in values[range(index)] { $0.value(value) } } }
    }
  }

  private static func writer(ofListsIn item: @escaping EntryWriter, ends: [Int]) -> EntryWriter {
    { index, writer in
      let start = index == 0 ? 0 : ends[index - 1]
      writer.array { writer in
        for position in start..<ends[index] { item(position, &writer) }
      }
    }
  }

  private static func writer(of members: [Member]) -> EntryWriter {
    let members = members.map(MemberWriter.init)
    return { index, writer in
      writer.object { writer in
        for member in members { member.write(index, to: &writer) }
      }
    }
  }

  private static func writer(of value: @escaping EntryWriter, at positions: [Int?]) -> EntryWriter {
    { index, writer in
      guard let position = positions[index] else { return writer.null() }
      value(position, &writer)
    }
  }

  /// Writes a member of records, unless it is missing.
  private struct MemberWriter {
    private let name: String
    /// The positions of the values; `nil` if none are missing.
    private let positions: [Int?]?
    private let entry: EntryWriter

    init(_ member: Member) {
      name = member.name
      guard case .optionals(let isPresent, of: let values) = member.column else {
        (positions, entry) = (nil, member.column.entryWriter)
        return
      }
      (positions, entry) = (ResultColumn.positions(isPresent), values.entryWriter)
    }

    func write(_ index: Int, to writer: inout JSONWriter) {
      guard let position = positions.map({ $0[index] }) ?? index else { return }
      writer.key(name)
      entry(position, &writer)
    }
  }

  /// Returns the position of each entry among those that are present; `nil` for missing ones.
  static func positions(_ isPresent: [Bool]) -> [Int?] {
    var count = 0
    return isPresent.map { isPresent in
      guard isPresent else { return nil }
      defer { count += 1 }
      return count
    }
  }
}
