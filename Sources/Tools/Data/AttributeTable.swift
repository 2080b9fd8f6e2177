package import TensorIOBundle
import TensorIOSystem

/// Attributes of items in a table of their own, for data that has no place for them: folders of images, COCO and
/// Pascal VOC files.
///
/// ```
/// item,site,device
/// 3/007.png,Basel,scanner
/// 3/008.png,Lyon,camera
/// ```
///
/// The first column has the names of the items, as reports list them.
package struct AttributeTable: Sendable {
  /// The names of the attributes in the order of the columns.
  package let names: [String]
  private var values: [String: [String: String]] = [:]

  /// Reads a `.csv` or `.tsv` file.
  ///
  /// - Throws: `ModelError` with all errors if a row is invalid or names an item again.
  package init(at path: String) throws(ModelError) {
    var log = DataDiagnosticLog()
    do throws(ModelError) {
      let text = try TableText(at: path)
      var reader = CSVReader(text.bytes, separator: text.separator)
      let header = reader.next()?.cells.map(\.text.trimmed) ?? []
      names = Array(header.dropFirst())
      if names.isEmpty { log.addEmptyDataError() }
      for name in Set(names) where names.count(where: { $0 == name }) > 1 {
        log.add(.duplicateColumn(name), path: "", line: 1)
      }
      while !log.isErrorLimitReached, let row = reader.next() {
        let cells = row.cells.map(\.text.trimmed)
        if let diagnostic = row.cells.lazy.compactMap(\.diagnostic).first {
          log.add(diagnostic, path: "", line: row.position.line)
        } else if cells.count != header.count {
          log.add(
            .raggedRow(expected: header.count, found: cells.count), path: "",
            line: row.position.line)
        } else if values[cells[0]] != nil {
          log.add(.duplicateItem(cells[0]), path: "", line: row.position.line)
        } else {
          let pairs = zip(names, cells.dropFirst()).filter { !$1.isEmpty }
          values[cells[0]] = Dictionary(pairs) { first, _ in first }
        }
      }
      try log.throwIfAny()
    } catch {
      throw error.in(file: path)
    }
  }

  /// The attributes of an item by name; empty for an item without a row.
  package subscript(item name: String) -> [String: String] { values[name] ?? [:] }

  /// Throws an error if no item of a dataset has a row.
  package func throwIfUnrelated(to items: some Sequence<String>) throws(ModelError) {
    var example: String?
    for name in items {
      if values[name] != nil { return }
      example = example ?? name
    }
    let known = values.keys.sorted().first ?? ""
    throw ModelError(
      .input,
      .unmetRequirement(
        "the first column of the attributes has to name items, such as "
          + "'\(example ?? "", as: "item")'; it has '\(known, as: "found")'"))
  }
}

extension DataDiagnostic {
  fileprivate static func duplicateItem(_ name: String) -> DataDiagnostic {
    DataDiagnostic(code: "duplicate-id", message: "the item \(quoted(name)) has several rows")
  }
}
