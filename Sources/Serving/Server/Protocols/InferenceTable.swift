import TensorIOBundle
import TensorIOJSON

/// Rows of named values, such as a data frame, a CSV file or the examples of TensorFlow Serving.
///
/// Short texts can have millions of values, so that these are parts of one array instead of arrays of their own.
struct InferenceTable {
  /// The names of the columns; empty if they have none.
  private var columns: [String] = []
  /// The values as JSON, one after the other.
  private var text: [UInt8] = []
  /// The end of each value in the text.
  private var ends: [Int] = []
  /// The number of values up to the end of each row.
  private var rowEnds: [Int] = []
  private let context: RequestContext

  /// The maximum number of rows.
  private static let maxRowCount = InferenceSignature.maxItemCount
  /// The number of values between two checks whether the request is still needed.
  private static let checkInterval = 1 << 12
  /// The memory for the end of a value, including what arrays keep free to grow.
  private static let bytesPerValue = 24
  /// The memory for the name of a column.
  private static let bytesPerName = 48

  private init(_ context: RequestContext) { self.context = context }

  private var rowCount: Int { rowEnds.count }

  /// Returns the indices of the values of a row.
  private func row(_ index: Int) -> Range<Int> {
    (index == 0 ? 0 : rowEnds[index - 1])..<rowEnds[index]
  }

  /// Returns a value.
  private func value(_ index: Int) -> ArraySlice<UInt8> {
    text[(index == 0 ? 0 : ends[index - 1])..<ends[index]]
  }

  private static func invalid(_ message: String) -> ClientError {
    ClientError(.badRequest, "invalid-request", message)
  }

  /// Throws an error for too many rows, before they are converted.
  private static func requireRowCount(_ count: Int) throws(ClientError) {
    guard count <= maxRowCount else {
      throw invalid("the request has \(count) rows; the maximum is \(maxRowCount)")
    }
  }
}

// MARK: Reading

extension InferenceTable {
  /// Creates the table of a data frame in the orientation `split`.
  init(split node: JSONNode, _ context: RequestContext) throws(ClientError) {
    self.init(context)
    columns = node["columns"]?.elements?.map { $0.string ?? $0.source } ?? []
    guard let data = node["data"]?.elements else {
      throw Self.invalid("'dataframe_split' must have a list 'data'")
    }
    try Self.requireRowCount(node["data"]?.count ?? 0)
    try reserve(for: node)
    for row in data {
      let count = row.elements == nil ? 1 : row.count
      guard columns.isEmpty || count == columns.count else {
        throw Self.invalid(
          "row \(rowCount) of 'dataframe_split' has \(count) values; expected \(columns.count)")
      }
      if let elements = row.elements {
        for element in elements { try append(element.sourceBytes) }
      } else {
        try append(row.sourceBytes)
      }
      endRow()
    }
  }

  /// Creates the table of a list of objects.
  init(
    records node: JSONNode, _ context: RequestContext, named name: String = "dataframe_records"
  ) throws(ClientError) {
    self.init(context)
    if node.kind == .array { try Self.requireRowCount(node.count) }
    guard let records = node.elements.map(Array.init), let first = records.first else {
      throw Self.invalid("'\(name)' must be a list of objects, and not empty")
    }
    try reserve(for: node)
    columns = first.members?.map(\.name) ?? []
    let positions = Dictionary(
      columns.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    var values = [ArraySlice<UInt8>](repeating: [], count: columns.count)
    for record in records {
      guard let members = record.members, record.count == columns.count else {
        throw Self.invalid("row \(rowCount) of '\(name)' has other keys than row 0")
      }
      for (index, member) in members.enumerated() {
        let key = member.name
        guard let position = columns[index] == key ? index : positions[key] else {
          throw Self.invalid("row \(rowCount) of '\(name)' has other keys than row 0: '\(key)'")
        }
        values[position] = member.value.sourceBytes
      }
      for value in values { try append(value) }
      endRow()
    }
  }

  /// Creates the table of examples, to each of which the features of a context are added.
  init(
    examples node: JSONNode?, shared: JSONNode?, _ context: RequestContext
  ) throws(ClientError) {
    guard let node else { throw Self.invalid("Missing 'examples' key") }
    let examples = try InferenceTable(records: node, context, named: "examples")
    guard let members = shared?.members else {
      self = examples
      return
    }
    self.init(context)
    let added = members.map { ($0.name, $0.value.sourceBytes) }
    let bytes = added.reduce(0) { $0 + $1.1.count }
    try reserve(
      count: examples.ends.count + examples.rowCount * added.count,
      bytes: examples.text.count + examples.rowCount * bytes)
    columns = examples.columns + added.map(\.0)
    for index in 0..<examples.rowCount {
      for value in examples.row(index) { try append(examples.value(value)) }
      for (_, value) in added { try append(value) }
      endRow()
    }
  }

  /// Creates the table of a CSV file, whose first row is a header unless it consists of numbers.
  init(csv bytes: [UInt8], _ context: RequestContext) throws(ClientError) {
    self.init(context)
    let count = bytes.count { $0 == .comma || $0 == .lineFeed } + 1
    try reserve(count: count, bytes: bytes.count)
    try context.memory.grow(by: count * Self.bytesPerName)
    var (names, width): ([String], Int?) = ([], nil)
    try CSVRecords.forEachField(in: bytes) { (field, isLast) throws(ClientError) in
      if width == nil { names.append(String(decoding: field, as: UTF8.self)) }
      try append(csv: field)
      guard isLast else { return }
      guard let expected = width else {
        width = names.count
        // A header has names.
        guard names.contains(where: { Double($0) == nil }) else { return endRow() }
        (columns, text, ends) = (names, [], [])
        return
      }
      endRow()
      guard rowCount <= Self.maxRowCount else {
        throw Self.invalid("the CSV file has more than \(Self.maxRowCount) rows")
      }
      let count = row(rowCount - 1).count
      guard count == expected else {
        throw Self.invalid(
          "row \(rowCount - 1) of the CSV file has \(count) values; expected \(expected)")
      }
    }
    guard width != nil else { throw Self.invalid("the CSV file is empty") }
  }

  /// Reserves memory for the values in a part of a document.
  private func reserve(for node: JSONNode) throws(ClientError) {
    let source = node.sourceBytes
    try reserve(count: JSONDocument.maxValueCount(in: source), bytes: source.count)
  }

  /// Reserves memory for values; the text is copied when its array grows.
  private func reserve(count: Int, bytes: Int) throws(ClientError) {
    try context.memory.grow(by: count * Self.bytesPerValue + 2 * bytes)
  }

  private mutating func append(_ value: ArraySlice<UInt8>) throws(ClientError) {
    text += value
    ends.append(text.count)
    if ends.count % Self.checkInterval == 0 { try context.checkCancellation() }
  }

  private mutating func endRow() { rowEnds.append(ends.count) }

  /// Adds a field of a CSV file: a number, or else a string.
  private mutating func append(csv field: [UInt8]) throws(ClientError) {
    if JSONDocument.isNumber(field) { return try append(field[...]) }
    let string = String(decoding: field, as: UTF8.self)
    var writer = JSONWriter(.compact)
    if let number = Double(string), number.isFinite {
      writer.value(number)
    } else {
      writer.value(string)
    }
    try append(writer.bytes[...])
  }
}

// MARK: The request

extension InferenceTable {
  /// Returns the request with a row per item.
  ///
  /// Columns are the inputs of the model, or the values of its only input: by the names of its
  /// features if the bundle declares them, else in order.
  func request(
    _ model: ModelSelector, _ metadata: InferenceModelMetadata
  ) throws(ClientError) -> InferenceRequest {
    guard rowCount > 0 else { throw Self.invalid("the request has no rows") }
    let names = metadata.inputs.map(\.name)
    let isNamed = Set(columns) == Set(names)
    let order = isNamed ? nil : try featureOrder(metadata)
    let keys = columns.map { name in
      var writer = JSONWriter(.compact)
      writer.value(name)
      return writer.bytes + [UInt8(ascii: ":")]
    }
    // Each row has the names again.
    let nameBytes = isNamed ? rowCount * keys.reduce(0) { $0 + $1.count } : 0
    try reserve(count: ends.count, bytes: text.count + nameBytes)
    var json = [UInt8(ascii: "[")]
    for index in 0..<rowCount {
      let row = row(index)
      json += (index > 0 ? "," : "").utf8
      json.append(UInt8(ascii: isNamed ? "{" : "["))
      for position in 0..<(order?.count ?? row.count) {
        let column = order?[position] ?? position
        if position > 0 { json.append(.comma) }
        if isNamed { json += keys[column] }
        json += value(row.lowerBound + column)
        if position % Self.checkInterval == 0 { try context.checkCancellation() }
      }
      json.append(UInt8(ascii: isNamed ? "}" : "]"))
    }
    json.append(UInt8(ascii: "]"))
    let root = try context.json(json, invalid: "a value of the table is invalid").root
    return try PredictRequestReader(model, metadata).rows(root, flat: !isNamed)
  }

  /// Returns the positions of the columns in the order of the features of the only input; `nil` for their own order.
  private func featureOrder(_ metadata: InferenceModelMetadata) throws(ClientError) -> [Int]? {
    guard metadata.inputs.count == 1 else {
      throw Self.invalid(
        "the columns are \(columns.joined(separator: ", ")); expected \(metadata.inputNames)")
    }
    let names = metadata.featureNames(of: metadata.inputs[0].name)
    guard !columns.isEmpty, Set(columns) == Set(names) else { return nil }
    let positions = Dictionary(
      columns.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    return names.compactMap { positions[$0] }
  }
}
