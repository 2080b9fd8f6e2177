internal import TensorIOCore
internal import TensorIOSystem

/// A table with a column per layer and a row per example: `.csv`, or `.tsv` with tabs.
struct Table: DataForm {
  static let files = "a .csv or .tsv file with a column for each layer"

  let labels: [String]
  private let bytes: [UInt8]
  private let separator: UInt8
  private let folder: String
  /// What the columns are for, in the order of the header.
  private var columns: [DataColumn] = []
  private var rows: [TextPlace] = []

  static func reads(_ path: String, _ kind: FileKind) -> Bool {
    kind != .folder && path.hasEnding(["csv", "tsv"])
  }

  init(at path: String, for wanted: WantedData, _ log: inout DataLog) throws(ModelError) {
    bytes = try FileBytes.read(path, limit: DataSet.textLimit, .anything, stage: .input)
    separator = UInt8(ascii: path.hasEnding(["tsv"]) ? "\t" : ",")
    folder = path.folder
    labels = wanted.labels
    var reader = TableReader(bytes, separator: separator)
    guard let header = reader.next() else { return }
    readHeader(header.cells, for: wanted, &log)
    guard columns.count == header.cells.count, columns.count == wanted.columns.count else { return }
    while !log.isFull, let row = reader.next() {
      check(row.cells, of: row.place, &log)
      rows.append(row.place)
    }
  }

  var count: Int { rows.count }

  func name(at index: Int) -> String { "line \(rows[index].line)" }

  func value(at index: Int, where isWanted: (DataColumn) -> Bool) -> DataValue? {
    var reader = TableReader(bytes, separator: separator, from: rows[index])
    guard let place = columns.firstIndex(where: isWanted), let row = reader.next(),
      place < row.cells.count
    else { return nil }
    return try? columns[place].value(ofCell: row.cells[place].text, besides: folder)
  }

  func item(at index: Int) throws(ModelError) -> [String: LayerValue] {
    var reader = TableReader(bytes, separator: separator, from: rows[index])
    var item: [String: LayerValue] = [:]
    for (cell, column) in zip(reader.next()?.cells ?? [], columns) {
      item[column.layer.name] = try value(of: cell, for: column)
    }
    return item
  }

  private func value(of cell: TableCell, for column: DataColumn) throws(ModelError) -> LayerValue {
    let value: DataValue
    do throws(DataFault) {
      value = try column.value(ofCell: cell.text, besides: folder)
    } catch {
      throw ModelError(.input, .invalidData([error.at(cell, of: column)]))
    }
    return try value.load()
  }
}

// MARK: Checks

extension Table {
  private mutating func readHeader(
    _ cells: [TableCell], for wanted: WantedData, _ log: inout DataLog
  ) {
    var missing = wanted.names
    for cell in cells {
      let name = cell.text.trimmed
      guard let column = wanted[name] else {
        log.add(.unknownColumn(name, among: wanted.names), at: cell)
        continue
      }
      if let fault = cell.fault { log.add(fault, at: cell) }
      if columns.contains(where: { $0.layer.name == name }) {
        log.add(.duplicateColumn(name), at: cell)
      } else {
        columns.append(column)
      }
      missing.removeAll { $0 == name }
    }
    for name in missing { log.add(.missingColumn(name), path: "", line: cells.first?.line) }
  }

  private func check(_ cells: [TableCell], of row: TextPlace, _ log: inout DataLog) {
    if cells.count != columns.count, cells.allSatisfy({ $0.fault == nil }) {
      let fault = DataFault.raggedRow(expected: columns.count, found: cells.count)
      return log.add(fault, path: "", line: row.line)
    }
    for (cell, column) in zip(cells, columns) {
      guard let fault = fault(of: cell, for: column) else { continue }
      log.add(fault, path: column.layer.name, line: cell.line, column: cell.column)
    }
  }

  private func fault(of cell: TableCell, for column: DataColumn) -> DataFault? {
    if let fault = cell.fault { return fault }
    do throws(DataFault) {
      return column.fault(of: try column.value(ofCell: cell.text, besides: folder))
    } catch {
      return error
    }
  }
}

extension DataLog {
  fileprivate mutating func add(_ fault: DataFault, at cell: TableCell) {
    add(fault, path: "", line: cell.line, column: cell.column)
  }
}

extension DataFault {
  fileprivate func at(_ cell: TableCell, of column: DataColumn) -> Problem {
    at(path: column.layer.name, line: cell.line, column: cell.column)
  }
}
