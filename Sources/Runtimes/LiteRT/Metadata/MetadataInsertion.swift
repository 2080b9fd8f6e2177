import TensorIOBundle

/// A copy of a `.tflite` file with other contents of a named metadata buffer.
struct MetadataInsertion {
  let bytes: [UInt8]

  /// Creates the copy.
  ///
  /// - Parameters:
  ///   - data: The contents of the buffer.
  ///   - name: The name of the buffer; an existing one is replaced.
  ///   - source: The file.
  ///   - end: The offset of an archive behind the model, which is left out.
  /// - Throws: `ModelError` if the file is no model, or has data behind its flatbuffer.
  init(
    _ data: [UInt8], named name: String, in source: ModelBytes, upTo end: Int
  ) throws(ModelError) {
    do throws(ModelValidationError) {
      let model = try ParsedModel(source)
      try model.requireInlineData()
      bytes = try Self.file(data, name, source, end)
    } catch {
      throw ModelError(.runtime, .modelRejected(detail: error.message))
    }
  }

  private static func file(
    _ data: [UInt8], _ name: String, _ source: ModelBytes, _ end: Int
  ) throws(ModelValidationError) -> [UInt8] {
    var writer = try ModelRootWriter(source)
    let buffers = writer.references(.buffers)
    let entries = writer.references(.metadata)
    let existing = try bufferIndex(named: name, of: source)
    let isNew = existing == nil
    let root = writer.addRoot(replacing: isNew ? [.buffers, .metadata] : [.buffers])
    let elements = writer.addElements(root, .buffers, buffers.count + (isNew ? 1 : 0))
    let index = existing ?? buffers.count
    for (element, target) in zip(elements, buffers) where element != elements[index] {
      writer.prefix.link(element, to: .existing(target))
    }
    let buffer = writer.prefix.addTable([.reference])
    writer.prefix.link(elements[index], to: .new(buffer.start))
    if isNew {
      let added = writer.addVector(root, .metadata, existing: entries, added: 1)
      let entry = writer.prefix.add(
        FlatBufferNode([0: .string(name), 1: .word(UInt32(index))]))
      writer.prefix.link(added[0], to: .new(entry.start))
    }
    writer.prefix.link(buffer.fields[0], to: .new(writer.prefix.addData(data)))
    return writer.file(root: root, upTo: end)
  }

  /// Returns the index of a metadata buffer, or `nil` if there is none with that name.
  private static func bufferIndex(
    named name: String, of source: ModelBytes
  ) throws(ModelValidationError) -> Int? {
    let reader = FlatBufferReader(source)
    let root = try reader.root(identifier: ParsedModel.identifier)
    let field = ModelRootWriter.Field.metadata.rawValue
    let entries = try reader.tables(root, field) { entry throws(ModelValidationError) in
      (name: entry.string(0), buffer: Int(try reader.number(entry, 1, default: UInt32(0))))
    }
    return entries.first { $0.name == name && $0.buffer > 0 }?.buffer
  }
}

extension ParsedModel {
  /// Throws if data is stored behind the flatbuffer, where offsets count from the start of the file.
  func requireInlineData() throws(ModelValidationError) {
    let hasLargeOptions = subgraphs.contains { graph in
      graph.operators.contains { $0.largeCustomOptionsRange != nil }
    }
    try require(
      !hasLargeOptions && !buffers.contains(where: \.isExternal), .format,
      "files with data behind the flatbuffer cannot be changed; "
        + "convert the model to a file of less than 2 GB")
  }
}
