import TensorIOBundle

/// A copy of a model in which every node of a custom operator has an operator code of its own.
///
/// LiteRT calls the kernel of a custom operator without saying for which node, and nodes differ in
/// their options and tensors. So each node gets a name of its own. New operator codes and nodes are
/// appended to the file, and two offsets refer to them; everything else keeps its place.
struct CustomNodeSeparation {
  let bytes: [UInt8]
  /// The original names of the renamed operator codes, by their index.
  let originalNames: [Int: String]

  /// Creates the copy; `nil` if no two nodes share an operator code of one of the operators.
  init?(_ model: ParsedModel, operators: Set<String>) throws(ModelError) {
    var usedCodes: Set<Int> = []
    var shared: [(subgraph: Int, node: Int, code: Int)] = []
    for (subgraph, graph) in model.subgraphs.enumerated() {
      for (node, entry) in graph.operators.enumerated() {
        let code = entry.operatorCodeIndex
        guard operators.contains(model.operatorCodes[code].customName) else { continue }
        if !usedCodes.insert(code).inserted { shared.append((subgraph, node, code)) }
      }
    }
    guard !shared.isEmpty else { return nil }
    do throws(FlatBufferError) {
      var writer = try Writer(model.bytes)
      var names: [Int: String] = [:]
      for (offset, entry) in shared.enumerated() {
        let name = model.operatorCodes[entry.code].customName
        let code = model.operatorCodes.count + offset
        try writer.appendNode(subgraph: entry.subgraph, entry.node, code: code)
        names[code] = name
      }
      try writer.appendCodes(
        model.operatorCodes.count,
        shared.enumerated().map { offset, entry in
          "\(model.operatorCodes[entry.code].customName)#\(offset + 2)"
        })
      bytes = writer.bytes
      originalNames = names
    } catch {
      throw ModelError(.runtime, .modelRejected(detail: "an offset points outside the file"))
    }
  }
}

/// Appends tables to a flatbuffer and redirects offsets of the file to them.
private struct Writer {
  private(set) var bytes: [UInt8]
  private let source: ModelBytes
  private let root: FlatBufferTable

  /// The number of the custom operator in the list of builtin operators.
  private static let customCode: Int32 = 32

  init(_ source: ModelBytes) throws(FlatBufferError) {
    self.source = source
    root = try FlatBufferTable(source, identifier: "TFL3")
    bytes = source.copy(of: 0..<source.count)
  }

  /// Appends a node that has another operator code, and puts it in the place of the original.
  mutating func appendNode(
    subgraph: Int, _ node: Int, code: Int
  ) throws(FlatBufferError) {
    let graph = try FlatBufferTable(source, at: slot(subgraph, of: 2, in: root))
    let reference = try slot(node, of: 3, in: graph)
    let original = try FlatBufferTable(source, at: reference)
    let largeOffset = try original.number(9, default: UInt64(0))
    let largeSize = try original.number(10, default: UInt64(0))
    // The fields are those that custom operators have: code, inputs, outputs, and options.
    let fields = [4, 8, 12, 0, 0, 16, 0, 0, 0, 24, 32]
    let table = beginTable(fields, byteCount: 40)
    put(UInt32(code), at: table + 4)
    put(largeOffset, at: table + 24)
    put(largeSize, at: table + 32)
    for (field, offset, size) in [(1, 8, 4), (2, 12, 4), (5, 16, 1)] {
      let vector = try original.vector(field, elementSize: size)
      let contents = vector.map { source.copy(of: $0.byteRange) } ?? []
      let start = append(vector: contents, count: vector?.count ?? 0)
      put(UInt32(start - table - offset), at: table + offset)
    }
    put(UInt32(table - reference), at: reference)
  }

  /// Appends a list of the existing operator codes and of new ones for custom operators.
  mutating func appendCodes(_ count: Int, _ names: [String]) throws(FlatBufferError) {
    guard let reference = root.offset(ofField: 1) else { throw .outOfBounds }
    align()
    let total = count + names.count
    let list = append(vector: Array(repeating: 0, count: 4 * total), count: total)
    for index in 0..<count {
      let code = try FlatBufferTable(source, at: slot(index, of: 1, in: root))
      let name = try code.vector(1, elementSize: 1).map { source.copy(of: $0.byteRange) }
      let table = appendCode(
        name, version: try code.number(2, default: 1), small: try code.number(0, default: 0),
        number: try code.number(3, default: 0))
      put(UInt32(table - list - 4 - 4 * index), at: list + 4 + 4 * index)
    }
    for (index, name) in names.enumerated() {
      let table = appendCode(
        Array(name.utf8), version: 1, small: UInt8(Self.customCode), number: Self.customCode)
      put(UInt32(table - list - 4 - 4 * (count + index)), at: list + 4 + 4 * (count + index))
    }
    put(UInt32(list - reference), at: reference)
  }

  private mutating func appendCode(
    _ name: [UInt8]?, version: Int32, small: UInt8, number: Int32
  ) -> Int {
    let table = beginTable([16, name == nil ? 0 : 12, 8, 4], byteCount: 20)
    put(number, at: table + 4)
    put(version, at: table + 8)
    put(small, at: table + 16)
    if let name {
      let start = append(vector: name + [0], count: name.count)
      put(UInt32(start - table - 12), at: table + 12)
    }
    return table
  }

  /// Appends a vtable and an empty table with fields at the given offsets; 0 is a missing field.
  private mutating func beginTable(_ fields: [Int], byteCount: Int) -> Int {
    align()
    let vtable = bytes.count
    for number in [4 + 2 * fields.count, byteCount] + fields {
      bytes += [UInt8(truncatingIfNeeded: number), UInt8(truncatingIfNeeded: number >> 8)]
    }
    align()
    let table = bytes.count
    bytes += [UInt8](repeating: 0, count: byteCount)
    put(Int32(table - vtable), at: table)
    return table
  }

  /// Appends a vector, and returns the offset of its count.
  private mutating func append(vector contents: [UInt8], count: Int) -> Int {
    align()
    let start = bytes.count
    bytes += [0, 0, 0, 0] + contents
    put(UInt32(count), at: start)
    return start
  }

  /// Returns the offset of an element of a vector of tables.
  private func slot(
    _ index: Int, of field: Int, in table: FlatBufferTable
  ) throws(FlatBufferError) -> Int {
    guard let vector = try table.vector(field, elementSize: 4), index < vector.count else {
      throw .outOfBounds
    }
    return vector.start + 4 * index
  }

  private mutating func align() {
    while !bytes.count.isMultiple(of: 8) { bytes.append(0) }
  }

  private mutating func put(_ number: some FixedWidthInteger, at offset: Int) {
    for index in 0..<number.bitWidth / 8 {
      bytes[offset + index] = UInt8(truncatingIfNeeded: number >> (8 * index))
    }
  }
}
