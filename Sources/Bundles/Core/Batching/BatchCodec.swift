package import TensorIOBundle
import TensorIOImage

/// Encodes a batch into tensors with one row per item, and decodes the outputs.
///
/// Outputs whose declared and actual shapes begin with `-1` are decoded item by item; all others,
/// such as a loss, have one value for the batch.
package struct BatchCodec: Sendable {
  private let names: [String]
  private let inputs: [BatchInputEncoder]
  private let placeholders: PlaceholderEncoder
  private let decodeOutputs: [BatchOutputDecoder]

  /// Creates a codec for a description that has been validated against the model.
  ///
  /// - Parameters:
  ///   - description: The description of the model.
  ///   - labels: The labels of each output; empty for outputs without labels.
  ///   - signature: The tensors of the model.
  ///   - options: The options of the model.
  ///   - labelCounts: The number of valid labels for inputs that take label indices, by name.
  package init(
    _ description: ModelDescription, labels: [OutputLabels], _ signature: ModelSignature,
    _ options: OpeningOptions, labelCounts: [String: Int] = [:]
  ) {
    names = description.inputs.map(\.name)
    let sizes = description.inputs.fixedBatchSizes(in: signature.inputs)
    inputs = zip(zip(description.inputs, signature.inputs), sizes).map { pair, size in
      let (layer, tensor) = pair
      return BatchInputEncoder(
        layer, tensor, options.decodingOptions, batchSize: size,
        labelCount: tensor.elementType.isInteger ? labelCounts[layer.name] : nil)
    }
    placeholders = PlaceholderEncoder(description, signature)
    decodeOutputs = zip(zip(description.outputs, signature.outputs), labels).map { pair, labels in
      BatchOutputDecoder(pair.0, pair.1, labels)
    }
  }

  /// The names of the inputs whose tensors hold strings.
  package var textInputs: Set<String> {
    Set(zip(names, inputs).lazy.filter(\.1.holdsText).map(\.0))
  }

  /// Writes a batch and its placeholders into a session; an error has the index of the invalid
  /// item.
  package func encode(
    _ batch: Batch, _ given: Placeholders, into session: any Session
  ) throws(ModelError) {
    let columns = try columns(of: batch)
    let values = try placeholders.values(given)
    for (input, column) in zip(inputs, columns) { try input.validateLabels(column) }
    var encoders: [LayerEncoder] = []
    for (input, column) in zip(inputs, columns) { encoders.append(try input.encoder(for: column)) }
    let shapes = try zip(inputs, encoders).map { (input, encoder) throws(ModelError) in
      try input.shape(of: batch.count, encoder)
    }
    try session.resize(shapes)
    for index in inputs.indices {
      _ = try encoders[index].encode(rows: columns[index], into: session, at: index)
    }
    try placeholders.encode(values, into: session)
  }

  /// Reads the outputs for a batch.
  package func decodeOutputs(of session: any Session, itemCount count: Int) throws(ModelError)
    -> ModelOutput
  {
    var layers: [ModelOutput.Layer] = []
    for (index, output) in decodeOutputs.enumerated() {
      layers.append(try output.read(session, at: index, items: count))
    }
    return ModelOutput(layers: layers)
  }

  /// Returns the columns of a batch in the order of the inputs.
  private func columns(of batch: Batch) throws(ModelError) -> [[LayerValue]] {
    guard batch.count > 0 else { throw ModelError(.input, .failed("the batch is empty")) }
    if batch.keys == names { return batch.columns }
    guard batch.keys.sorted() == names.sorted() else {
      throw ModelError(
        .input,
        .inputNames(
          missing: names.filter { !batch.keys.contains($0) },
          unexpected: batch.keys.filter { !names.contains($0) }, declared: names))
    }
    return names.map { batch[$0] }
  }
}

/// Encodes one input of a batch.
///
/// This is a class so that copying it during a training step retains one reference instead of one
/// per field.
private final class BatchInputEncoder: Sendable {
  /// The number of items that the tensor takes.
  private enum RowCount {
    case dynamic, single
    case fixed(Int)
  }

  private let encoder: LayerEncoder
  private let rows: RowCount
  private let rowShape: [Int]
  /// The number of valid labels, if the input takes label indices.
  private let labelCount: Int?

  init(
    _ layer: Layer, _ tensor: TensorInfo, _ decoding: DecodingOptions, batchSize size: Int?,
    labelCount: Int?
  ) {
    encoder = LayerEncoder(
      size == nil ? layer : layer.singleItemLayer, tensor: tensor.singleItem(ofBatch: size),
      decoding: decoding)
    // A graph with a fixed input shape receives the shape that the layer declares.
    rowShape =
      tensor.shape.isDynamic || size != nil ? encoder.shape : layer.shape.singleItemDimensions
    let isVariable = layer.shape.hasDynamicBatch || tensor.shape.hasDynamicBatch
    let countsItems =
      isVariable && rowShape.first == 1 && encoder.variableShape?.includesFirstAxis != true
    rows = size.map(RowCount.fixed) ?? (countsItems ? .dynamic : .single)
    self.labelCount = labelCount
  }

  /// Whether the tensor holds strings.
  var holdsText: Bool { encoder.holdsText }

  /// Returns the encoder for the values of a column, which must have the same lengths.
  func encoder(for column: [LayerValue]) throws(ModelError) -> LayerEncoder {
    guard encoder.variableShape != nil else { return encoder }
    let encoders = try column.mapWithItemErrors { (value) throws(ModelError) in
      try encoder.fitted(to: value)
    }
    let first = encoders.first ?? encoder
    if let item = encoders.firstIndex(where: { $0.shape != first.shape }) {
      throw ModelError(
        .input, .wrongShape(expected: "\(first.shape)", actual: "\(encoders[item].shape)"),
        layer: encoder.name
      ).at(item: item)
    }
    return first
  }

  /// Returns the tensor's shape for a number of items.
  func shape(of count: Int, _ encoder: LayerEncoder) throws(ModelError) -> [Int] {
    let size: Int
    switch rows {
    case .dynamic: size = count
    case .fixed(let rows): size = rows
    case .single: size = 1
    }
    guard size == count else {
      throw ModelError(
        .input, .wrongType(expected: "a batch of \(size)", actual: "a batch of \(count)"),
        layer: encoder.name)
    }
    let rowShape = encoder.variableShape == nil ? rowShape : encoder.shape
    if case .single = rows { return rowShape }
    return [count] + rowShape.dropFirst()
  }

  /// Throws if a label index is out of range.
  func validateLabels(_ column: [LayerValue]) throws(ModelError) {
    guard let labelCount else { return }
    for (item, value) in column.enumerated() {
      for case let label? in value.numbers?.doubles.map({ Int(exactly: $0) }) ?? []
      where !(0..<labelCount).contains(label) {
        throw ModelError(
          .input, .labelOutOfRange(value: label, count: labelCount), layer: encoder.name
        ).at(item: item)
      }
    }
  }
}

/// Decodes one output of a batch.
private struct BatchOutputDecoder: Sendable {
  private let decoder: LayerDecoder
  private let isPerItem: Bool

  init(_ layer: Layer, _ tensor: TensorInfo, _ labels: OutputLabels) {
    let isVariable = layer.shape.hasDynamicBatch && tensor.shape.hasDynamicBatch
    isPerItem = isVariable || layer.fixedBatchSize(in: tensor) != nil
    decoder = LayerDecoder(
      isPerItem ? layer.singleItemLayer : layer, tensor: tensor, labels: labels)
  }

  func read(
    _ session: any Session, at index: Int, items count: Int
  ) throws(ModelError) -> ModelOutput.Layer {
    let value: LayerValue =
      isPerItem
      ? .list(try decoder.decode(session, at: index, items: count))
      : try decoder.decode(session, at: index)
    return ModelOutput.Layer(name: decoder.layer.name, value: value)
  }
}

extension [Layer] {
  /// Returns the fixed batch size of each layer; `nil` for layers without one.
  ///
  /// A vector with one number per item has the batch size of the other layers.
  fileprivate func fixedBatchSizes(in tensors: [TensorInfo]) -> [Int?] {
    let sizes = zip(self, tensors).map { $0.fixedBatchSize(in: $1) }
    let distinct = Set(sizes.compactMap(\.self))
    guard distinct.count == 1, let size = distinct.first else { return sizes }
    let vector = TensorShape([size])
    return zip(zip(self, tensors), sizes).map { pair, own in
      own ?? (pair.0.shape == vector && pair.1.shape == vector ? size : nil)
    }
  }

  /// Returns the layers for one item of a batch, whose tensors may have a fixed number of items.
  package func itemLayers(in tensors: [TensorInfo]) -> [Layer] {
    zip(self, fixedBatchSizes(in: tensors)).map { $1 == nil ? $0 : $0.singleItemLayer }
  }
}

extension Layer {
  /// The first dimension of layer and tensor if it is a fixed batch size: the dimension of a vector
  /// is its length, so there have to be others.
  fileprivate func fixedBatchSize(in tensor: TensorInfo) -> Int? {
    guard let size = shape.dimensions.first ?? nil, size > 1, shape.dimensions.count > 1,
      tensor.shape.dimensions.first == size
    else { return nil }
    return size
  }
}
