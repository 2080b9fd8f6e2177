import TensorIOBundle
import TensorIOCore
import TensorIOSystem

/// A table with a column per layer and a row per example: `.csv`, or `.tsv` with tab separators.
struct TableFormat: ExampleFormat {
  static let summary = "a .csv or .tsv file with a column for each layer"

  /// The cells of a layer: one, or one for each element.
  private struct CellRange {
    let column: DataColumn
    /// The positions in the row.
    var cells: [Int]
  }

  let labels: [String]
  private let text: TableText
  private let folder: String
  /// The layers, in the order of their first cells.
  private var columns: [CellRange] = []
  /// The columns that belong to no layer.
  private var attributeColumns: [(name: String, cell: Int)] = []
  /// The values of these columns in each row.
  private var attributes: [[String]] = []
  /// The number of cells in the header.
  private var width = 0
  private var rows: [RowPosition] = []

  static func matches(_ path: String, _ kind: FileKind) -> Bool {
    kind != .directory && path.hasFileExtension(in: ["csv", "tsv"])
  }

  init(
    at path: String, for requirements: DataRequirements, _ log: inout DataDiagnosticLog
  ) throws(ModelError) {
    text = try TableText(at: path)
    folder = path.parentDirectory
    labels = requirements.labels
    var reader = CSVReader(text.bytes, separator: text.separator)
    guard let header = reader.next() else { return }
    width = header.cells.count
    var values = reader
    readHeader(
      header.cells, before: values.next()?.cells.map(\.text.trimmed) ?? [], for: requirements, &log)
    guard columns.flatMap(\.cells).count + attributeColumns.count == width,
      columns.count == requirements.columns.count
    else { return }
    while !log.isErrorLimitReached, let row = reader.next() {
      check(row.cells, at: row.position, &log)
      rows.append(row.position)
      guard !attributeColumns.isEmpty else { continue }
      attributes.append(
        attributeColumns.map { column in
          row.cells.indices.contains(column.cell) ? row.cells[column.cell].text.trimmed : ""
        })
    }
  }

  func attributes(at index: Int) -> [String: String] {
    guard attributes.indices.contains(index) else { return [:] }
    let pairs = zip(attributeColumns.map(\.name), attributes[index]).filter { !$1.isEmpty }
    return Dictionary(pairs) { first, _ in first }
  }

  var count: Int { rows.count }

  func name(at index: Int) -> String { "line \(rows[index].line)" }

  func value(at index: Int, where predicate: (DataColumn) -> Bool) -> DataValue? {
    guard let range = columns.first(where: { predicate($0.column) }),
      let cells = row(at: index), (range.cells.max() ?? 0) < cells.count
    else { return nil }
    return try? value(of: range, in: cells)
  }

  private func row(at index: Int) -> [CSVCell]? {
    var reader = CSVReader(text.bytes, separator: text.separator, from: rows[index])
    return reader.next()?.cells
  }

  func item(at index: Int) throws(ModelError) -> [String: LayerValue] {
    var item: [String: LayerValue] = [:]
    let cells = row(at: index) ?? []
    for range in columns where (range.cells.max() ?? 0) < cells.count {
      let value: DataValue
      do throws(CellError) {
        value = try self.value(of: range, in: cells)
      } catch {
        throw ModelError(
          .input, .invalidData([error.diagnostic.at(error.cell, of: range.column)]))
      }
      item[range.column.layer.name] = try value.load()
    }
    return item
  }

  /// An error of one cell.
  private struct CellError: Error {
    let diagnostic: DataDiagnostic
    let cell: CSVCell
  }

  private func value(
    of range: CellRange, in cells: [CSVCell]
  ) throws(CellError) -> DataValue {
    guard range.cells.count > 1 else {
      let cell = cells[range.cells[0]]
      do throws(DataDiagnostic) {
        return try range.column.value(ofCell: cell.text, relativeTo: folder)
      } catch {
        throw CellError(diagnostic: error, cell: cell)
      }
    }
    if range.column.holdsText { return .value(.strings(Strings(try texts(of: range, in: cells)))) }
    var numbers: [Double] = []
    for index in range.cells {
      let text = cells[index].text.trimmed
      guard let number = Double(text) else {
        throw CellError(
          diagnostic: text.isEmpty ? .missingValue : .notANumber(text), cell: cells[index])
      }
      numbers.append(number)
    }
    let integers = numbers.compactMap { Int64(exactly: $0) }
    return .value(
      .numbers(Numbers(integers.count == numbers.count ? .integers(integers) : .doubles(numbers))))
  }
}

extension TableFormat {
  /// Returns the texts of a layer with a cell for each element.
  private func texts(of range: CellRange, in cells: [CSVCell]) throws(CellError) -> [String] {
    var texts: [String] = []
    for index in range.cells {
      let text = cells[index].text.trimmed
      guard !text.isEmpty else {
        throw CellError(diagnostic: .missingValue, cell: cells[index])
      }
      texts.append(text)
    }
    return texts
  }
}

// MARK: Checks

extension TableFormat {
  /// Reads the header; if no layer is missing, the columns that belong to none are attributes.
  private mutating func readHeader(
    _ cells: [CSVCell], before values: [String], for requirements: DataRequirements,
    _ log: inout DataDiagnosticLog
  ) {
    let names = cells.map(\.text.trimmed)
    let elements = elementColumns(names, before: values, for: requirements)
    var missing = requirements.names.filter { !elements.keys.contains($0) }
    let isComplete = missing.allSatisfy(names.contains)
    for (index, cell) in cells.enumerated() {
      let name = cell.text.trimmed
      if let layer = elements.first(where: { $0.value.contains(index) })?.key {
        if let diagnostic = cell.diagnostic { log.add(diagnostic, at: cell) }
        addElement(index, of: layer, requirements)
        continue
      }
      guard let column = requirements[name] else {
        addAttribute(name, at: index, cell, isAllowed: isComplete, requirements, &log)
        continue
      }
      if let diagnostic = cell.diagnostic { log.add(diagnostic, at: cell) }
      if columns.contains(where: { $0.column.layer.name == name }) {
        log.add(.duplicateColumn(name), at: cell)
      } else {
        columns.append(CellRange(column: column, cells: [index]))
      }
      missing.removeAll { $0 == name }
    }
    for name in missing { log.add(.missingColumn(name), path: "", line: cells.first?.line) }
  }

  private mutating func addAttribute(
    _ name: String, at index: Int, _ cell: CSVCell, isAllowed: Bool,
    _ requirements: DataRequirements, _ log: inout DataDiagnosticLog
  ) {
    if !isAllowed || name.isEmpty {
      log.add(.unknownColumn(name, among: requirements.names), at: cell)
    } else if attributeColumns.contains(where: { $0.name == name }) {
      log.add(.duplicateColumn(name), at: cell)
    } else {
      attributeColumns.append((name, index))
    }
  }

  private mutating func addElement(
    _ index: Int, of layer: String, _ requirements: DataRequirements
  ) {
    if let position = columns.firstIndex(where: { $0.column.layer.name == layer }) {
      columns[position].cells.append(index)
    } else if let column = requirements[layer] {
      columns.append(CellRange(column: column, cells: [index]))
    }
  }

  /// Returns the columns that each hold one element of a numeric layer, by layer.
  ///
  /// A layer without a column of its name takes all columns that are not named after a layer, in
  /// their order, if there are as many as it has elements. If there are more, it takes those whose
  /// first value is a number.
  private func elementColumns(
    _ names: [String], before values: [String], for requirements: DataRequirements
  ) -> [String: [Int]] {
    var others = names.indices.filter { requirements[names[$0]] == nil }
    let missing = requirements.columns.filter { column in
      column.layer.isNumeric && !names.contains(column.layer.name)
    }
    if let count = missing.first?.layer.elementCount, others.count > count {
      others = others.filter { values.indices.contains($0) && Double(values[$0]) != nil }
    }
    guard let column = missing.first, missing.count == 1, others.count > 1,
      others.count == column.layer.elementCount, Set(others.map { names[$0] }).count == others.count
    else { return [:] }
    return [column.layer.name: others]
  }

  private func check(_ cells: [CSVCell], at row: RowPosition, _ log: inout DataDiagnosticLog) {
    if cells.count != width, cells.allSatisfy({ $0.diagnostic == nil }) {
      let diagnostic = DataDiagnostic.raggedRow(expected: width, found: cells.count)
      return log.add(diagnostic, path: "", line: row.line)
    }
    for range in columns {
      let present = range.cells.filter(cells.indices.contains).map { cells[$0] }
      guard let error = error(in: range, present, cells) else { continue }
      log.add(
        error.diagnostic, path: range.column.layer.name, line: error.cell.line,
        column: error.cell.column)
    }
  }

  private func error(
    in range: CellRange, _ present: [CSVCell], _ cells: [CSVCell]
  ) -> CellError? {
    for cell in present {
      if let diagnostic = cell.diagnostic { return CellError(diagnostic: diagnostic, cell: cell) }
    }
    guard let first = present.first, present.count == range.cells.count else { return nil }
    do throws(CellError) {
      let value = try value(of: range, in: cells)
      return range.column.diagnostic(for: value).map { CellError(diagnostic: $0, cell: first) }
    } catch {
      return error
    }
  }
}

extension DataDiagnosticLog {
  fileprivate mutating func add(_ diagnostic: DataDiagnostic, at cell: CSVCell) {
    add(diagnostic, path: "", line: cell.line, column: cell.column)
  }
}

extension DataDiagnostic {
  fileprivate func at(_ cell: CSVCell, of column: DataColumn) -> Diagnostic {
    diagnostic(path: column.layer.name, line: cell.line, column: cell.column)
  }
}
