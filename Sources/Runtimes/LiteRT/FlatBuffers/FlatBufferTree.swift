/// A table of an existing flatbuffer with everything that it refers to, which can be changed and written.
///
/// ``ModelRootWriter`` keeps the bytes of a file, and is the right one for additions. This type leaves out
/// what is not referred to any more, so that a copy with smaller data is a smaller file.
struct FlatBufferTree {
  /// What a field refers to.
  indirect enum Reference {
    /// A string, which ends with a zero.
    case string
    /// A vector of numbers with a size and an alignment in bytes.
    case numbers(size: Int, alignment: Int = 4)
    /// A table.
    case table([Int: Reference])
    /// A vector of tables.
    case tables([Int: Reference])
    /// A table whose type another field has; tables of missing types have numbers only.
    case union(type: Int, [UInt8: [Int: Reference]])
    /// Something that cannot be copied.
    case unsupported
  }

  /// The value of a field that refers to another object.
  indirect enum Value {
    case numbers([UInt8], count: Int, alignment: Int)
    case string([UInt8])
    case table(FlatBufferTree)
    case tables([FlatBufferTree])
  }

  /// The values of the fields that refer to other objects, by field.
  var values: [Int: Value] = [:]
  /// The bytes of the table, which have numbers in place.
  private var numbers: [UInt8]
  /// The positions of the fields in the table; 0 for fields that are absent.
  private var offsets: [Int]
  /// The position of the table in units of its largest alignment, which a copy has too.
  private let phase: Int

  /// The largest alignment of a number in a table.
  private static let alignment = 8

  /// Reads a table.
  ///
  /// - Parameters:
  ///   - table: The table.
  ///   - fields: What its fields refer to; others have numbers.
  ///   - reader: The reader, whose budget bounds the size of the tree.
  /// - Throws: `ModelValidationError` if an offset is invalid, or the table has something that cannot be
  ///   copied.
  init(
    _ table: FlatBufferTable, _ fields: [Int: Reference], _ reader: FlatBufferReader
  ) throws(ModelValidationError) {
    (numbers, offsets) = try reader.inlineBytes(of: table)
    phase = table.start % Self.alignment
    for (field, reference) in fields where table.offset(ofField: field) != nil {
      values[field] = try Self.value(of: field, in: table, reference, reader)
    }
  }

  private static func value(
    of field: Int, in table: FlatBufferTable, _ reference: Reference, _ reader: FlatBufferReader
  ) throws(ModelValidationError) -> Value? {
    switch reference {
    case .string:
      guard let vector = try reader.vector(table, field, elementSize: 1) else { return nil }
      return .string(try reader.contents(of: vector))
    case .numbers(let size, let alignment):
      guard let vector = try reader.vector(table, field, elementSize: size) else { return nil }
      return .numbers(
        try reader.contents(of: vector), count: vector.count, alignment: alignment)
    case .table(let fields):
      guard let target = try reader.table(table, field) else { return nil }
      return .table(try FlatBufferTree(target, fields, reader))
    case .tables(let fields):
      return .tables(
        try reader.tables(table, field) { (table) throws(ModelValidationError) in
          try FlatBufferTree(table, fields, reader)
        })
    case .union(let type, let types):
      return try value(of: field, in: table, .table(types[table.byte(type)] ?? [:]), reader)
    case .unsupported:
      throw ModelValidationError(.format, "the file has parts that cannot be copied")
    }
  }

  /// Creates a table with numbers of 32 bits in fields, and no others.
  init(words: [Int: UInt32], references: [Int: Value]) {
    let count = ((Array(words.keys) + Array(references.keys)).max() ?? -1) + 1
    var offsets = [Int](repeating: 0, count: count)
    var numbers = [UInt8](repeating: 0, count: 4)
    for field in 0..<count where words[field] != nil || references[field] != nil {
      offsets[field] = numbers.count
      numbers += (words[field] ?? 0).littleEndianBytes
    }
    (self.numbers, self.offsets, phase) = (numbers, offsets, 0)
    values = references
  }

  /// Replaces a number of one or four bytes, which is present.
  mutating func set(_ field: Int, to number: UInt32, byteCount: Int) {
    guard has(field) else { return }
    let start = offsets[field]
    numbers.replaceSubrange(
      start..<start + byteCount, with: number.littleEndianBytes.prefix(byteCount))
  }

  /// Returns a number of four bytes; 0 if the field is absent.
  func number(_ field: Int) -> UInt32 {
    guard has(field), offsets[field] + 4 <= numbers.count else { return 0 }
    return (0..<4).reduce(0) { $0 | UInt32(numbers[offsets[field] + $1]) << UInt32(8 * $1) }
  }

  /// Removes a field.
  mutating func remove(_ field: Int) {
    guard has(field) else { return }
    offsets[field] = 0
    values[field] = nil
  }

  /// Whether a field is present.
  func has(_ field: Int) -> Bool { offsets.indices.contains(field) && offsets[field] > 0 }
}

// MARK: Writing

extension FlatBufferTree {
  /// Returns a flatbuffer with this table as its root.
  func file(identifier: String) -> [UInt8] {
    var writer = Writer()
    writer.bytes = [0, 0, 0, 0] + Array(identifier.utf8)
    let root = writer.add(self)
    writer.set(root, at: 0)
    return writer.bytes
  }

  private struct Writer {
    var bytes: [UInt8] = []
    /// The positions of the lists of offsets, which tables with the same fields share.
    private var vtables: [[Int]: Int] = [:]

    /// Appends a table and what it refers to, and returns its position.
    mutating func add(_ tree: FlatBufferTree) -> Int {
      let vtable = addVTable(tree)
      while bytes.count % FlatBufferTree.alignment != tree.phase { bytes.append(0) }
      let start = bytes.count
      bytes += tree.numbers
      setDistance(start - vtable, at: start)
      for (field, value) in tree.values.sorted(by: { $0.key < $1.key }) {
        guard tree.has(field) else { continue }
        let location = start + tree.offsets[field]
        set(add(value) - location, at: location)
      }
      return start
    }

    private mutating func addVTable(_ tree: FlatBufferTree) -> Int {
      let entries = [4 + 2 * tree.offsets.count, tree.numbers.count] + tree.offsets
      if let position = vtables[entries] { return position }
      pad(to: 2)
      let position = bytes.count
      for entry in entries { bytes += UInt32(entry).littleEndianBytes.prefix(2) }
      vtables[entries] = position
      return position
    }

    private mutating func add(_ value: Value) -> Int {
      switch value {
      case .string(let text):
        let start = addVector(text, count: text.count, alignment: 4)
        bytes.append(0)
        return start
      case .numbers(let contents, let count, let alignment):
        return addVector(contents, count: count, alignment: alignment)
      case .table(let tree): return add(tree)
      case .tables(let trees):
        let start = addVector(
          [UInt8](repeating: 0, count: 4 * trees.count), count: trees.count, alignment: 4)
        for (index, tree) in trees.enumerated() {
          let location = start + 4 + 4 * index
          set(add(tree) - location, at: location)
        }
        return start
      }
    }

    private mutating func addVector(_ contents: [UInt8], count: Int, alignment: Int) -> Int {
      pad(to: 4)
      while !(bytes.count + 4).isMultiple(of: alignment) { bytes.append(0) }
      let start = bytes.count
      bytes += UInt32(count).littleEndianBytes
      bytes += contents
      return start
    }

    private mutating func pad(to alignment: Int) {
      while !bytes.count.isMultiple(of: alignment) { bytes.append(0) }
    }

    /// Sets the distance from a table back to its list of offsets, which may follow it.
    private mutating func setDistance(_ distance: Int, at location: Int) {
      let number = UInt32(bitPattern: Int32(truncatingIfNeeded: distance))
      bytes.replaceSubrange(location..<location + 4, with: number.littleEndianBytes)
    }

    mutating func set(_ distance: Int, at location: Int) { setDistance(distance, at: location) }
  }
}

extension UInt32 {
  /// The four bytes, lowest first.
  fileprivate var littleEndianBytes: [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: self >> UInt32(8 * $0)) }
  }
}
