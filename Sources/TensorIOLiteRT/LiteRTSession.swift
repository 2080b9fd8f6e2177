import TensorIOBundle
import TensorIOCore

/// A model compiled by LiteRT, with buffers for its inputs and outputs.
///
/// LiteRT's compiled models are not thread-safe. The session is `Sendable` so that it can move
/// between threads; the session pool lends it to one caller at a time, and ``Interpreter`` is not
/// `Sendable`.
final class LiteRTSession: Session, @unchecked Sendable {
  let entryPoint: EntryPoint
  let compiledModel: CompiledModel
  var buffers: TensorBuffers
  private(set) var inputShapes: [[Int]]
  /// Whether variables have values of a run.
  var hasRun = false
  /// Whether the model keeps values from run to run.
  let hasState: Bool
  /// Records the operators of each run; `nil` if they are not recorded.
  let profiler: OperatorProfiler?
  private var events: [OperatorEvent] = []

  /// Creates a session that compiles the model.
  convenience init(
    _ graph: LiteRTGraph, _ entryPoint: EntryPoint, _ options: SessionOptions
  ) throws(ModelError) {
    try self.init(CompiledGraph(graph, options), entryPoint, options)
  }

  /// Creates a session of a compiled model, which the caller uses for one session at a time.
  init(
    _ compiled: CompiledGraph, _ entryPoint: EntryPoint, _ options: SessionOptions
  ) throws(ModelError) {
    self.entryPoint = entryPoint
    try entryPoint.requireUnaliasedStringInputs()
    guard !options.profilesOperators || !compiled.graph.environment.usesGPU else {
      throw ModelError(.runtime, .unsupported("recording the operators on a GPU"))
    }
    compiledModel = CompiledModel(compiled, entryPoint)
    hasState = compiled.graph.hasState
    buffers = try TensorBuffers(compiledModel)
    profiler = options.profilesOperators ? try OperatorProfiler(compiledModel) : nil
    inputShapes = buffers.inputs.map(\.shape)
  }

  var outputShapes: [[Int]] { buffers.outputs.map(\.shape) }

  func resize(_ shapes: [[Int]]) throws(ModelError) {
    guard shapes != inputShapes else { return }
    try entryPoint.requireResizable(to: shapes)
    guard !compiledModel.graph.environment.usesGPU else {
      let feature = "another shape than \(TensorShape(inputShapes[0])) on a GPU"
      throw ModelError(.input, .unsupported(feature))
    }
    do {
      try allocate(shapes)
    } catch {
      // LiteRT may have accepted some of the new shapes: restore the previous ones.
      try allocate(inputShapes)
      throw error
    }
    inputShapes = shapes
    hasRun = false
  }

  func resetState() throws(ModelError) {
    guard hasRun else { return }
    try compiledModel.resetVariables(inputShapes: inputShapes)
    hasRun = false
  }

  private func allocate(_ shapes: [[Int]]) throws(ModelError) {
    // The shapes of other inputs cannot change, and LiteRT rejects any change of a scalar.
    for (input, shape) in shapes.enumerated()
    where entryPoint.inputs[input].info.shape.isDynamic {
      try compiledModel.resize(input, to: shape)
    }
    buffers = try TensorBuffers(compiledModel, at: .input)
  }

  func fill(
    _ input: Int, _ body: (inout MutableRawSpan) throws(ModelError) -> Void
  ) throws(ModelError) {
    try buffers.write(input, body)
  }

  func invoke() throws(ModelError) {
    hasRun = hasState
    guard let profiler else { return try buffers.run() }
    events = try profiler.events { () throws(ModelError) in try buffers.run() }
  }

  func setCancelled(_ isCancelled: Bool) {
    compiledModel.interruption.setCancelled(isCancelled)
  }

  func operatorEvents() -> [OperatorEvent]? { profiler == nil ? nil : events }

  func read(
    _ output: Int, _ body: (RawSpan, _ shape: [Int]) throws(ModelError) -> Void
  ) throws(ModelError) {
    try buffers.read(output, body)
  }

  func fill(_ input: Int, strings: [[UInt8]]) throws(ModelError) {
    try buffers.write(input, strings: strings)
  }

  func readStrings(_ output: Int) throws(ModelError) -> [[UInt8]] {
    try buffers.readStrings(output)
  }
}
