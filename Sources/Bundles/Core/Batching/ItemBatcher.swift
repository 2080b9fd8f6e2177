package import TensorIOBundle

/// Runs several items in one invocation, in tensors whose first dimension counts them.
///
/// A model takes any number of items if the first dimension of all layers is declared as `-1` and
/// its tensors allow it; items of variable lengths run together if they have the same lengths. It
/// takes a fixed number if the description and the tensors have the same first dimension
/// everywhere, as in `[4,224,224,3]` and `[4,1000]`.
struct ItemBatcher: Sendable {
  /// The number of items of an invocation; `nil` if it takes any number.
  private let fixedBatchSize: Int?
  private let encoder: InputEncoder
  private let placeholders: PlaceholderEncoder
  private let decoder: OutputDecoder

  /// Creates a batcher; `nil` if the model takes one item at a time.
  init?(
    _ description: ModelDescription, labels: [OutputLabels], _ signature: ModelSignature,
    _ options: OpeningOptions
  ) {
    // Sound is divided into windows, which run one after the other.
    guard !description.inputs.contains(where: \.isAudio) else { return nil }
    let inputs = Array(zip(description.inputs, signature.inputs))
    let outputs = Array(zip(description.outputs, signature.outputs))
    let size = Self.fixedSize(inputs, outputs)
    guard size != nil || Self.hasDynamicBatch(inputs, outputs) else { return nil }
    self.fixedBatchSize = size
    encoder = InputEncoder(
      description.inputs.map(\.singleItemLayer),
      tensors: signature.inputs.map { $0.singleItem(ofBatch: size) },
      decoding: options.decodingOptions)
    placeholders = PlaceholderEncoder(description, signature)
    decoder = OutputDecoder(
      description.outputs.map(\.singleItemLayer),
      tensors: signature.outputs.map { $0.singleItem(ofBatch: size) },
      labels: labels)
    guard encoder.shapes.allSatisfy({ $0.first == 1 }),
      !encoder.layers.contains(where: { $0.variableShape?.includesFirstAxis == true }),
      size == nil || !encoder.hasVariableShapes
    else { return nil }
  }

  private typealias Pair = (layer: Layer, tensor: TensorInfo)

  private static func hasDynamicBatch(_ inputs: [Pair], _ outputs: [Pair]) -> Bool {
    inputs.allSatisfy { $0.layer.shape.hasDynamicBatch && $0.tensor.shape.hasDynamicBatch }
      && outputs.allSatisfy { $0.layer.shape.hasDynamicBatch }
  }

  /// Returns the batch size of all layers.
  ///
  /// A layer with one dimension is a vector, not a batch.
  private static func fixedSize(_ inputs: [Pair], _ outputs: [Pair]) -> Int? {
    guard let size = inputs.first?.layer.shape.dimensions.first ?? nil, size > 1,
      inputs.allSatisfy({ $0.layer.shape.dimensions.count > 1 }),
      (inputs + outputs).allSatisfy({
        $0.layer.shape.dimensions.first == size && $0.tensor.shape.dimensions.first == size
      })
    else { return nil }
    return size
  }

  /// Whether each item is one row of the tensors rather than a complete tensor.
  ///
  /// With a fixed batch, the two differ in their number of elements.
  func canStack(_ items: [[LayerValue]]) -> Bool {
    guard fixedBatchSize != nil else { return true }
    return items.allSatisfy { item in
      zip(encoder.layers, item).allSatisfy { layer, value in layer.isExactlyFilled(by: value) }
    }
  }

  /// Returns groups of one invocation each, as positions of items.
  ///
  /// - Parameters:
  ///   - items: The values of the inputs of each item.
  ///   - sharesShapes: Whether images of different lengths run together, in tensors for the longest.
  /// - Returns: The groups.
  /// - Throws: A ``ModelError`` if the lengths of an item do not fit the model.
  func groups(
    of items: [[LayerValue]], sharingShapes sharesShapes: Bool = false
  ) throws(ModelError) -> [[Int]] {
    guard let fixedBatchSize else {
      if sharesShapes, takesImages { return items.isEmpty ? [] : [Array(items.indices)] }
      return try groupsOfEqualShapes(items)
    }
    return stride(from: 0, to: items.count, by: fixedBatchSize).map { start in
      Array(start..<min(start + fixedBatchSize, items.count))
    }
  }

  /// Items with equal lengths run together, also if others are between them.
  private func groupsOfEqualShapes(_ items: [[LayerValue]]) throws(ModelError) -> [[Int]] {
    guard encoder.hasVariableShapes else { return items.isEmpty ? [] : [Array(items.indices)] }
    let shapes = try items.mapWithItemErrors { (item) throws(ModelError) in
      try encoder.fitted(to: item).shapes
    }
    var groups: [[Int]] = []
    var groupIndices: [[[Int]]: Int] = [:]
    for (position, shape) in shapes.enumerated() {
      if let index = groupIndices[shape] {
        groups[index].append(position)
      } else {
        groupIndices[shape] = groups.count
        groups.append([position])
      }
    }
    return groups
  }

  /// Runs a group of items in one invocation.
  ///
  /// A fixed batch is padded with copies of the last item, whose outputs are discarded.
  func run(
    _ group: [[LayerValue]], _ given: [LayerValue?], in session: any Session,
    _ stopwatch: inout Stopwatch
  ) throws(ModelError) -> [ModelOutput] {
    let count = fixedBatchSize ?? group.count
    let copies = group.suffix(1).flatMap { Array(repeating: $0, count: count - group.count) }
    stopwatch.discardLap()
    var encoder = self.encoder
    if takesImages, group.count > 1 {
      encoder = try encoder.fitted(toLongest: group)
    } else if let first = group.first {
      encoder = try encoder.fitted(to: first)
    }
    if fixedBatchSize == nil { try session.resize(encoder.shapes(items: count)) }
    let geometries = try encoder.encode(items: (group + copies)[...], into: session)
    try placeholders.encode(given, into: session)
    stopwatch.lap(\.input)
    try session.invoke()
    stopwatch.lap(\.run)
    let items = try decoder.decode(session, items: count)
    stopwatch.lap(\.output)
    return zip(zip(items, geometries), group).map { item, values in
      ModelOutput(layers: item.0, imageGeometries: item.1, texts: values.texts)
    }
  }
}

extension ItemBatcher {
  /// Whether all inputs are images.
  private var takesImages: Bool {
    encoder.layers.allSatisfy { if case .image = $0.kind { true } else { false } }
  }

  /// Whether rows of numbers become outputs without a value for each item.
  var takesRows: Bool {
    fixedBatchSize == nil && !encoder.hasVariableShapes
      && encoder.layers.allSatisfy { if case .numbers = $0.kind { true } else { false } }
      && decoder.layers.allSatisfy(\.joinsRows)
  }

  /// Runs rows of numbers in one invocation.
  ///
  /// - Parameters:
  ///   - inputs: The values of the inputs, in order; the first dimension of each counts the rows.
  ///   - session: The session, which this changes to the number of rows.
  /// - Returns: The outputs, whose first dimensions count the rows.
  /// - Throws: A ``ModelError`` if a value does not fit the model, or the run fails.
  func run(
    rows inputs: [LayerValue], in session: any Session
  ) throws(ModelError) -> [ModelOutput.Layer] {
    let count = inputs.first?.numbers?.shape.first ?? 0
    for (layer, value) in zip(encoder.layers, inputs)
    where count == 0 || value.numbers?.shape.first != count {
      throw ModelError(
        .input,
        .wrongType(
          expected: "the same number of rows of numbers for each input",
          actual: value.kindDescription), layer: layer.name)
    }
    try session.resize(encoder.shapes(items: count))
    for (index, layer) in encoder.layers.enumerated() {
      guard case .numbers(let encoder) = layer.kind, let rows = inputs[index].numbers else {
        continue
      }
      do throws(ModelError) {
        try session.fill(index) { (memory) throws(ModelError) in
          try encoder.encode(rows: rows, count: count, into: &memory)
        }
      } catch {
        throw error.stage == .input ? error.at(layer: layer.name) : error
      }
    }
    try placeholders.encode(placeholders.defaults, into: session)
    try session.invoke()
    var outputs: [ModelOutput.Layer] = []
    for (index, layer) in decoder.layers.enumerated() {
      let value = try layer.decode(session, at: index, rows: count)
      outputs.append(ModelOutput.Layer(name: layer.layer.name, value: value))
    }
    return outputs
  }
}

extension Layer {
  /// The layer for one item of a fixed batch.
  package var singleItemLayer: Layer {
    guard let count = shape.dimensions.first ?? nil, count > 1 else { return self }
    var layer = self
    layer.shape = TensorShape([1] + shape.dimensions.dropFirst())
    return layer
  }
}

extension TensorInfo {
  /// Returns the tensor for one item of a fixed batch.
  func singleItem(ofBatch batchSize: Int?) -> TensorInfo {
    guard batchSize != nil else { return self }
    return TensorInfo(
      name: name, elementType: elementType, shape: TensorShape([1] + shape.dimensions.dropFirst()),
      quantization: quantization)
  }
}
