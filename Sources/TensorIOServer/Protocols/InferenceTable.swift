import TensorIOBundle
import TensorIOJSON

/// Rows of named values, such as a data frame, a CSV file or the examples of TensorFlow Serving.
struct InferenceTable {
  /// The names of the columns; empty if they have none.
  private let columns: [String]
  /// The values of each row as JSON.
  private let rows: [[[UInt8]]]

  /// The maximum number of rows.
  private static let maxRowCount = InferenceSignature.maxItemCount

  private init(columns: [String], rows: [[[UInt8]]]) {
    (self.columns, self.rows) = (columns, rows)
  }

  /// Throws an error for too many rows, before they are converted.
  private static func requireRowCount(_ count: Int) throws(ClientError) {
    guard count <= maxRowCount else {
      throw invalid("the request has \(count) rows; the maximum is \(maxRowCount)")
    }
  }

  /// Creates the table of a data frame in the orientation `split`.
  init(split node: JSONNode) throws(ClientError) {
    let names = node["columns"]?.elements?.map { $0.string ?? $0.source } ?? []
    guard let data = node["data"]?.elements else {
      throw Self.invalid("'dataframe_split' must have a list 'data'")
    }
    try Self.requireRowCount(node["data"]?.count ?? 0)
    var rows: [[[UInt8]]] = []
    for row in data {
      let values = row.elements?.map { Array($0.source.utf8) } ?? [Array(row.source.utf8)]
      guard names.isEmpty || values.count == names.count else {
        throw Self.invalid(
          "row \(rows.count) of 'dataframe_split' has \(values.count) values; expected "
            + "\(names.count)")
      }
      rows.append(values)
    }
    self.init(columns: names, rows: rows)
  }

  /// Creates the table of a list of objects.
  init(records node: JSONNode, _ name: String = "dataframe_records") throws(ClientError) {
    if node.kind == .array { try Self.requireRowCount(node.count) }
    guard let records = node.elements.map(Array.init), let first = records.first else {
      throw Self.invalid("'\(name)' must be a list of objects, and not empty")
    }
    let names = first.members?.map(\.name) ?? []
    var rows: [[[UInt8]]] = []
    for record in records {
      guard record.kind == .object, record.count == names.count else {
        throw Self.invalid("row \(rows.count) of '\(name)' has other keys than row 0")
      }
      var values: [[UInt8]] = []
      for name in names {
        guard let value = record[name] else {
          throw Self.invalid("row \(rows.count) has no value '\(name)'")
        }
        values.append(Array(value.source.utf8))
      }
      rows.append(values)
    }
    self.init(columns: names, rows: rows)
  }

  /// Creates the table of examples, to each of which the features of a context are added.
  init(examples node: JSONNode?, context: JSONNode?) throws(ClientError) {
    guard let node else { throw Self.invalid("Missing 'examples' key") }
    let table = try InferenceTable(records: node, "examples")
    let shared = context?.members.map(Array.init) ?? []
    let rows = table.rows.map { $0 + shared.map { Array($0.value.source.utf8) } }
    self.init(columns: table.columns + shared.map(\.name), rows: rows)
  }

  /// Creates the table of a CSV file, whose first row is a header unless it consists of numbers.
  init(csv bytes: [UInt8]) throws(ClientError) {
    let header = 1
    var records = try CSVRecords.parse(bytes, maxCount: header + Self.maxRowCount)
    guard let first = records.first else { throw Self.invalid("the CSV file is empty") }
    let hasHeader = !first.allSatisfy { Double($0) != nil }
    if hasHeader { records.removeFirst() }
    try Self.requireRowCount(records.count)
    var rows: [[[UInt8]]] = []
    for record in records {
      guard record.count == first.count else {
        throw Self.invalid(
          "row \(rows.count) of the CSV file has \(record.count) values; expected \(first.count)")
      }
      rows.append(record.map(Self.json))
    }
    self.init(columns: hasHeader ? first : [], rows: rows)
  }

  private static func json(_ field: String) -> [UInt8] {
    let isNumber =
      (try? JSONDocument(parsing: Array(field.utf8)))?.root.kind == .number
    if isNumber { return Array(field.utf8) }
    var writer = JSONWriter(.compact)
    if let number = Double(field), number.isFinite {
      writer.value(number)
    } else {
      writer.value(field)
    }
    return writer.bytes
  }

  private static func invalid(_ message: String) -> ClientError {
    ClientError(.badRequest, "invalid-request", message)
  }
}

extension InferenceTable {
  /// Returns the request with a row per item.
  ///
  /// Columns are the inputs of the model, or the values of its only input: by the names of its
  /// features if the bundle declares them, else in order.
  func request(
    _ model: ModelSelector, _ metadata: InferenceModelMetadata
  ) throws(ClientError) -> InferenceRequest {
    guard !rows.isEmpty else { throw Self.invalid("the request has no rows") }
    let names = metadata.inputs.map(\.name)
    let isNamed = Set(columns) == Set(names)
    let order = try isNamed ? columns.indices.map(\.self) : featureOrder(metadata)
    var writer = JSONWriter(.compact)
    writer.array { writer in
      for row in rows {
        if isNamed {
          writer.object { writer in
            for (name, value) in zip(columns, row) {
              writer.key(name)
              writer.rawJSON(value)
            }
          }
        } else {
          writer.array { writer in
            for index in order { writer.rawJSON(row[index]) }
          }
        }
      }
    }
    let root: JSONNode
    do {
      root = try JSONDocument(
        parsing: writer.bytes, limits: JSONLimits(bytes: StandardRoute.maxBodyBytes)
      ).root
    } catch {
      throw Self.invalid("a value of the table is invalid: \(error)")
    }
    return try PredictRequestReader(model, metadata).rows(root, flat: !isNamed)
  }

  /// Returns the positions of the columns in the order of the features of the only input.
  private func featureOrder(_ metadata: InferenceModelMetadata) throws(ClientError) -> [Int] {
    guard metadata.inputs.count == 1 else {
      throw Self.invalid(
        "the columns are \(columns.joined(separator: ", ")); expected \(metadata.inputNames)")
    }
    let names = metadata.featureNames(of: metadata.inputs[0].name)
    if !columns.isEmpty, Set(columns) == Set(names) {
      return names.compactMap { columns.firstIndex(of: $0) }
    }
    return Array((rows.first ?? []).indices)
  }
}
