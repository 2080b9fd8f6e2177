import TensorIOBundle
import TensorIOCore
import TensorIOSystem

/// A table with a column per layer and a row per example: `.csv`, or `.tsv` with tabs.
struct TableFormat: ExampleFormat {
  static let summary = "a .csv or .tsv file with a column for each layer"

  let labels: [String]
  private let bytes: [UInt8]
  private let separator: UInt8
  private let folder: String
  /// What the columns are for, in the order of the header.
  private var columns: [DataColumn] = []
  private var rows: [RowPosition] = []

  static func matches(_ path: String, _ kind: FileKind) -> Bool {
    kind != .directory && path.hasFileExtension(in: ["csv", "tsv"])
  }

  init(at path: String, for wanted: DataRequirements, _ log: inout DataDiagnosticLog) throws(ModelError) {
    bytes = try FileBytes.read(path, limit: ExampleDataset.maxTextBytes, .any, stage: .input)
    separator = UInt8(ascii: path.hasFileExtension(in: ["tsv"]) ? "\t" : ",")
    folder = path.parentDirectory
    labels = wanted.labels
    var reader = CSVReader(bytes, separator: separator)
    guard let header = reader.next() else { return }
    readHeader(header.cells, for: wanted, &log)
    guard columns.count == header.cells.count, columns.count == wanted.columns.count else { return }
    while !log.isErrorLimitReached, let row = reader.next() {
      check(row.cells, of: row.place, &log)
      rows.append(row.place)
    }
  }

  var count: Int { rows.count }

  func name(at index: Int) -> String { "line \(rows[index].line)" }

  func value(at index: Int, where isWanted: (DataColumn) -> Bool) -> DataValue? {
    var reader = CSVReader(bytes, separator: separator, from: rows[index])
    guard let place = columns.firstIndex(where: isWanted), let row = reader.next(),
      place < row.cells.count
    else { return nil }
    return try? columns[place].value(ofCell: row.cells[place].text, relativeTo: folder)
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
    _ cells: [CSVCell], for wanted: DataRequirements, _ log: inout DataDiagnosticLog
  ) {
    var missing = wanted.names
    for cell in cells {
      let name = cell.text.trimmed
      guard let column = wanted[name] else {
        log.add(.unknownColumn(name, among: wanted.names), at: cell)
        continue
      }
      if let fault = cell.diagnostic { log.add(fault, at: cell) }
      if columns.contains(where: { $0.layer.name == name }) {
        log.add(.duplicateColumn(name), at: cell)
      } else {
        columns.append(column)
      }
      missing.removeAll { $0 == name }
    }
    for name in missing { log.add(.missingColumn(name), path: "", line: cells.first?.line) }
  }

  private func check(_ cells: [CSVCell], of row: RowPosition, _ log: inout DataDiagnosticLog) {
    if cells.count != columns.count, cells.allSatisfy({ $0.diagnostic == nil }) {
      let fault = DataDiagnostic.raggedRow(expected: columns.count, found: cells.count)
      return log.add(fault, path: "", line: row.line)
    }
    for (cell, column) in zip(cells, columns) {
      guard let fault = diagnostic(for: cell, column: column) else { continue }
      log.add(fault, path: column.layer.name, line: cell.line, column: cell.column)
    }
  }

  private func diagnostic(for cell: CSVCell, column: DataColumn) -> DataDiagnostic? {
    if let fault = cell.diagnostic { return fault }
    do throws(DataDiagnostic) {
      return column.diagnostic(for: try column.value(ofCell: cell.text, relativeTo: folder))
    } catch {
      return error
    }
  }
}

extension DataDiagnosticLog {
  fileprivate mutating func add(_ fault: DataDiagnostic, at cell: CSVCell) {
    add(fault, path: "", line: cell.line, column: cell.column)
  }
}

extension DataDiagnostic {
  fileprivate func at(_ cell: CSVCell, of column: DataColumn) -> Diagnostic {
    diagnostic(path: column.layer.name, line: cell.line, column: cell.column)
  }
}
