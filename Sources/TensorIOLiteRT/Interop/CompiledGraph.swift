internal import CLiteRT
internal import TensorIOCore
internal import TensorIOSystem

/// A model made ready to run: used by one caller at a time.
@safe final class CompiledGraph {
  let graph: LoadedGraph
  let entry: EntryPoint
  let handle: LiteRtCompiledModel

  init(
    _ graph: LoadedGraph, _ entry: EntryPoint, _ options: SessionOptions
  ) throws(ModelError) {
    self.graph = graph
    self.entry = entry
    unsafe handle = try graph.environment.exclusively { () throws(ModelError) in
      guard let weights = graph.weights else { return try unsafe Self.compile(graph, options, nil) }
      return try unsafe weights.compiling { (file) throws(ModelError) in
        try unsafe Self.compile(graph, options, file)
      }
    }
  }

  private static func compile(
    _ graph: LoadedGraph, _ options: SessionOptions, _ weights: String?
  ) throws(ModelError) -> LiteRtCompiledModel {
    let options = try CompileOptions.make(graph.environment.library, options, weights: weights)
    return try unsafe graph.reference("LiteRtCreateCompiledModel") { handle in
      unsafe graph.functions.pointee.LiteRtCreateCompiledModel(
        graph.environment.handle, graph.handle, options.handle, &handle)
    }
  }

  deinit {
    unsafe functions.pointee.LiteRtDestroyCompiledModel(handle)
  }

  var functions: UnsafePointer<CLiteRTTable> { unsafe graph.functions }

  /// What the runtime has to say about the last failure.
  func takeMessage() -> String? {
    var text: UnsafeMutablePointer<CChar>?
    let status = unsafe functions.pointee.LiteRtCompiledModelGetErrorMessages(handle, &text)
    guard status == 0, let message = unsafe SystemLibrary.takeText(text) else { return nil }
    _ = unsafe functions.pointee.LiteRtCompiledModelClearErrors(handle)
    let lines = message.split(separator: "\n").joined(separator: " ")
    return lines.isEmpty ? nil : lines
  }

  /// Gives an input a new shape; nothing is allocated yet.
  func resize(_ input: Int, to shape: [Int]) throws(ModelError) {
    let port = entry.inputs[input]
    try port.info.elementType.requireModestSize(TensorShape(signed: shape), of: port.info.name)
    let lengths = shape.map { Int32(clamping: $0) }
    try require(
      unsafe functions.pointee.LiteRtCompiledModelResizeInputTensor(
        handle, entry.index, port.slot, lengths, lengths.count),
      from: "LiteRtCompiledModelResizeInputTensor", at: .input, message: takeMessage())
  }

  func inputLayout(_ slot: Int) throws(ModelError) -> LiteRtLayout {
    try graph.answer("LiteRtGetCompiledModelInputTensorLayout", LiteRtLayout()) { layout in
      unsafe functions.pointee.LiteRtGetCompiledModelInputTensorLayout(
        handle, entry.index, slot, &layout)
    }
  }

  /// Allocates, and tells the outputs' layouts by slot.
  ///
  /// This is where the runtime first looks at every operator: one that it does not have goes
  /// unnoticed until here.
  func allocateOutputs(at stage: ModelError.Stage) throws(ModelError) -> [LiteRtLayout] {
    var layouts = Array(repeating: LiteRtLayout(), count: entry.outputs.count)
    let count = layouts.count
    try require(
      unsafe functions.pointee.LiteRtGetCompiledModelOutputTensorLayouts(
        handle, entry.index, count, &layouts, true),
      from: "LiteRtGetCompiledModelOutputTensorLayouts", at: stage, message: takeMessage())
    return layouts
  }
}
