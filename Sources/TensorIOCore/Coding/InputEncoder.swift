package import TensorIOBundle
import TensorIOImage

/// Takes an application's values to a model's tensors: matches them to the inputs by name or by
/// order, decodes pictures, and writes them into the memory that a session lends.
struct InputEncoder: Sendable {
  let layers: [LayerEncoder]
  /// The shapes that the tensors take for one item.
  let shapes: [[Int]]
  /// Where the model's state begins, by the inputs that take it.
  private let initialState: [String: LayerValue]

  /// An encoder for layers that fit their tensors, in the order of both.
  init(
    _ layers: [Layer], tensors: [TensorInfo], state: [StateLink] = [],
    decoding: DecodingOptions = DecodingOptions()
  ) {
    initialState = InitialState.values(for: state, layers, tensors)
    self.layers = zip(layers, tensors).map {
      LayerEncoder($0, tensor: $1, decoding: decoding)
    }
    shapes = self.layers.map(\.shape)
  }

  /// The values of all inputs in order.
  func values(in input: ModelInput) throws(ModelError) -> [LayerValue] {
    let names = layers.lazy.map(\.name)
    return try initialState.isEmpty
      ? input.values(for: names) : input.values(for: Array(names), defaults: initialState)
  }

  /// The values of all inputs in order, with pictures decoded.
  func match(_ input: ModelInput) throws(ModelError) -> [LayerValue] {
    var values: [LayerValue] = []
    for (layer, value) in zip(layers, try self.values(in: input)) {
      values.append(try layer.decodingImages(value))
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

extension LayerEncoder {
  /// Bytes on their way into an image layer are an encoded picture.
  func decodingImages(_ value: LayerValue) throws(ModelError) -> LayerValue {
    guard case .image(let encoder) = kind else { return value }
    switch value {
    case .bytes(let bytes):
      do throws(ImageError) {
        return .image(try encoder.decode(bytes))
      } catch {
        throw ModelError(.input, .image(error), layer: name)
      }
    case .list(let values):
      return .list(try values.map { (value) throws(ModelError) in try decodingImages(value) })
    case .numbers, .strings, .image, .classification:
      return value
    }
  }
}

extension InputEncoder {
  /// The shapes that the tensors take for several items.
  func shapes(items count: Int) -> [[Int]] {
    shapes.map { [count] + $0.dropFirst() }
  }

  /// Writes the values of several items, one after the other.
  ///
  /// - Returns: how each picture was fitted, by item and layer.
  func encode(
    items: ArraySlice<[LayerValue]>, into session: any Session
  ) throws(ModelError) -> [[ImageGeometry?]] {
    var geometries = items.map { _ in [ImageGeometry?]() }
    for (index, layer) in layers.enumerated() {
      let rows = items.map { $0[index] }
      let fitted = try layer.encode(rows: rows, into: session, at: index)
      for (item, geometry) in fitted.enumerated() { geometries[item].append(geometry) }
    }
    return geometries
  }
}

extension LayerEncoder {
  /// Writes a row for each item.
  ///
  /// Pictures are decoded one by one, so that no more than one at a time is in memory as a whole.
  func encode(
    rows: [LayerValue], into session: any Session, at index: Int
  ) throws(ModelError) -> [ImageGeometry?] {
    if case .strings = kind {
      let texts = try rows.mapWithItemErrors { (value) throws(ModelError) in try strings(of: value) }
      try session.fill(index, strings: texts.flatMap { $0 })
      return rows.map { _ in nil }
    }
    var geometries: [ImageGeometry?] = []
    try session.fill(index) { (memory) throws(ModelError) in
      geometries = try Array(rows.indices).mapWithItemErrors { (row) throws(ModelError) in
        try encode(try decodingImages(rows[row]), into: &memory, row: row)
      }
    }
    return geometries
  }

  /// Whether a value fills this layer exactly, as far as counting tells.
  func isExactlyFilled(by value: LayerValue) -> Bool {
    switch (kind, value) {
    case (.image, .image), (.image, .bytes): true
    case (_, .numbers(let numbers)): numbers.count == elementCount
    case (_, .classification(let classification)): classification.count == elementCount
    case (.numbers(let encoder), .bytes(let bytes)): bytes.count == encoder.rawByteCount
    case (.bytes, .bytes(let bytes)): bytes.count == byteCount
    case (.strings, _): (try? strings(of: value)) != nil
    default: false
    }
  }
}

/// Takes the values of placeholders to a model's tensors, which come after those of its inputs.
///
/// They are the same for all items of a batch.
struct PlaceholderEncoder: Sendable {
  /// A placeholder and its tensor; `nil` where the runtime knows none.
  private struct Slot {
    let layer: Layer
    let encoder: LayerEncoder?
  }

  private let slots: [Slot]
  private let inputCount: Int
  /// What the placeholders are when nobody says.
  let defaults: [LayerValue?]

  /// An encoder for the placeholders of a description that fits the model.
  init(_ description: ModelDescription, _ signature: ModelSignature) {
    inputCount = signature.inputs.count
    let tensors = signature.placeholders
    slots = description.placeholders.enumerated().map { index, layer in
      let encoder =
        index < tensors.count
        ? LayerEncoder(layer, tensor: tensors[index]) : nil
      return Slot(layer: layer, encoder: encoder)
    }
    defaults = slots.map { place in
      place.encoder == nil ? nil : place.layer.defaultValue.map { .numbers(Numbers(.doubles($0))) }
    }
  }

  /// Takes the placeholders out of a dictionary of inputs.
  ///
  /// - Returns: the inputs alone, and the values of all placeholders.
  func split(
    _ input: ModelInput, _ given: Placeholders
  ) throws(ModelError) -> (input: ModelInput, values: [LayerValue?]) {
    guard case .named(var inputs) = input, !slots.isEmpty else {
      return (input, try values(given))
    }
    var all = given
    for place in slots {
      let value = inputs.removeValue(forKey: place.layer.name)
      if let value, all.values[place.layer.name] == nil { all.values[place.layer.name] = value }
    }
    return (.named(inputs), try values(all))
  }

  /// The values of all placeholders in order.
  func values(_ given: Placeholders) throws(ModelError) -> [LayerValue?] {
    if given.values.isEmpty { return defaults }
    let names = slots.map(\.layer.name)
    if let name = given.values.keys.filter({ !names.contains($0) }).min() {
      throw ModelError(.input, .unknownPlaceholder(name, known: names))
    }
    var values = defaults
    for (index, place) in slots.enumerated() {
      guard let value = given.values[place.layer.name] else { continue }
      guard let encoder = place.encoder else {
        throw ModelError(
          .input, .unsupported("a placeholder in this runtime"), layer: place.layer.name)
      }
      values[index] = try encoder.decodingImages(value)
    }
    return values
  }

  /// Writes the values that there are.
  func encode(_ values: [LayerValue?], into session: any Session) throws(ModelError) {
    for (index, value) in values.enumerated() {
      guard let value, let encoder = slots[index].encoder else { continue }
      _ = try encoder.encode(value, into: session, at: inputCount + index)
    }
  }
}

/// Where a model's state begins: at zero.
enum InitialState {
  /// The values of the first run, by the inputs that take them.
  static func values(
    for state: [StateLink], _ layers: [Layer], _ tensors: [TensorInfo]
  ) -> [String: LayerValue] {
    var values: [String: LayerValue] = [:]
    for (layer, tensor) in zip(layers, tensors)
    where state.contains(where: { $0.input == layer.name }) {
      values[layer.name] = value(of: layer, tensor)
    }
    return values
  }

  private static func value(of layer: Layer, _ tensor: TensorInfo) -> LayerValue {
    let shape = layer.itemShape(fitting: tensor.shape) ?? tensor.shape.singleItemDimensions
    let count = TensorShape(signedDimensions: shape).elementCount ?? 0
    let elements: Numbers.Elements =
      tensor.elementType == .bool
      ? .booleans(Array(repeating: false, count: count))
      : .integers(Array(repeating: zeroElement(of: layer, tensor), count: count))
    return .numbers(Numbers(elements, shape: shape))
  }

  /// What stands for zero: where integers go in as they are, the tensor's own zero point.
  private static func zeroElement(of layer: Layer, _ tensor: TensorInfo) -> Int64 {
    guard case .identity = layer.quantizationTransform(for: .input, tensor: tensor),
      tensor.elementType.isInteger
    else { return 0 }
    return Int64(tensor.quantization?.zeroPoint ?? 0)
  }
}

extension ModelInput {
  /// The values of a model's inputs in order, of which those that take up its state may be missing.
  func values(
    for names: [String], defaults starts: [String: LayerValue]
  ) throws(ModelError) -> [LayerValue] {
    let asked = names.filter { starts[$0] == nil }
    return try withNames(asked).withDefaults( starts).values(for: names)
  }

  /// The input with the names of the inputs that it is for.
  package func withNames(_ asked: [String]) throws(ModelError) -> ModelInput {
    if case .named = self { return self }
    let values = try values(for: asked)
    return .named(Dictionary(zip(asked, values)) { first, _ in first })
  }

  /// The input with values for what it does not name.
  package func withDefaults(_ values: [String: LayerValue]) -> ModelInput {
    guard case .named(let given) = self else { return self }
    return .named(values.merging(given) { $1 })
  }
}
