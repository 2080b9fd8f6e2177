internal import TensorIOCore

/// One caller's inputs and outputs of a graph, whose variables it shares with other sessions.
///
/// It may be handed from one thread to another; the pool that lends it sees that two do not use it
/// at once.
final class TensorFlowSession: TrainingSession, @unchecked Sendable {
  private let graph: LoadedGraph
  private let use: BoundUse
  private var shapes: [[Int]]
  /// What was filled since the last run, by input.
  private var feeds: [OwnedTensor?]
  /// What the last run gave, by output; nothing before the first.
  private var results: [OwnedTensor] = []

  init(_ graph: LoadedGraph, _ use: BoundUse) {
    self.graph = graph
    self.use = use
    shapes = use.inputs.map(\.shape)
    feeds = use.inputs.map { _ in nil }
  }

  func resize(_ shapes: [[Int]]) throws(ModelError) {
    guard shapes.count == use.inputCount else {
      throw ModelError(.input, .inputCount(expected: use.inputCount, actual: shapes.count))
    }
    for (layer, shape) in zip(use.inputs, shapes) where !layer.info.shape.admits(shape) {
      let wanted = "\(TensorShape(signed: shape))"
      throw ModelError(
        .input, .wrongShape(expected: "\(layer.info.shape)", actual: wanted), layer: layer.name)
    }
    self.shapes.replaceSubrange(0..<use.inputCount, with: shapes)
  }

  /// A run may keep what it was fed, so every value has memory of its own.
  func fill(
    _ input: Int, _ body: (inout MutableRawSpan) throws(ModelError) -> Void
  ) throws(ModelError) {
    let layer = try layer(input)
    guard layer.info.elementType != .string else {
      throw ModelError(.input, .unsupported("the memory of a tensor of strings"), layer: layer.name)
    }
    let tensor = try OwnedTensor(layer.info.elementType, shapes[input], of: graph.library)
    try tensor.write(body)
    feeds[input] = tensor
  }

  func fill(_ input: Int, strings: [[UInt8]]) throws(ModelError) {
    let layer = try layer(input)
    guard layer.info.elementType == .string else {
      throw ModelError(
        .input, .wrongType(expected: "numbers", actual: "\(strings.count) texts"),
        layer: layer.name)
    }
    let count = TensorShape(signed: shapes[input]).elementCount ?? .max
    guard strings.count == count else {
      throw ModelError(
        .input, .wrongCount(expected: count, actual: strings.count), layer: layer.name)
    }
    feeds[input] = try OwnedTensor(strings: strings, shapes[input], of: graph.library)
  }

  private func layer(_ input: Int) throws(ModelError) -> BoundLayer {
    guard use.inputs.indices.contains(input) else {
      throw ModelError(.input, .inputCount(expected: use.inputs.count, actual: input + 1))
    }
    return use.inputs[input]
  }

  func read(
    _ output: Int, _ body: (RawSpan, _ shape: [Int]) throws(ModelError) -> Void
  ) throws(ModelError) {
    try result(output, isText: false).read(body)
  }

  func readStrings(_ output: Int) throws(ModelError) -> [[UInt8]] {
    try result(output, isText: true).strings()
  }

  private func result(_ output: Int, isText: Bool) throws(ModelError) -> OwnedTensor {
    guard results.indices.contains(output) else {
      throw ModelError(.output, .failed("the last run has no output \(output)"))
    }
    let (layer, tensor) = (use.outputs[output], results[output])
    guard tensor.elementType == layer.info.elementType,
      (layer.info.elementType == .string) == isText
    else {
      throw ModelError(
        .output,
        .wrongType(
          expected: isText ? "texts" : "\(layer.info.elementType)",
          actual: tensor.elementType?.rawValue ?? "another type"),
        layer: layer.name)
    }
    return tensor
  }
}

extension TensorFlowSession {
  func invoke() throws(ModelError) {
    let feeds = try takeFeeds()
    results = try outputs(feeds)
  }

  func train(_ moment: OutputMoment) throws(ModelError) {
    let feeds = try takeFeeds()
    results = []
    switch moment {
    case .duringStep: results = try outputs(feeds, targets: use.operations)
    case .never: _ = try graph.run(GraphRun(feeds: feeds, targets: use.operations))
    case .afterStep:
      _ = try graph.run(GraphRun(feeds: feeds, targets: use.operations))
      results = try outputs(feeds)
    }
  }

  private typealias Feed = (place: LoadedGraph.Place, tensor: OwnedTensor)

  /// What was filled, which no later run sees.
  private func takeFeeds() throws(ModelError) -> [Feed] {
    let missing = feeds.indices.filter { index in
      feeds[index] == nil && (index < use.inputCount || use.inputs[index].isRequired)
    }
    guard missing.isEmpty else {
      let names = use.inputs.map(\.name)
      throw ModelError(
        .input,
        .inputNames(missing: missing.map { names[$0] }, unexpected: [], declared: names))
    }
    defer { feeds = feeds.map { _ in nil } }
    return zip(use.inputs, feeds).compactMap { layer, tensor in
      tensor.map { (place: layer.place, tensor: $0) }
    }
  }

  /// The outputs; one that is an input as well is what was fed, which TensorFlow will not give.
  private func outputs(
    _ feeds: [Feed], targets: [LoadedGraph.Place] = []
  ) throws(ModelError) -> [OwnedTensor] {
    let fed = use.outputs.map { output in feeds.first { $0.place == output.place }?.tensor }
    let wanted = fed.indices.filter { fed[$0] == nil }.map { use.outputs[$0].place }
    var computed = try graph.run(GraphRun(feeds: feeds, fetches: wanted, targets: targets))[...]
    return fed.compactMap { $0 ?? computed.popFirst() }
  }
}

extension TensorShape {
  /// Whether a tensor of this shape can take the given lengths.
  fileprivate func admits(_ lengths: [Int]) -> Bool {
    lengths.count == axes.count
      && zip(axes, lengths).allSatisfy { axis, length in length > 0 && (axis ?? length) == length }
  }
}
