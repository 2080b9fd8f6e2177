import TensorIOBundle
import TensorIOCore

/// A model compiled by LiteRT, with buffers for its inputs and outputs.
///
/// LiteRT's compiled models are not thread-safe. The session is `Sendable` so that it can move
/// between threads; the session pool lends it to one caller at a time, and ``Interpreter`` is not
/// `Sendable`.
final class LiteRTSession: Session, @unchecked Sendable {
  let entryPoint: EntryPoint
  private(set) var compiledModel: CompiledModel
  /// The buffers, which ``allocateIfNeeded()`` allocates.
  var buffers: TensorBuffers
  private(set) var inputShapes: [[Int]]
  /// Whether there are buffers for the shapes of the inputs.
  private var isAllocated = false
  /// The model that is compiled for each shape of the inputs; `nil` if the first compiled one is enough
  /// for all.
  private let source: LiteRTGraph?
  private let options: SessionOptions
  /// Ends runs early; other threads use it while the session runs.
  private let interruption: RunInterruption
  /// Whether variables have values of a run.
  var hasRun = false
  /// Whether the model keeps values from run to run.
  let hasState: Bool
  /// Whether the state is compiled again to reset it: LiteRT keeps the values of variables for the life of a compiled model.
  private let recompilesState: Bool
  /// Records the operators of each run; `nil` if they are not recorded.
  private(set) var profiler: OperatorProfiler?
  private var events: [OperatorEvent] = []

  /// Creates a session that compiles the model.
  ///
  /// Memory is allocated for the first shapes that inputs with free dimensions get: not every model
  /// can run with the shapes that its file has for them.
  convenience init(
    _ graph: LiteRTGraph, _ entryPoint: EntryPoint, _ options: SessionOptions
  ) throws(ModelError) {
    let compiled =
      entryPoint.hasFixedShapes && entryPoint.isSpecialized
      ? try graph.specialized(entryPoint, to: entryPoint.initialInputShapes) : graph
    try self.init(
      CompiledGraph(compiled, options), entryPoint, options,
      source: entryPoint.isSpecialized && !entryPoint.hasFixedShapes ? graph : nil,
      recompilesState: graph.keepsStateInVariables)
    if entryPoint.hasFixedShapes { try allocate(inputShapes, at: .runtime) }
  }

  /// Creates a session of a compiled model, which the caller uses for one session at a time.
  ///
  /// - Parameters:
  ///   - compiled: The model.
  ///   - entryPoint: The signature that the session runs.
  ///   - options: The options with which the model was compiled.
  ///   - allocating: Whether memory is allocated now for free dimensions of 1, or when it is first used.
  /// - Throws: `ModelError` if the tensors cannot be allocated.
  convenience init(
    sharing compiled: CompiledGraph, _ entryPoint: EntryPoint, _ options: SessionOptions,
    allocating: Bool = true
  ) throws(ModelError) {
    try self.init(compiled, entryPoint, options, source: nil)
    if allocating { try allocate(inputShapes, at: .runtime) }
  }

  private init(
    _ compiled: CompiledGraph, _ entryPoint: EntryPoint, _ options: SessionOptions,
    source: LiteRTGraph?, recompilesState: Bool = false
  ) throws(ModelError) {
    self.entryPoint = entryPoint
    try entryPoint.requireUnaliasedStringInputs()
    guard !options.profilesOperators || !compiled.graph.environment.usesGPU else {
      throw ModelError(.runtime, .unsupported("recording the operators on a GPU"))
    }
    (self.source, self.options) = (source, options)
    compiledModel = CompiledModel(compiled, entryPoint)
    interruption = compiled.interruption
    self.recompilesState = recompilesState
    hasState = compiled.graph.hasState || recompilesState
    buffers = TensorBuffers(unallocated: compiledModel)
    profiler = options.profilesOperators ? try OperatorProfiler(compiledModel) : nil
    inputShapes = entryPoint.initialInputShapes
  }

  /// The shapes of the outputs for the shapes of the inputs.
  func outputShapes() throws(ModelError) -> [[Int]] {
    try allocateIfNeeded()
    return buffers.outputs.map(\.shape)
  }

  func resize(_ shapes: [[Int]]) throws(ModelError) {
    guard shapes != inputShapes || !isAllocated else { return }
    try entryPoint.requireResizable(to: shapes)
    guard shapes == inputShapes || !compiledModel.graph.environment.usesGPU else {
      let feature = "another shape than \(TensorShape(inputShapes[0])) on a GPU"
      throw ModelError(.input, .unsupported(feature))
    }
    let wasAllocated = isAllocated
    do {
      try allocate(shapes, at: .input)
    } catch {
      // LiteRT may have accepted some of the new shapes: restore the previous ones.
      if wasAllocated { try allocate(inputShapes, at: .input) }
      throw error
    }
    inputShapes = shapes
    hasRun = false
  }

  func resetState() throws(ModelError) {
    guard hasRun else { return }
    if recompilesState {
      if source == nil { try compile(compiledModel.graph) }
      try allocate(inputShapes, at: .run)
    } else {
      try compiledModel.resetVariables(inputShapes: inputShapes)
    }
    hasRun = false
  }

  /// Allocates memory for the current shapes of the inputs.
  func allocateIfNeeded() throws(ModelError) {
    if !isAllocated { try allocate(inputShapes, at: .runtime) }
  }

  private func allocate(_ shapes: [[Int]], at stage: ModelError.Stage) throws(ModelError) {
    isAllocated = false
    if let source {
      try compile(source.specialized(entryPoint, to: shapes))
    }
    // The shapes of other inputs cannot change, and LiteRT rejects any change of a scalar.
    for (input, shape) in shapes.enumerated()
    where entryPoint.inputs[input].info.shape.isDynamic {
      try compiledModel.resize(input, to: shape)
    }
    buffers = try TensorBuffers(compiledModel, at: stage)
    isAllocated = true
  }

  private func compile(_ graph: LiteRTGraph) throws(ModelError) {
    let compiled = try CompiledGraph(graph, options, interruption: interruption)
    compiledModel = CompiledModel(compiled, entryPoint)
    profiler = options.profilesOperators ? try OperatorProfiler(compiledModel) : nil
  }

  func fill(
    _ input: Int, _ body: (inout MutableRawSpan) throws(ModelError) -> Void
  ) throws(ModelError) {
    try allocateIfNeeded()
    try buffers.write(input, body)
  }

  func invoke() throws(ModelError) {
    try allocateIfNeeded()
    hasRun = hasState
    guard let profiler else { return try buffers.run() }
    events = try profiler.events { () throws(ModelError) in try buffers.run() }
  }

  var abilities: SessionAbilities {
    var abilities = SessionAbilities()
    abilities.setCancelled = { [interruption] in interruption.setCancelled($0) }
    if hasState { abilities.resetState = { () throws(ModelError) in try self.resetState() } }
    if profiler != nil { abilities.operatorEvents = { self.events } }
    return abilities
  }

  func read(
    _ output: Int, _ body: (RawSpan, _ shape: [Int]) throws(ModelError) -> Void
  ) throws(ModelError) {
    try allocateIfNeeded()
    try buffers.read(output, body)
  }

  func fill(_ input: Int, strings: [[UInt8]]) throws(ModelError) {
    try allocateIfNeeded()
    try buffers.write(input, strings: strings)
  }

  func readStrings(_ output: Int) throws(ModelError) -> [[UInt8]] {
    try buffers.readStrings(output)
  }
}
