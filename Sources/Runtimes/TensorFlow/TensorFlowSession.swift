import TensorIOBundle
import TensorIOCore

/// The inputs and outputs of one caller, for a graph whose variables all sessions share.
///
/// Not thread-safe. The session is `Sendable` so that it can move between threads; the session pool
/// lends it to one caller at a time.
final class TensorFlowSession: Session, @unchecked Sendable {
  private let graph: TensorFlowGraph
  private let binding: ResolvedBinding
  private let evaluation: ResolvedBinding.Evaluation
  private var shapes: [[Int]]
  /// The values filled since the last run, by input.
  private var feeds: [TensorFlowTensor?]
  /// The outputs of the last run; empty before the first.
  private var outputs: [TensorFlowTensor] = []

  init(
    _ graph: TensorFlowGraph, _ binding: ResolvedBinding, _ evaluation: ResolvedBinding.Evaluation
  ) {
    self.graph = graph
    self.binding = binding
    self.evaluation = evaluation
    shapes = binding.inputs.map(\.shape)
    feeds = binding.inputs.map { _ in nil }
  }

  func resize(_ shapes: [[Int]]) throws(ModelError) {
    guard shapes.count == binding.inputCount else {
      throw ModelError(.input, .inputCount(expected: binding.inputCount, actual: shapes.count))
    }
    for (layer, shape) in zip(binding.inputs, shapes) where !layer.tensorInfo.shape.accepts(shape) {
      let actual = "\(TensorShape(signedDimensions: shape))"
      throw ModelError(
        .input, .wrongShape(expected: "\(layer.tensorInfo.shape)", actual: actual),
        layer: layer.name)
    }
    self.shapes.replaceSubrange(0..<binding.inputCount, with: shapes)
  }

  /// Allocates a new tensor for each value, because a run may retain the tensors that it is fed.
  func fill(
    _ input: Int, _ body: (inout MutableRawSpan) throws(ModelError) -> Void
  ) throws(ModelError) {
    let layer = try inputLayer(input)
    guard layer.tensorInfo.elementType != .string else {
      throw ModelError(
        .input, .unsupported("access to the memory of a string tensor"), layer: layer.name)
    }
    let tensor = try TensorFlowTensor(
      layer.tensorInfo.elementType, shapes[input], of: graph.library)
    try tensor.write(body)
    feeds[input] = tensor
  }

  func fill(_ input: Int, strings: [[UInt8]]) throws(ModelError) {
    let layer = try inputLayer(input)
    guard layer.tensorInfo.elementType == .string else {
      throw ModelError(
        .input, .wrongType(expected: "numbers", actual: "\(strings.count) strings"),
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
      throw ModelError(.output, .failed("the last run has no output \(output, as: "output")"))
    }
    let (layer, tensor) = (binding.outputs[output], outputs[output])
    guard tensor.elementType == layer.tensorInfo.elementType,
      (layer.tensorInfo.elementType == .string) == isString
    else {
      throw ModelError(
        .output,
        .wrongType(
          expected: isString ? "strings" : "\(layer.tensorInfo.elementType)",
          actual: tensor.elementType?.rawValue ?? "another type"),
        layer: layer.name)
    }
    return tensor
  }
}

extension TensorFlowSession {
  /// TensorFlow completes each run that has started.
  var abilities: SessionAbilities {
    var abilities = SessionAbilities()
    abilities.discardInputs = { self.discardInputs() }
    if !binding.trainingOperations.isEmpty {
      abilities.train = { (moment) throws(ModelError) in try self.train(moment) }
    }
    return abilities
  }

  func invoke() throws(ModelError) {
    outputs = try evaluate(try takeFeeds(for: evaluation.requiredInputs))
  }

  private func train(_ timing: StepOutputTiming) throws(ModelError) {
    let feeds = try takeFeeds()
    outputs = []
    switch (timing, evaluation) {
    case (.duringStep, _), (.afterStep, .none):
      outputs = try computeOutputs(feeds, targets: binding.trainingOperations)
    case (.never, _):
      _ = try graph.run(GraphRun(feeds: feeds, targets: binding.trainingOperations))
    case (.afterStep, .outputs), (.afterStep, .signature):
      _ = try graph.run(GraphRun(feeds: feeds, targets: binding.trainingOperations))
      outputs = try evaluate(feeds)
    }
  }

  /// Returns the outputs without a training step.
  private func evaluate(_ feeds: [Feed]) throws(ModelError) -> [TensorFlowTensor] {
    switch evaluation {
    case .outputs: return try computeOutputs(feeds)
    case .signature(let inputs, let outputs):
      let tensors = inputs.compactMap { input in
        feeds.first { $0.output == binding.inputs[input.source].output }.map {
          (output: input.tensor, tensor: $0.tensor)
        }
      }
      return try graph.run(GraphRun(feeds: tensors, fetches: outputs))
    case .none:
      throw ModelError(
        .runtime,
        .unsupported(
          "evaluation without a signature that returns the outputs of the training step and changes no variables"
        ))
    }
  }

  private func discardInputs() {
    feeds = feeds.map { _ in nil }
  }

  private typealias Feed = (output: TensorFlowGraph.Output, tensor: TensorFlowTensor)

  /// Returns the filled values and clears them, even if it throws.
  ///
  /// - Parameter required: The indices of the inputs that need a value; `nil` for all inputs, and the placeholders
  ///   without which the graph cannot run.
  /// - Returns: The values with their tensors.
  /// - Throws: A ``ModelError`` if a value is missing.
  private func takeFeeds(for required: Set<Int>? = nil) throws(ModelError) -> [Feed] {
    defer { discardInputs() }
    let missing = feeds.indices.filter { index in
      feeds[index] == nil
        && required?.contains(index)
          ?? (index < binding.inputCount || binding.inputs[index].isRequired)
    }
    guard missing.isEmpty else {
      let names = binding.inputs.map(\.name)
      throw ModelError(
        .input,
        .inputNames(missing: missing.map { names[$0] }, unexpected: [], declared: names))
    }
    return zip(binding.inputs, feeds).compactMap { layer, tensor in
      tensor.map { (output: layer.output, tensor: $0) }
    }
  }

  /// Runs the graph and returns the outputs.
  ///
  /// An output that is also an input has the value that was fed, because TensorFlow does not
  /// allow fetching it.
  private func computeOutputs(
    _ feeds: [Feed], targets: [TensorFlowGraph.Output] = []
  ) throws(ModelError) -> [TensorFlowTensor] {
    let fed = binding.outputs.map { layer in feeds.first { $0.output == layer.output }?.tensor }
    let fetches = fed.indices.filter { fed[$0] == nil }.map { binding.outputs[$0].output }
    var computed = try graph.run(GraphRun(feeds: feeds, fetches: fetches, targets: targets))[...]
    return fed.compactMap { $0 ?? computed.popFirst() }
  }
}

extension TensorShape {
  /// Returns whether a tensor of this shape can have the given dimensions.
  fileprivate func accepts(_ lengths: [Int]) -> Bool {
    lengths.count == dimensions.count
      && zip(dimensions, lengths).allSatisfy { dimension, length in
        length > 0 && (dimension ?? length) == length
      }
  }
}
