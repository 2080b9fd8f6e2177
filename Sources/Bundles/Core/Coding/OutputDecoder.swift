import TensorIOAudio
import TensorIOBundle
import TensorIOImage

/// Decodes a model's tensors into an application's values.
struct OutputDecoder: Sendable {
  let layers: [LayerDecoder]

  /// Creates a decoder for layers that fit their tensors, in the same order.
  init(_ layers: [Layer], tensors: [TensorInfo], labels: [OutputLabels]) {
    self.layers = zip(zip(layers, tensors), labels).map { pair, labels in
      LayerDecoder(pair.0, tensor: pair.1, labels: labels)
    }
  }

  /// Reads all outputs of a session after a run.
  func decode(_ session: any Session) throws(ModelError) -> [ModelOutput.Layer] {
    var results: [ModelOutput.Layer] = []
    for (index, decoder) in layers.enumerated() {
      results.append(
        ModelOutput.Layer(name: decoder.layer.name, value: try decoder.decode(session, at: index)))
    }
    return results
  }

  /// Reads all outputs of a session after a run of several items, item by item.
  func decode(
    _ session: any Session, items count: Int
  ) throws(ModelError) -> [[ModelOutput.Layer]] {
    var items = Array(repeating: [ModelOutput.Layer](), count: count)
    for (index, decoder) in layers.enumerated() {
      let values = try decoder.decode(session, at: index, items: count)
      for (item, value) in values.enumerated() {
        items[item].append(ModelOutput.Layer(name: decoder.layer.name, value: value))
      }
    }
    return items
  }
}

/// Decodes one output from its tensor.
///
/// This is a class so that copying it during a run retains one reference instead of one per field.
final class LayerDecoder: Sendable {
  let layer: Layer
  let tensor: TensorInfo
  /// The names of the values, and what becomes of their scores.
  private let scoring: OutputLabels
  private let quantization: QuantizationTransform

  /// Creates a decoder for a layer that fits its tensor.
  init(_ layer: Layer, tensor: TensorInfo, labels: OutputLabels = OutputLabels()) {
    self.layer = layer
    self.tensor = tensor
    scoring = labels
    quantization = layer.quantizationTransform(for: .output, tensor: tensor)
  }

  /// The names of the values; empty if they have none.
  var labels: [String] { scoring.names }

  /// Whether the value consists of numbers, with or without labels.
  var isNumeric: Bool {
    switch layer.kind {
    case .array, .scalar: tensor.elementType != .string
    case .image, .string, .text, .audio: false
    }
  }

  /// Whether the elements of the value are those of the tensor, unchanged and in its type.
  var copiesElements: Bool {
    guard case .array = layer.kind, quantization.isIdentity, scoring.keepsScores else {
      return false
    }
    guard !labels.isEmpty else { return true }
    // Scores are floats, one for each element that the description declares.
    return tensor.elementType == .float32
      && (layer.elementCount ?? .max) >= tensor.shape.elementCount ?? .max
  }

  /// Reads the session's tensor.
  func decode(_ session: any Session, at index: Int) throws(ModelError) -> LayerValue {
    guard tensor.elementType != .string else {
      return .strings(Strings(bytes: try session.readStrings(index)))
    }
    var value: LayerValue?
    try session.read(index) { (memory, shape) throws(ModelError) in
      value = try decode(memory, shape: shape)
    }
    guard let value else {
      throw ModelError(.output, .unknownOutput(layer.name, known: []), layer: layer.name)
    }
    return value
  }

  func decode(_ memory: RawSpan, shape: [Int]) throws(ModelError) -> LayerValue {
    let available = try elementCount(of: shape, in: memory)
    switch layer.kind {
    case .array where labels.isEmpty && !scoring.keepsScores:
      let scores = elements(memory, count: available).floats
      return .numbers(Numbers(.floats(scoring.converted(scores)), shape: shape))
    case .array where labels.isEmpty, .text:
      return .numbers(Numbers(elements(memory, count: available), shape: shape))
    case .array: return .classification(classification(memory, available))
    case .scalar:
      try requireCount(available, equals: 1)
      return .numbers(Numbers(elements(memory, count: 1), shape: []))
    case .string:
      let byteCount = available * (tensor.elementType.byteCount ?? 1)
      return .bytes(memory.array(of: UInt8.self, count: byteCount))
    case .image(let layer): return .image(try image(layer, memory, available))
    case .audio(let layer): return .audio(try sound(layer, memory, available))
    }
  }

  private func classification(_ memory: RawSpan, _ available: Int) -> Classification {
    let count = Swift.min(available, layer.elementCount ?? available)
    let scores = elements(memory, count: count).floats
    return Classification(labels: labels, scores: scoring.converted(scores))
  }

  private func sound(
    _ layer: AudioLayer, _ memory: RawSpan, _ available: Int
  ) throws(ModelError) -> AudioBuffer {
    var samples = elements(memory, count: available).floats
    let peak = samples.reduce(1) { max($0, abs($1)) }
    if peak > 1 {
      switch layer.peak {
      case .clip: for index in samples.indices { samples[index] = min(max(samples[index], -1), 1) }
      case .scale: for index in samples.indices { samples[index] /= peak }
      }
    }
    do throws(AudioError) {
      return try AudioBuffer(samples: samples, sampleRate: layer.sampleRate)
    } catch {
      throw ModelError(.output, .audio(error), layer: self.layer.name)
    }
  }

  private func image(
    _ image: ImageLayer, _ memory: RawSpan, _ available: Int
  ) throws(ModelError) -> ImageBuffer {
    try requireCount(available, equals: image.width * image.height * image.format.bytesPerPixel)
    do {
      return try PixelReader(image, tensor: tensor).read(memory, elements(_:count:))
    } catch {
      throw ModelError(.output, .image(error), layer: layer.name)
    }
  }
}

extension LayerDecoder {
  /// Returns the number of elements of an output.
  ///
  /// The shape is known only after the run and is reported by the runtime, so it is checked against
  /// the size of the memory.
  func elementCount(of shape: [Int], in memory: RawSpan) throws(ModelError) -> Int {
    guard let count = shape.checkedProduct, shape.allSatisfy({ $0 >= 0 })
    else {
      throw ModelError(
        .output, .wrongShape(expected: "\(layer.shape)", actual: "\(shape)"), layer: layer.name)
    }
    let available = memory.byteCount / (tensor.elementType.byteCount ?? 1)
    guard available >= count else {
      throw ModelError(.output, .wrongCount(expected: count, actual: available), layer: layer.name)
    }
    return count
  }

  private func requireCount(_ count: Int, equals expected: Int) throws(ModelError) {
    guard count == expected else {
      throw ModelError(.output, .wrongCount(expected: expected, actual: count), layer: layer.name)
    }
  }
}

extension LayerDecoder {
  /// Reads the elements as floats into the caller's array, which has to have their count.
  func decode(
    _ memory: RawSpan, shape: [Int], into floats: inout [Float]
  ) throws(ModelError) {
    let count = try elementCount(of: shape, in: memory)
    try requireCount(floats.count, equals: count)
    if tensor.elementType == .float32 {
      memory.copy(to: &floats)
    } else {
      floats = elements(memory, count: count).floats
    }
    if !scoring.keepsScores { floats = scoring.converted(floats) }
  }

  /// Returns the elements in the tensor's own type, or dequantized.
  private func elements(_ memory: RawSpan, count: Int) -> TensorStorage {
    let storage = TensorStorage(memory, tensor.elementType, count: count)
    guard !quantization.isIdentity, tensor.elementType.isInteger else { return storage }
    return .float32(storage.dequantized(by: quantization))
  }
}

extension LayerDecoder {
  /// Reads the session's tensor as the values of several items.
  func decode(
    _ session: any Session, at index: Int, items count: Int
  ) throws(ModelError) -> [LayerValue] {
    guard tensor.elementType != .string else {
      return try split(try session.readStrings(index), items: count)
    }
    var values: [LayerValue] = []
    try session.read(index) { (memory, shape) throws(ModelError) in
      values = try decode(memory, shape: shape, items: count)
    }
    return values
  }

  private func decode(
    _ memory: RawSpan, shape: [Int], items count: Int
  ) throws(ModelError) -> [LayerValue] {
    guard shape.first == count else {
      throw ModelError(
        .output, .wrongShape(expected: "\(count) rows", actual: "\(shape)"), layer: layer.name)
    }
    let length = try elementCount(of: shape, in: memory) / count
    let byteCount = length * (tensor.elementType.byteCount ?? 1)
    let itemShape = [1] + shape.dropFirst()
    return try (0..<count).map { (row) throws(ModelError) in
      try decode(memory.extracting(row * byteCount..<(row + 1) * byteCount), shape: itemShape)
    }
  }

  private func split(_ strings: [[UInt8]], items count: Int) throws(ModelError) -> [LayerValue] {
    try requireRows(count, of: strings.count)
    let length = strings.count / count
    return (0..<count).map {
      .strings(Strings(bytes: Array(strings[$0 * length..<($0 + 1) * length])))
    }
  }
}

extension LayerDecoder {
  /// Whether the values of several items are one value.
  var joinsRows: Bool { isNumeric || tensor.elementType == .string }

  /// Reads the session's tensor as one value for several items.
  ///
  /// Numbers have one dimension more than the value of an item, as a tensor, has; it counts the items.
  func decode(
    _ session: any Session, at index: Int, rows count: Int
  ) throws(ModelError) -> LayerValue {
    guard tensor.elementType != .string else {
      let strings = try session.readStrings(index)
      try requireRows(count, of: strings.count)
      return .strings(Strings(bytes: strings))
    }
    var value = Numbers(.floats([]))
    try session.read(index) { (memory, shape) throws(ModelError) in
      guard shape.first == count else {
        throw ModelError(
          .output, .wrongShape(expected: "\(count) rows", actual: "\(shape)"), layer: layer.name)
      }
      value = try numbers(memory, shape: shape, rows: count)
    }
    return .numbers(value)
  }

  private func numbers(
    _ memory: RawSpan, shape: [Int], rows count: Int
  ) throws(ModelError) -> Numbers {
    let available = try elementCount(of: shape, in: memory)
    if case .scalar = layer.kind {
      try requireCount(available, equals: count)
      return Numbers(elements(memory, count: count), shape: [count])
    }
    guard !labels.isEmpty || !scoring.keepsScores else {
      return Numbers(elements(memory, count: available), shape: [count, 1] + shape.dropFirst())
    }
    let scores = elements(memory, count: available).floats
    let length = available / count
    let kept = labels.isEmpty ? length : Swift.min(length, layer.elementCount ?? length)
    guard kept < length || !scoring.keepsScores else {
      return Numbers(.floats(scores), shape: [count, length])
    }
    let rows = (0..<count).map { Array(scores[$0 * length..<$0 * length + kept]) }
    return Numbers(
      .floats(rows.flatMap(scoring.converted)),
      shape: labels.isEmpty ? [count, 1] + shape.dropFirst() : [count, kept])
  }

  private func requireRows(_ count: Int, of available: Int) throws(ModelError) {
    guard available.isMultiple(of: count) else {
      throw ModelError(
        .output, .wrongCount(expected: count, actual: available), layer: layer.name)
    }
  }
}

/// Creates images from the numbers of an image output.
struct PixelReader: Sendable {
  private let layer: ImageLayer
  private let normalizations: [ChannelNormalization]
  private let quantization: QuantizationTransform

  /// Creates a reader for a layer that fits its tensor.
  init(_ layer: ImageLayer, tensor: TensorInfo) {
    self.layer = layer
    normalizations = ChannelNormalization.channels(of: layer.denormalize, in: layer.format)
    quantization = .pixels(isNormalized: layer.denormalize != nil, in: tensor)
  }

  /// Reads an image, with the channels in the order of the layer.
  func read(
    _ memory: RawSpan, _ elements: (RawSpan, Int) -> TensorStorage
  ) throws(ImageError) -> ImageBuffer {
    let strides = PixelStrides(
      width: layer.width, height: layer.height, channels: normalizations.count, layer.layout)
    let numbers = elements(memory, strides.count).floats
    var pixels = [UInt8](repeating: 0, count: strides.count)
    for row in 0..<layer.height {
      for (channel, normalization) in normalizations.enumerated() {
        var offset = strides.offset(row: row, channel: channel)
        for column in 0..<layer.width {
          let index = (row * layer.width + column) * normalizations.count + channel
          let number = quantization.dequantize(numbers[offset])
          pixels[index] = UInt8(saturating: normalization.denormalize(number))
          offset += strides.pixelStride
        }
      }
    }
    return try ImageBuffer(
      width: layer.width, height: layer.height, format: layer.format, pixels: pixels)
  }
}

extension ChannelNormalization {
  /// Returns the pixel value for a number, before rounding.
  @inline(__always)
  func denormalize(_ number: Float) -> Float { (number + bias) * scale }
}
