/// A `.tflite` file whose tables can be changed and written.
struct ModelTree {
  private var root: FlatBufferTree

  /// Reads a file.
  ///
  /// - Throws: `ModelValidationError` if an offset is invalid, or the file has parts that cannot be copied:
  ///   data behind the flatbuffer, sparse tensors, or tables of newer versions of the format.
  init(_ bytes: ModelBytes) throws(ModelValidationError) {
    let reader = FlatBufferReader(bytes)
    let table = try reader.root(identifier: ParsedModel.identifier)
    root = try FlatBufferTree(table, Self.model, reader)
  }

  /// The tables of a list.
  subscript(field: ModelRootWriter.Field) -> [FlatBufferTree] {
    get { root.tables(field.rawValue) }
    set { root.setTables(field.rawValue, newValue) }
  }

  /// The contents of the file.
  var file: [UInt8] { root.file(identifier: ParsedModel.identifier) }
}

extension FlatBufferTree {
  /// Returns the tables of a vector.
  func tables(_ field: Int) -> [FlatBufferTree] {
    if case .tables(let trees) = values[field] { trees } else { [] }
  }

  /// Replaces the tables of a vector, which is present.
  mutating func setTables(_ field: Int, _ tables: [FlatBufferTree]) {
    values[field] = .tables(tables)
  }
}

// MARK: Schema

/// What the fields of the tables of the format refer to.
extension ModelTree {
  private typealias Fields = [Int: FlatBufferTree.Reference]

  private static let integers = FlatBufferTree.Reference.numbers(size: 4)
  private static let bytes = FlatBufferTree.Reference.numbers(size: 1)
  private static let alignedBytes = FlatBufferTree.Reference.numbers(size: 1, alignment: 16)

  private static let model: Fields = [
    1: .tables([1: .string]), 2: .tables(subgraph), 3: .string, 4: .tables(buffer), 5: integers,
    6: .tables([0: .string]), 7: .tables(signature), 8: .unsupported, 9: .unsupported,
  ]
  private static let subgraph: Fields = [
    0: .tables(tensor), 1: integers, 2: integers, 3: .tables(`operator`), 4: .string,
  ]
  private static let tensor: Fields = [
    0: integers, 3: .string, 4: .table(quantization), 6: .unsupported, 7: integers,
    9: .unsupported,
  ]
  private static let quantization: Fields = [
    0: integers, 1: integers, 2: integers, 3: .numbers(size: 8, alignment: 8),
    5: .union(type: 4, [1: [0: alignedBytes], 2: [3: integers]]),
  ]
  private static let `operator`: Fields = [
    1: integers, 2: integers, 4: .union(type: 3, options), 5: bytes, 7: bytes, 8: integers,
    9: .unsupported, 12: .unsupported,
  ]
  /// The options that have more than numbers, by their number in the format's union.
  private static let options: [UInt8: Fields] = [
    3: [1: integers, 2: integers],  // ConcatEmbeddings
    8: [5: .unsupported],  // FullyConnected
    17: [0: integers],  // Reshape
    30: [0: integers],  // Squeeze
    111: [0: .string, 1: .string],  // VarHandle
    115: [0: integers],  // Bucketize
  ]
  private static let buffer: Fields = [0: alignedBytes, 1: .unsupported]
  private static let signature: Fields = [
    0: .tables([0: .string]), 1: .tables([0: .string]), 2: .string, 3: .string,
  ]
}
