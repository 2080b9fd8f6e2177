/// A table to write, with the values of its fields by their number.
struct FlatBufferNode {
  /// The value of a field.
  indirect enum Value {
    case byte(UInt8)
    case word(UInt32)
    case string(String)
    /// A vector of integers or floats of 32 bits.
    case words([UInt32])
    case table(FlatBufferNode)
    case tables([FlatBufferNode])
  }

  /// The values by field; missing fields have their default.
  var fields: [Int: Value]

  /// Creates a table.
  init(_ fields: [Int: Value] = [:]) {
    self.fields = fields
  }
}

extension FlatBufferNode {
  /// Returns a flatbuffer with this table as its root.
  func file(identifier: String) -> [UInt8] {
    var prefix = FlatBufferPrefix()
    let root = prefix.add(self)
    return prefix.file(root: root, identifier: identifier, [])
  }
}

extension FlatBufferPrefix {
  /// Appends a table and everything that it refers to.
  mutating func add(_ node: FlatBufferNode) -> Table {
    let count = (node.fields.keys.max() ?? -1) + 1
    let table = addTable((0..<count).map { node.fields[$0]?.slot ?? .absent })
    for (field, value) in node.fields.sorted(by: { $0.key < $1.key }) {
      guard let target = add(value) else { continue }
      link(table.fields[field], to: .new(target))
    }
    return table
  }

  /// Appends a value that is stored by reference, and returns its position.
  private mutating func add(_ value: FlatBufferNode.Value) -> Int? {
    switch value {
    case .byte, .word: return nil
    case .string(let text): return addString(text)
    case .words(let words): return addIntegers(words.map(Int.init))
    case .table(let node): return add(node).start
    case .tables(let nodes):
      let (vector, elements) = addReferences(nodes.count)
      for (element, node) in zip(elements, nodes) { link(element, to: .new(add(node).start)) }
      return vector
    }
  }
}

extension FlatBufferNode.Value {
  /// The field of the table.
  fileprivate var slot: FlatBufferPrefix.Field {
    switch self {
    case .byte(let byte): .byte(byte)
    case .word(let word): .word(word)
    case .string, .words, .table, .tables: .reference
    }
  }
}
