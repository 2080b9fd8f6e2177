package import TensorIOBundle
import TensorIOImage

/// Encodes an application's values into a model's tensors: matches them to the inputs by name or
/// order, decodes images, and writes them into the memory of a session.
struct InputEncoder: Sendable {
  let layers: [LayerEncoder]
  /// The tensors' shapes for one item.
  let shapes: [[Int]]
  /// Whether values determine lengths of the tensors.
  let hasVariableShapes: Bool
  /// The values of inputs that a caller need not pass, by name: the initial state and default values.
  let defaults: [String: LayerValue]
  /// Tokenizes texts; `nil` if no input takes text.
  let texts: TextInputs?
  /// The index of the only input that takes sound; `nil` if there is none, or several.
  let audioIndex: Int?

  /// Creates an encoder for layers that fit their tensors, in the same order.
  init(
    _ layers: [Layer], tensors: [TensorInfo], state: [StateLink] = [],
    tokenizers: [String: TextTokenizer] = [:], decoding: DecodingOptions = DecodingOptions(),
    functions: [String: Model] = [:]
  ) {
    defaults = InitialState.values(for: state, layers, tensors)
      .merging(layers.defaultValues) { $1 }
    self.layers = zip(layers, tensors).map {
      LayerEncoder($0, tensor: $1, decoding: decoding, functions: functions)
    }
    shapes = self.layers.map(\.shape)
    hasVariableShapes = self.layers.contains { $0.variableShape != nil }
    texts = TextInputs(layers, self.layers, tokenizers)
    let audio = layers.indices.filter { layers[$0].isAudio }
    audioIndex = audio.count == 1 ? audio[0] : nil
  }

  private init(_ encoder: InputEncoder, layers: [LayerEncoder]) {
    self.layers = layers
    shapes = layers.map(\.shape)
    (defaults, hasVariableShapes) = (encoder.defaults, encoder.hasVariableShapes)
    (texts, audioIndex) = (encoder.texts, encoder.audioIndex)
  }

  /// Returns the encoder for the values of all inputs: this one, or one with their lengths.
  func fitted(to values: [LayerValue]) throws(ModelError) -> InputEncoder {
    guard hasVariableShapes else { return self }
    var layers: [LayerEncoder] = []
    for (layer, value) in zip(self.layers, values) { layers.append(try layer.fitted(to: value)) }
    return InputEncoder(self, layers: layers)
  }

  /// Returns the encoder for the values of several items: one with the greatest of their lengths.
  func fitted(toLongest items: [[LayerValue]]) throws(ModelError) -> InputEncoder {
    guard hasVariableShapes else { return self }
    var layers: [LayerEncoder] = []
    for (index, layer) in self.layers.enumerated() {
      layers.append(try layer.fitted(toLongest: items.map { $0[index] }))
    }
    return InputEncoder(self, layers: layers)
  }

  /// Returns the values of all inputs, in order, with texts tokenized.
  func values(in input: ModelInput) throws(ModelError) -> [LayerValue] {
    guard let texts else { return try values(in: input, names: layers.lazy.map(\.name)) }
    return try texts.tokenizing(values(in: input, names: texts.callerNames))
  }

  private func values(
    in input: ModelInput, names: some Collection<String>
  ) throws(ModelError) -> [LayerValue] {
    try defaults.isEmpty
      ? input.values(for: names) : input.values(for: Array(names), defaults: defaults)
  }

  /// Returns the values of all inputs, in order, with encoded images decoded.
  func match(_ input: ModelInput) throws(ModelError) -> [LayerValue] {
    var values: [LayerValue] = []
    for (layer, value) in zip(layers, try self.values(in: input)) {
      values.append(try layer.decodingImages(value))
    }
    return values
  }

  /// Writes the values of all inputs.
  ///
  /// - Returns: How each image was fitted, by layer; `nil` for other values.
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
  /// Decodes a value's encoded images if the layer is an image; returns any other value unchanged.
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
    case .numbers, .strings, .tokens, .image, .audio, .classification:
      return value
    }
  }
}

extension InputEncoder {
  /// Returns the tensors' shapes for several items.
  func shapes(items count: Int) -> [[Int]] {
    shapes.map { [count] + $0.dropFirst() }
  }

  /// Writes the values of several items, one after the other.
  ///
  /// - Returns: How each image was fitted, by item and layer.
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
  /// Writes one row per item.
  ///
  /// Images are decoded one at a time, so that only one of them is in memory.
  func encode(
    rows: [LayerValue], into session: any Session, at index: Int
  ) throws(ModelError) -> [ImageGeometry?] {
    if case .strings = kind {
      let strings = try rows.mapWithItemErrors { (value) throws(ModelError) in
        try self.strings(of: value)
      }
      try session.fill(index, strings: strings.flatMap { $0 })
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

  /// Whether a value has the number of elements of the layer.
  func isExactlyFilled(by value: LayerValue) -> Bool {
    switch (kind, value) {
    case (.image, .image), (.image, .bytes): true
    case (_, .numbers(let numbers)): numbers.count == elementCount
    case (_, .classification(let classification)): classification.count == elementCount
    case (.numbers(let encoder), .bytes(let bytes)): bytes.count == encoder.rawByteCount
    case (.bytes, .bytes(let bytes)): bytes.count == byteCount
    case (.strings, _): (try? strings(of: value)) != nil
    case (.tokens, .tokens(let text)): text.count == elementCount
    default: false
    }
  }
}

/// Encodes placeholders into a model's tensors, which follow those of its inputs.
///
/// All items of a batch have the same placeholders.
struct PlaceholderEncoder: Sendable {
  /// A placeholder with its encoder; `nil` if the runtime has no tensor for it.
  private struct Slot {
    let layer: Layer
    let encoder: LayerEncoder?
  }

  private let slots: [Slot]
  private let inputCount: Int
  /// The default values of the placeholders.
  let defaults: [LayerValue?]

  /// Creates an encoder for the placeholders of a description that fits the model.
  init(_ description: ModelDescription, _ signature: ModelSignature) {
    inputCount = signature.inputs.count
    let tensors = signature.placeholders
    slots = description.placeholders.enumerated().map { index, layer in
      let encoder =
        index < tensors.count
        ? LayerEncoder(layer, tensor: tensors[index]) : nil
      return Slot(layer: layer, encoder: encoder)
    }
    defaults = slots.map { slot in
      slot.encoder == nil ? nil : slot.layer.defaultLayerValue
    }
  }

  /// Separates the placeholders from the inputs in a dictionary.
  ///
  /// - Returns: The inputs alone, and the values of all placeholders.
  func split(
    _ input: ModelInput, _ given: Placeholders
  ) throws(ModelError) -> (input: ModelInput, values: [LayerValue?]) {
    guard case .named(var inputs) = input, !slots.isEmpty else {
      return (input, try values(given))
    }
    var all = given
    for name in slots.map(\.layer.name) {
      let value = inputs.removeValue(forKey: name)
      if let value, all.values[name] == nil { all.values[name] = value }
    }
    return (.named(inputs), try values(all))
  }

  /// Returns the values of all placeholders, in order.
  func values(_ given: Placeholders) throws(ModelError) -> [LayerValue?] {
    if given.values.isEmpty { return defaults }
    let names = slots.map(\.layer.name)
    if let name = given.values.keys.filter({ !names.contains($0) }).min() {
      throw ModelError(.input, .unknownPlaceholder(name, known: names))
    }
    var values = defaults
    for (index, slot) in slots.enumerated() {
      guard let value = given.values[slot.layer.name] else { continue }
      guard let encoder = slot.encoder else {
        throw ModelError(
          .input, .unsupported("a placeholder in this runtime"), layer: slot.layer.name)
      }
      values[index] = try encoder.decodingImages(value)
    }
    return values
  }

  /// Writes the placeholders that have a value.
  func encode(_ values: [LayerValue?], into session: any Session) throws(ModelError) {
    for (index, value) in values.enumerated() {
      guard let value, let encoder = slots[index].encoder else { continue }
      _ = try encoder.encode(value, into: session, at: inputCount + index)
    }
  }
}

extension Layer {
  /// The default value; `nil` if the layer has none.
  fileprivate var defaultLayerValue: LayerValue? {
    defaultValue.map { .numbers(Numbers(.doubles($0))) }
  }
}

extension [Layer] {
  /// The default values of the layers that have one, by name.
  fileprivate var defaultValues: [String: LayerValue] {
    Dictionary(compactMap { layer in layer.defaultLayerValue.map { (layer.name, $0) } }) { $1 }
  }
}

/// The initial state of a model, which is zero.
enum InitialState {
  /// Returns the state of the first run, by the names of the inputs that carry it.
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

  /// Returns the element that represents zero; for integers without a transform, the zero point.
  private static func zeroElement(of layer: Layer, _ tensor: TensorInfo) -> Int64 {
    guard case .identity = layer.quantizationTransform(for: .input, tensor: tensor),
      tensor.elementType.isInteger
    else { return 0 }
    return Int64(tensor.quantization?.zeroPoint ?? 0)
  }
}

extension ModelInput {
  /// Returns the values of a model's inputs, in order; inputs with a default may be missing.
  func values(
    for names: [String], defaults: [String: LayerValue]
  ) throws(ModelError) -> [LayerValue] {
    let required = names.filter { defaults[$0] == nil }
    return try withNames(required).withDefaults(defaults).values(for: names)
  }

  /// Returns the input as named values; values without names are matched to `names` in order.
  package func withNames(_ names: [String]) throws(ModelError) -> ModelInput {
    if case .named = self { return self }
    let values = try values(for: names)
    return .named(Dictionary(zip(names, values)) { first, _ in first })
  }

  /// Returns the input with values for the names that it does not have.
  package func withDefaults(_ values: [String: LayerValue]) -> ModelInput {
    guard case .named(let given) = self else { return self }
    return .named(values.merging(given) { $1 })
  }
}
