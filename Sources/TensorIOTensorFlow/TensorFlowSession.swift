import TensorIOBundle
import TensorIOCore

/// One caller's inputs and outputs of a graph, whose variables it shares with other sessions.
///
/// It may be handed from one thread to another; the pool that lends it sees that two do not use it
/// at once.
final class TensorFlowSession: TrainingSession, @unchecked Sendable {
  private let graph: TensorFlowGraph
  private let binding: ResolvedBinding
  private var shapes: [[Int]]
  /// What was filled since the last run, by input.
  private var feeds: [TensorFlowTensor?]
  /// What the last run gave, by output; nothing before the first.
  private var outputs: [TensorFlowTensor] = []

  init(_ graph: TensorFlowGraph, _ use: ResolvedBinding) {
    self.graph = graph
    self.binding = use
    shapes = use.inputs.map(\.shape)
    feeds = use.inputs.map { _ in nil }
  }

  func resize(_ shapes: [[Int]]) throws(ModelError) {
    guard shapes.count == binding.inputCount else {
      throw ModelError(.input, .inputCount(expected: binding.inputCount, actual: shapes.count))
    }
    for (layer, shape) in zip(binding.inputs, shapes) where !layer.tensorInfo.shape.accepts(shape) {
      let wanted = "\(TensorShape(signedDimensions: shape))"
      throw ModelError(
        .input, .wrongShape(expected: "\(layer.tensorInfo.shape)", actual: wanted), layer: layer.name)
    }
    self.shapes.replaceSubrange(0..<binding.inputCount, with: shapes)
  }

  /// A run may keep what it was fed, so every value has memory of its own.
  func fill(
    _ input: Int, _ body: (inout MutableRawSpan) throws(ModelError) -> Void
  ) throws(ModelError) {
    let layer = try inputLayer(input)
    guard layer.tensorInfo.elementType != .string else {
      throw ModelError(.input, .unsupported("the memory of a tensor of strings"), layer: layer.name)
    }
    let tensor = try TensorFlowTensor(layer.tensorInfo.elementType, shapes[input], of: graph.library)
    try tensor.write(body)
    feeds[input] = tensor
  }

  func fill(_ input: Int, strings: [[UInt8]]) throws(ModelError) {
    let layer = try inputLayer(input)
    guard layer.tensorInfo.elementType == .string else {
      throw ModelError(
        .input, .wrongType(expected: "numbers", actual: "\(strings.count) texts"),
        layer: layer.name)
    }
    let count = TensorShape(signedDimensions: shapes[input]).elementCount ?? .max
    guard strings.count == count else {
      throw ModelError(
        .input, .wrongCount(expected: count, actual: strings.count), layer: layer.name)
    }
    feeds[input] = try TensorFlowTensor(strings: strings, shapes[input], of: graph.library)
  }

  private func inputLayer(_ input: Int) throws(ModelError) -> LayerBinding {
    guard binding.inputs.indices.contains(input) else {
      throw ModelError(.input, .inputCount(expected: binding.inputs.count, actual: input + 1))
    }
    return binding.inputs[input]
  }

  func read(
    _ output: Int, _ body: (RawSpan, _ shape: [Int]) throws(ModelError) -> Void
  ) throws(ModelError) {
    try self.output(output, isString: false).read(body)
  }

  func readStrings(_ output: Int) throws(ModelError) -> [[UInt8]] {
    try self.output(output, isString: true).strings()
  }

  private func output(_ output: Int, isString: Bool) throws(ModelError) -> TensorFlowTensor {
    guard outputs.indices.contains(output) else {
      throw ModelError(.output, .failed("the last run has no output \(output)"))
    }
    let (layer, tensor) = (binding.outputs[output], outputs[output])
    guard tensor.elementType == layer.tensorInfo.elementType,
      (layer.tensorInfo.elementType == .string) == isString
    else {
      throw ModelError(
        .output,
        .wrongType(
          expected: isString ? "texts" : "\(layer.tensorInfo.elementType)",
          actual: tensor.elementType?.rawValue ?? "another type"),
        layer: layer.name)
    }
    return tensor
  }
}

extension TensorFlowSession {
  func invoke() throws(ModelError) {
    let feeds = try takeFeeds()
    outputs = try computeOutputs(feeds)
  }

  func train(_ moment: StepOutputTiming) throws(ModelError) {
    let feeds = try takeFeeds()
    outputs = []
    switch moment {
    case .duringStep: outputs = try computeOutputs(feeds, targets: binding.trainingOperations)
    case .never: _ = try graph.run(GraphRun(feeds: feeds, targets: binding.trainingOperations))
    case .afterStep:
      _ = try graph.run(GraphRun(feeds: feeds, targets: binding.trainingOperations))
      outputs = try computeOutputs(feeds)
    }
  }

  private typealias Feed = (place: TensorFlowGraph.Output, tensor: TensorFlowTensor)

  /// What was filled, which no later run sees.
  private func takeFeeds() throws(ModelError) -> [Feed] {
    let missing = feeds.indices.filter { index in
      feeds[index] == nil && (index < binding.inputCount || binding.inputs[index].isRequired)
    }
    guard missing.isEmpty else {
      let names = binding.inputs.map(\.name)
      throw ModelError(
        .input,
        .inputNames(missing: missing.map { names[$0] }, unexpected: [], declared: names))
    }
    defer { feeds = feeds.map { _ in nil } }
    return zip(binding.inputs, feeds).compactMap { layer, tensor in
      tensor.map { (place: layer.output, tensor: $0) }
    }
  }

  /// The outputs; one that is an input as well is what was fed, which TensorFlow will not give.
  private func computeOutputs(
    _ feeds: [Feed], targets: [TensorFlowGraph.Output] = []
  ) throws(ModelError) -> [TensorFlowTensor] {
    let fed = binding.outputs.map { output in feeds.first { $0.place == output.output }?.tensor }
    let wanted = fed.indices.filter { fed[$0] == nil }.map { binding.outputs[$0].output }
    var computed = try graph.run(GraphRun(feeds: feeds, fetches: wanted, targets: targets))[...]
    return fed.compactMap { $0 ?? computed.popFirst() }
  }
}

extension TensorShape {
  /// Whether a tensor of this shape can take the given lengths.
  fileprivate func accepts(_ lengths: [Int]) -> Bool {
    lengths.count == dimensions.count
      && zip(dimensions, lengths).allSatisfy { axis, length in length > 0 && (axis ?? length) == length }
  }
}
