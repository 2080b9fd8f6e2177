import TensorIOBundle
import TensorIOCore
import TensorIOSystem

/// A table with a column per layer and a row per example: `.csv`, or `.tsv` with tab separators.
struct TableFormat: ExampleFormat {
  static let summary = "a .csv or .tsv file with a column for each layer"

  let labels: [String]
  private let bytes: [UInt8]
  private let separator: UInt8
  private let folder: String
  /// The columns in the order of the header.
  private var columns: [DataColumn] = []
  private var rows: [RowPosition] = []

  static func matches(_ path: String, _ kind: FileKind) -> Bool {
    kind != .directory && path.hasFileExtension(in: ["csv", "tsv"])
  }

  init(
    at path: String, for requirements: DataRequirements, _ log: inout DataDiagnosticLog
  ) throws(ModelError) {
    bytes = try FileBytes.read(path, limit: ExampleDataset.maxTextBytes, .any, stage: .input)
    separator = UInt8(ascii: path.hasFileExtension(in: ["tsv"]) ? "\t" : ",")
    folder = path.parentDirectory
    labels = requirements.labels
    var reader = CSVReader(bytes, separator: separator)
    guard let header = reader.next() else { return }
    readHeader(header.cells, for: requirements, &log)
    guard columns.count == header.cells.count, columns.count == requirements.columns.count else {
      return
    }
    while !log.isErrorLimitReached, let row = reader.next() {
      check(row.cells, at: row.position, &log)
      rows.append(row.position)
    }
  }

  var count: Int { rows.count }

  func name(at index: Int) -> String { "line \(rows[index].line)" }

  func value(at index: Int, where predicate: (DataColumn) -> Bool) -> DataValue? {
    var reader = CSVReader(bytes, separator: separator, from: rows[index])
    guard let column = columns.firstIndex(where: predicate), let row = reader.next(),
      column < row.cells.count
    else { return nil }
    return try? columns[column].value(ofCell: row.cells[column].text, relativeTo: folder)
  }

  func item(at index: Int) throws(ModelError) -> [String: LayerValue] {
    var reader = CSVReader(bytes, separator: separator, from: rows[index])
    var item: [String: LayerValue] = [:]
    for (cell, column) in zip(reader.next()?.cells ?? [], columns) {
      item[column.layer.name] = try value(of: cell, for: column)
    }
    return item
  }

  private func value(of cell: CSVCell, for column: DataColumn) throws(ModelError) -> LayerValue {
    let value: DataValue
    do throws(DataDiagnostic) {
      value = try column.value(ofCell: cell.text, relativeTo: folder)
    } catch {
      throw ModelError(.input, .invalidData([error.at(cell, of: column)]))
    }
    return try value.load()
  }
}

// MARK: Checks

extension TableFormat {
  private mutating func readHeader(
    _ cells: [CSVCell], for requirements: DataRequirements, _ log: inout DataDiagnosticLog
  ) {
    var missing = requirements.names
    for cell in cells {
      let name = cell.text.trimmed
      guard let column = requirements[name] else {
        log.add(.unknownColumn(name, among: requirements.names), at: cell)
        continue
      }
      if let diagnostic = cell.diagnostic { log.add(diagnostic, at: cell) }
      if columns.contains(where: { $0.layer.name == name }) {
        log.add(.duplicateColumn(name), at: cell)
      } else {
        columns.append(column)
      }
      missing.removeAll { $0 == name }
    }
    for name in missing { log.add(.missingColumn(name), path: "", line: cells.first?.line) }
  }

  private func check(_ cells: [CSVCell], at row: RowPosition, _ log: inout DataDiagnosticLog) {
    if cells.count != columns.count, cells.allSatisfy({ $0.diagnostic == nil }) {
      let diagnostic = DataDiagnostic.raggedRow(expected: columns.count, found: cells.count)
      return log.add(diagnostic, path: "", line: row.line)
    }
    for (cell, column) in zip(cells, columns) {
      guard let diagnostic = diagnostic(for: cell, column: column) else { continue }
      log.add(diagnostic, path: column.layer.name, line: cell.line, column: cell.column)
    }
  }

  private func diagnostic(for cell: CSVCell, column: DataColumn) -> DataDiagnostic? {
    if let diagnostic = cell.diagnostic { return diagnostic }
    do throws(DataDiagnostic) {
      return column.diagnostic(for: try column.value(ofCell: cell.text, relativeTo: folder))
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
