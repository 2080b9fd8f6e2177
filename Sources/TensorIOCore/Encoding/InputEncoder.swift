internal import TensorIOImage

/// Takes an application's values to a model's tensors: matches them to the inputs by name or by
/// order, decodes pictures, and writes them into the memory that a session lends.
struct InputEncoder: Sendable {
  let layers: [LayerEncoder]

  /// An encoder for layers that fit their tensors, in the order of both.
  init(_ layers: [Layer], tensors: [TensorInfo], orientation: ImageOrientation? = nil) {
    self.layers = zip(layers, tensors).map {
      LayerEncoder($0, tensor: $1, orientation: orientation)
    }
  }

  /// The shapes that the tensors take for one item.
  var shapes: [[Int]] { layers.map(\.shape) }

  /// The values of all inputs in order, with pictures decoded.
  func match(_ input: ModelInput) throws(ModelError) -> [LayerValue] {
    var values: [LayerValue] = []
    for (layer, value) in zip(layers, try ordered(input)) {
      values.append(try layer.decoded(value))
    }
    return values
  }

  /// Writes the values of all inputs.
  ///
  /// - Returns: how each picture was fitted, by layer.
  func encode(
    _ values: [LayerValue], into session: any Session
  ) throws(ModelError) -> [ImageGeometry?] {
    var geometries: [ImageGeometry?] = []
    for (index, value) in values.enumerated() {
      geometries.append(try layers[index].encode(value, into: session, at: index))
    }
    return geometries
  }
}

extension InputEncoder {
  private func ordered(_ input: ModelInput) throws(ModelError) -> [LayerValue] {
    switch input {
    case .named(let values): try ordered(values)
    case .value(let value): layers.count == 1 ? [value] : try split(value)
    }
  }

  private func ordered(_ values: [String: LayerValue]) throws(ModelError) -> [LayerValue] {
    let ordered = layers.compactMap { values[$0.name] }
    guard ordered.count == layers.count, values.count == layers.count else {
      let declared = layers.map(\.name)
      throw ModelError(
        .input,
        .inputNames(
          missing: declared.filter { values[$0] == nil },
          unexpected: values.keys.filter { !declared.contains($0) }.sorted(),
          declared: declared))
    }
    return ordered
  }

  private func split(_ value: LayerValue) throws(ModelError) -> [LayerValue] {
    let count = value.partCount
    guard count == layers.count else {
      throw ModelError(.input, .inputCount(expected: layers.count, actual: count))
    }
    return value.parts
  }
}

extension LayerEncoder {
  /// Bytes on their way into an image layer are an encoded picture.
  fileprivate func decoded(_ value: LayerValue) throws(ModelError) -> LayerValue {
    guard case .image(let encoder) = kind, case .bytes(let bytes) = value else { return value }
    do throws(ImageError) {
      let options = DecodingOptions(
        for: encoder.preparation, orientation: encoder.orientation)
      return .image(try ImageBuffer(decoding: bytes, options))
    } catch {
      throw ModelError(.input, .picture(error), layer: name)
    }
  }
}

extension LayerValue {
  /// How many inputs the value could be for.
  ///
  /// An array without elements may have any number of rows, so they are counted before they are
  /// made.
  fileprivate var partCount: Int {
    switch self {
    case .list(let values): values.count
    case .numbers(let numbers): numbers.shape.first ?? 1
    case .strings(let strings): strings.count
    case .bytes, .image, .classification: 1
    }
  }

  /// The values for one input each.
  fileprivate var parts: [LayerValue] {
    switch self {
    case .list(let values): values
    case .numbers(let numbers) where !numbers.shape.isEmpty: numbers.rows.map(LayerValue.numbers)
    case .strings(let strings): strings.map { .strings([$0]) }
    case .numbers, .bytes, .image, .classification: [self]
    }
  }
}
