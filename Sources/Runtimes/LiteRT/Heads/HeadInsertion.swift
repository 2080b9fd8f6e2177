import TensorIOBundle
import TensorIOCore

/// A copy of a `.tflite` file with other last layers.
///
/// The new tables are in front of the existing file, which follows unchanged, so that it can be recovered.
struct HeadInsertion {
  /// The operators of a head, with their codes and the types of their options.
  private enum Kind: Int, CaseIterable {
    case concatenation = 2
    case dequantize = 6
    case fullyConnected = 9
    case normalization = 11
    case reshape = 22
    case softmax = 25
    case subtraction = 41
    case maximum = 82

    var optionsType: UInt8 {
      switch self {
      case .concatenation: 10
      case .dequantize: 38
      case .fullyConnected: 8
      case .normalization: 12
      case .reshape: 17
      case .softmax: 9
      case .subtraction: 28
      case .maximum: 27
      }
    }

    /// The first version of the operator that has all types of a head.
    var version: UInt32 { self == .dequantize ? 2 : 1 }
  }

  private let model: ParsedModel
  private let source: ModelBytes
  /// The subgraph that gets other outputs.
  private let subgraph: Int
  private var writer: ModelRootWriter
  private let bufferCount: Int
  private let codeCount: Int

  private var tensors: [ModelRootWriter.Tensor] = []
  private var operators: [ModelRootWriter.Operator] = []
  private var buffers: [[UInt8]] = []
  /// Whether tensors have any number of items.
  private var isBatched = false

  /// Reads a file.
  ///
  /// - Parameters:
  ///   - source: The contents of the file.
  ///   - subgraph: The index of the subgraph that gets other outputs.
  /// - Throws: An error if the file is invalid, or has data outside of its tables.
  init(_ source: ModelBytes, subgraph: Int) throws(ModelValidationError) {
    (model, self.source, self.subgraph) = (try ParsedModel(source), source, subgraph)
    try model.requireInlineData()
    writer = try ModelRootWriter(source)
    bufferCount = writer.references(.buffers).count
    codeCount = writer.references(.operatorCodes).count
  }

  private var graph: ParsedSubgraph { model.subgraphs[subgraph] }

  /// Returns the file with the scores of a head as its only output.
  ///
  /// - Parameters:
  ///   - head: The layers to append.
  ///   - output: The tensor with the embedding.
  ///   - end: The offset of an archive behind the model, which is left out.
  /// - Returns: The contents of the file.
  /// - Throws: An error if the embedding has another shape or type.
  mutating func adding(
    _ head: ClassifierHead, to output: Int, upTo end: Int
  ) throws(ModelValidationError) -> [UInt8] {
    let unit = try normalized(output, head.dimensions)
    var scores = dense(unit, head.weights, head.bias, "logits")
    if let unknown = head.unknown {
      let similarity = dense(
        unit, unknown.weights(dimensions: head.dimensions),
        unknown.bias(dimensions: head.dimensions), "similarity")
      let other = add(
        .subtraction, [maximum(of: scores, "best"), maximum(of: similarity, "nearest")], 1,
        "unknown")
      scores = add(
        .concatenation, [scores, other], head.scoreCount, "scores", [0: .word(1)])
    }
    let beta: Float = 1
    let result = add(
      .softmax, [scores], head.scoreCount, ClassifierHead.outputName, [0: .word(beta.bitPattern)],
      prefix: "")
    return try file(outputs: [result], upTo: end)
  }

  /// Returns the file with one tensor as its only output, which has floating-point numbers.
  mutating func returning(_ tensor: Int, upTo end: Int) throws(ModelValidationError) -> [UInt8] {
    let output = dequantized(tensor)
    return try file(outputs: [output], upTo: end)
  }
}

// MARK: - Layers

extension HeadInsertion {
  /// Appends what makes the embedding a float vector of unit length for each item.
  private mutating func normalized(
    _ output: Int, _ dimensions: Int
  ) throws(ModelValidationError) -> Int {
    let tensor = graph.tensors[output]
    let shape = tensor.shapeSignature.isEmpty ? tensor.shape : tensor.shapeSignature
    isBatched = shape.first == -1
    try require(
      shape.dropFirst(isBatched ? 1 : 0).allSatisfy { $0 > 0 } && shape.last == dimensions,
      .format, "the embedding of shape \(shape) does not end with \(dimensions) numbers")
    try require(
      tensor.typeCode == ModelRootWriter.float32TypeCode, .format,
      "the embedding does not consist of floating-point numbers")
    var current = output
    if shape.count != 2 || (!isBatched && shape[0] != 1) {
      let lengths = constant([isBatched ? -1 : 1, dimensions], "shape")
      current = add(.reshape, [current, lengths], dimensions, "flat")
    }
    return add(.normalization, [current], dimensions, "unit")
  }

  /// Appends what makes floating-point numbers of a quantized tensor.
  private mutating func dequantized(_ index: Int) -> Int {
    let tensor = graph.tensors[index]
    guard tensor.typeCode != ModelRootWriter.float32TypeCode else { return index }
    tensors.append(
      .init(
        name: ClassifierHead.namePrefix + "float", shape: tensor.shape,
        shapeSignature: tensor.shapeSignature, typeCode: ModelRootWriter.float32TypeCode,
        buffer: 0))
    return connect(.dequantize, [index])
  }

  /// Appends a dense layer with as many outputs as there are biases.
  private mutating func dense(
    _ input: Int, _ weights: [Float], _ bias: [Float], _ name: String
  ) -> Int {
    let dimensions = weights.count / max(1, bias.count)
    let constants = [
      constant(weights, [bias.count, dimensions], "\(name)/weights"),
      constant(bias, [bias.count], "\(name)/bias"),
    ]
    return add(.fullyConnected, [input] + constants, bias.count, name)
  }

  /// Appends the highest number of each item.
  private mutating func maximum(of input: Int, _ name: String) -> Int {
    add(.maximum, [input, constant([1], "\(name)/axis")], 1, name, [0: .byte(1)])
  }

  /// Appends an operator that returns a vector for each item.
  private mutating func add(
    _ kind: Kind, _ inputs: [Int], _ length: Int, _ name: String,
    _ options: [Int: FlatBufferNode.Value] = [:], prefix: String = ClassifierHead.namePrefix
  ) -> Int {
    tensors.append(
      .init(
        name: prefix + name, shape: [1, length], shapeSignature: isBatched ? [-1, length] : [],
        typeCode: ModelRootWriter.float32TypeCode, buffer: 0))
    return connect(kind, inputs, options)
  }

  /// Appends an operator that writes the last tensor, and returns that tensor.
  private mutating func connect(
    _ kind: Kind, _ inputs: [Int], _ options: [Int: FlatBufferNode.Value] = [:]
  ) -> Int {
    let output = graph.tensors.count + tensors.count - 1
    let code = Kind.allCases.firstIndex(of: kind) ?? 0
    operators.append(
      .init(
        code: codeCount + code, inputs: inputs, outputs: [output], optionsType: kind.optionsType,
        FlatBufferNode(options)))
    return output
  }

  private mutating func constant(_ values: [Float], _ shape: [Int], _ name: String) -> Int {
    constant(values.map(\.bitPattern), shape, ModelRootWriter.float32TypeCode, name)
  }

  private mutating func constant(_ values: [Int], _ name: String) -> Int {
    constant(
      values.map { UInt32(bitPattern: Int32($0)) }, [values.count], ModelRootWriter.int32TypeCode,
      name)
  }

  private mutating func constant(
    _ words: [UInt32], _ shape: [Int], _ typeCode: UInt8, _ name: String
  ) -> Int {
    tensors.append(
      .init(
        name: ClassifierHead.namePrefix + name, shape: shape, typeCode: typeCode,
        buffer: bufferCount + buffers.count))
    buffers.append(
      words.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) } })
    return graph.tensors.count + tensors.count - 1
  }
}

// MARK: - Writing

extension HeadInsertion {
  /// Returns the new tables, followed by the existing file.
  private mutating func file(
    outputs: [Int], upTo end: Int
  ) throws(ModelValidationError) -> [UInt8] {
    let root = writer.addRoot(
      replacing: [.operatorCodes, .subgraphs, .buffers, .metadata, .signatures])
    let codes = writer.addVector(
      root, .operatorCodes, existing: writer.references(.operatorCodes),
      added: Kind.allCases.count)
    for (element, kind) in zip(codes, Kind.allCases) {
      let number = UInt32(kind.rawValue)
      let table = writer.prefix.add(
        FlatBufferNode([0: .byte(UInt8(number)), 2: .word(kind.version), 3: .word(number)]))
      writer.prefix.link(element, to: .new(table.start))
    }
    let subgraphs = writer.references(.subgraphs)
    let graphs = writer.addElements(root, .subgraphs, subgraphs.count)
    for (index, element) in graphs.enumerated() where index != subgraph {
      writer.prefix.link(element, to: .existing(subgraphs[index]))
    }
    try writer.addSubgraph(
      graph, outputs: outputs, addedTensors: tensors, addedOperators: operators, graphs[subgraph])
    let data = writer.addVector(
      root, .buffers, existing: writer.references(.buffers), added: buffers.count)
    for (element, bytes) in zip(data, buffers) { writer.addBuffer(bytes, element) }
    try addMetadata(root)
    try addSignatures(root, outputs)
    return writer.file(root: root, upTo: end)
  }

  /// Adds the metadata, without that of the main subgraph's outputs if they are replaced.
  private mutating func addMetadata(
    _ root: FlatBufferPrefix.Table
  ) throws(ModelValidationError) {
    let references = writer.references(.metadata)
    let names = try names(.metadata, 0)
    let kept = zip(references, names)
      .filter { subgraph != 0 || $0.1 != LiteRTModel.metadataName }.map(\.0)
    _ = writer.addVector(root, .metadata, existing: kept, added: 0)
  }

  /// Adds the signatures; those of the changed subgraph have other outputs.
  private mutating func addSignatures(
    _ root: FlatBufferPrefix.Table, _ outputs: [Int]
  ) throws(ModelValidationError) {
    let references = writer.references(.signatures)
    let elements = writer.addElements(root, .signatures, references.count)
    let reader = FlatBufferReader(source)
    let tables = try reader.tables(
      try reader.root(identifier: ParsedModel.identifier),
      ModelRootWriter.Field.signatures.rawValue
    ) { (table) throws(ModelValidationError) in table }
    for (index, element) in elements.enumerated() {
      guard model.signatures[index].subgraphIndex == subgraph else {
        writer.prefix.link(element, to: .existing(references[index]))
        continue
      }
      let inputs = writer.reference(tables[index], 0)
      let table = writer.prefix.addTable([
        inputs == nil ? .absent : .reference, .reference, .reference, .absent,
        .word(UInt32(subgraph)),
      ])
      writer.prefix.link(element, to: .new(table.start))
      if let inputs { writer.prefix.link(table.fields[0], to: .existing(inputs)) }
      let entries = writer.addReferences(to: table.fields[1], outputs.count)
      for (entry, tensor) in zip(entries, outputs) {
        let node = FlatBufferNode([0: .string(name(of: tensor)), 1: .word(UInt32(tensor))])
        writer.prefix.link(entry, to: .new(writer.prefix.add(node).start))
      }
      writer.prefix.link(
        table.fields[2], to: .new(writer.prefix.addString(tables[index].string(2))))
    }
  }

  private func name(of tensor: Int) -> String {
    let added = tensor - graph.tensors.count
    return added >= 0 ? tensors[added].name : graph.tensors[tensor].table.string(3)
  }

  /// Returns the strings in a field of the tables of a vector.
  private func names(
    _ field: ModelRootWriter.Field, _ name: Int
  ) throws(ModelValidationError) -> [String] {
    let reader = FlatBufferReader(source)
    return try reader.tables(
      try reader.root(identifier: ParsedModel.identifier), field.rawValue
    ) { (table) throws(ModelValidationError) in table.string(name) }
  }
}
