/// Writes a new root table in front of a `.tflite` file, which refers to the file's tables except for
/// those that are replaced.
struct ModelRootWriter {
  /// The fields of the root table.
  enum Field: Int, CaseIterable {
    case version, operatorCodes, subgraphs, description, buffers, metadataBuffers, metadata
    case signatures
  }

  /// The new tables.
  var prefix = FlatBufferPrefix()
  private let bytes: ModelBytes
  private let root: FlatBufferTable

  /// Reads the root table of a file.
  init(_ bytes: ModelBytes) throws(ModelValidationError) {
    self.bytes = bytes
    root = try FlatBufferReader(bytes).root(identifier: ParsedModel.identifier)
  }

  /// Returns the offsets of the tables in a vector of the existing root table.
  func references(_ field: Field) -> [Int] { references(root, field.rawValue) }

  /// Returns the offsets of the tables in a vector of an existing table.
  func references(_ table: FlatBufferTable, _ field: Int) -> [Int] {
    guard let vector = try? table.vector(field, elementSize: 4) else { return [] }
    return vector.elementOffsets.compactMap { target(of: $0) }
  }

  /// Returns the offset of the object that a field of an existing table refers to.
  func reference(_ table: FlatBufferTable, _ field: Int) -> Int? {
    table.offset(ofField: field).flatMap(target(of:))
  }

  private func target(of location: Int) -> Int? {
    bytes.integer(UInt32.self, at: location).map { location + Int($0) }
  }

  /// Appends a root table that refers to the existing objects, except for some fields.
  mutating func addRoot(replacing replaced: [Field]) -> FlatBufferPrefix.Table {
    let version = (try? root.number(0, default: UInt32(0))) ?? 0
    let fields = Field.allCases.map { field -> FlatBufferPrefix.Field in
      if field == .version { return .word(version) }
      let exists = root.offset(ofField: field.rawValue) != nil
      return exists || replaced.contains(field) ? .reference : .absent
    }
    let table = prefix.addTable(fields)
    for field in Field.allCases where field != .version && !replaced.contains(field) {
      if let target = root.offset(ofField: field.rawValue).flatMap(target(of:)) {
        prefix.link(table.fields[field.rawValue], to: .existing(target))
      }
    }
    return table
  }

  /// Appends a vector with existing tables, and returns the locations of further elements.
  mutating func addVector(
    _ root: FlatBufferPrefix.Table, _ field: Field, existing: [Int], added count: Int
  ) -> [Int] {
    let elements = addElements(root, field, existing.count + count)
    for (element, target) in zip(elements, existing) {
      prefix.link(element, to: .existing(target))
    }
    return Array(elements.dropFirst(existing.count))
  }

  /// Appends a vector for tables, and returns the locations of its elements.
  mutating func addElements(
    _ root: FlatBufferPrefix.Table, _ field: Field, _ count: Int
  ) -> [Int] {
    let (vector, elements) = prefix.addReferences(count)
    prefix.link(root.fields[field.rawValue], to: .new(vector))
    return elements
  }

  /// Returns the new bytes, which those of the file follow.
  mutating func newBytes(root: FlatBufferPrefix.Table) -> [UInt8] {
    prefix.file(root: root, identifier: ParsedModel.identifier, [])
  }

  /// Returns the new bytes, followed by those of the file up to `end`.
  mutating func file(root: FlatBufferPrefix.Table, upTo end: Int? = nil) -> [UInt8] {
    prefix.file(
      root: root, identifier: ParsedModel.identifier, bytes.copy(of: 0..<(end ?? bytes.count)))
  }
}
