import TensorIOBundle
import TensorIOCore

/// The inputs and outputs of a model that is run step by step.
struct ONNXSteps: Sendable {
  /// An output that is an input of the next step.
  struct Cache: Sendable {
    /// How the cache takes more tokens.
    enum Growth: Sendable {
      /// Each step returns a longer one.
      case copied
      /// A step writes to the memory of the last one, which has room for more tokens.
      case shared
      /// The memory has the maximum number of tokens, and an input has the positions that a step writes to.
      case fixed
      /// The first step returns it, and it stays as it is.
      case constant
      /// A function of the bundle returns it before the first step.
      case given
    }

    let input: String
    let output: String
    let elementType: ElementType
    /// The shape for no tokens, or of the fixed memory.
    let shape: [Int]
    /// The axis of the tokens.
    let axis: Int
    let growth: Growth
  }

  let tokens: ONNXLayer
  let mask: ONNXLayer?
  let positions: ONNXLayer?
  let continuation: ONNXLayer?
  let scores: ONNXLayer
  let caches: [Cache]

  /// Finds the inputs and outputs.
  ///
  /// - Throws: `ModelError` if the description does not say which input takes the tokens, or a cache is not supported.
  init(
    _ use: ModelBinding, _ inputs: [ONNXLayer], _ outputs: [ONNXLayer], _ model: ONNXTensors
  ) throws(ModelError) {
    let layers = try StepLayers(use)
    tokens = inputs[layers.tokens]
    (mask, positions) = (layers.mask.map { inputs[$0] }, layers.positions.map { inputs[$0] })
    continuation = layers.continuation.map { inputs[$0] }
    scores = outputs[layers.scores]
    guard [.float32, .float16].contains(scores.tensorInfo.elementType), scores.shape.last ?? 0 > 1
    else { throw StepLayers.withoutScores }
    var caches: [Cache] = []
    for cache in try use.caches.caches(among: model.inputs.map(\.name)) {
      guard let tensor = model.inputs.first(where: { $0.name == cache.input }) else { continue }
      caches.append(try Self.cache(tensor, cache, model))
    }
    // Outputs that only the first step returns come after the others, and caches without an output last.
    self.caches = Self.order.flatMap { group in caches.filter { group.contains($0.growth) } }
    if caches.contains(where: { $0.growth == .fixed }), positions == nil {
      throw StepLayers.withoutPositions
    }
  }

  private static let order: [[Cache.Growth]] = [[.copied, .shared, .fixed], [.constant], [.given]]

  private static func cache(
    _ tensor: ONNXTensorType, _ cache: [CacheLink].Cache, _ model: ONNXTensors
  ) throws(ModelError) -> Cache {
    let (name, link) = (cache.output, cache.link)
    guard case .tensor(let type, let declared) = tensor.kind, type.byteCount != nil,
      link.function != nil || model.outputs.contains(where: { $0.name == name })
    else {
      throw ModelError(
        .bundle,
        .unmetRequirement("the model has no output '\(name)' for the cache '\(tensor.name)'"))
    }
    let dimensions = declared.dimensions
    // The first axis is the batch.
    let free = dimensions.indices.dropFirst().filter { dimensions[$0] == nil }
    if link.length != nil, !free.isEmpty {
      throw ModelError(
        .bundle, .unsupported("a \"length\" of the cache '\(tensor.name)', which grows"))
    }
    // Keys and values have rows of a head or, without one, of a token.
    let axis =
      free.first ?? link.length.map { dimensions.lastIndex(of: $0) ?? dimensions.count }
      ?? (dimensions.count > 3 ? 2 : 1)
    guard free.count < 2, dimensions.count > axis, (dimensions[0] ?? 1) == 1 else {
      throw ModelError(.bundle, .unsupported("a cache of shape \(declared)"))
    }
    let growth: Cache.Growth =
      if link.function != nil {
        .given
      } else if link.isConstant {
        .constant
      } else {
        free.isEmpty ? .fixed : model.file.sharedCaches.contains(name) ? .shared : .copied
      }
    return Cache(
      input: tensor.name, output: name, elementType: type,
      shape: dimensions.enumerated().map { $0 == axis ? $1 ?? 0 : $1 ?? 1 }, axis: axis,
      growth: growth)
  }

  /// The maximum number of tokens; `nil` if there is none.
  var capacity: Int? {
    caches.filter { $0.growth == .fixed }.map { $0.shape[$0.axis] }.min()
  }

  /// Whether the scores have a row for each token of a step: some models compute only the last one.
  var hasScoresOfEveryToken: Bool {
    let dimensions = scores.tensorInfo.shape.dimensions
    return dimensions.count > 1 && dimensions[dimensions.count - 2] == nil
  }

  /// The memory of the caches for a number of tokens, in bytes.
  func byteCount(for count: Int) -> Int {
    caches.reduce(0) { $0 + $1.byteCount(for: count) }
  }
}

extension ONNXSteps.Cache {
  /// Returns the shape for a number of tokens.
  func shape(for count: Int) -> [Int] {
    var shape = shape
    if growth != .fixed { shape[axis] = count }
    return shape
  }

  /// Returns the shape of a number of elements; `nil` if there is none.
  func shape(ofCount count: Int) -> [Int]? {
    let others = shape.enumerated().reduce(1) { $1.offset == axis ? $0 : $0 * $1.element }
    let length = others > 0 ? count / others : 0
    let isFree = shape[axis] == 0
    guard length * others == count, isFree || length == shape[axis] else { return nil }
    return shape(for: length)
  }

  /// The memory for a number of tokens, in bytes; 0 for values that do not depend on it.
  func byteCount(for count: Int) -> Int {
    guard ![.constant, .given].contains(growth) else { return 0 }
    return (shape(for: count) + [elementType.byteCount ?? 0]).checkedProduct ?? .max
  }
}
