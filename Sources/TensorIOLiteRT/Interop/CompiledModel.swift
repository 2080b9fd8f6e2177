import CLiteRT
import TensorIOBundle
import TensorIOCore
import TensorIOSystem

/// A model made ready to run: used by one caller at a time.
@safe final class CompiledModel {
  let graph: LiteRTGraph
  let entryPoint: EntryPoint
  let handle: LiteRtCompiledModel

  init(
    _ graph: LiteRTGraph, _ entry: EntryPoint, _ options: SessionOptions
  ) throws(ModelError) {
    self.graph = graph
    self.entryPoint = entry
    unsafe handle = try graph.environment.withExclusiveAccess { () throws(ModelError) in
      guard let weights = graph.cachedWeights else { return try unsafe Self.compile(graph, options, nil) }
      return try unsafe weights.withCacheFile { (file) throws(ModelError) in
        try unsafe Self.compile(graph, options, file)
      }
    }
  }

  private static func compile(
    _ graph: LiteRTGraph, _ options: SessionOptions, _ weights: String?
  ) throws(ModelError) -> LiteRtCompiledModel {
    let options = try CompilationOptions.make(graph.environment.library, options, weightCacheFile: weights)
    return try unsafe graph.outputHandle("LiteRtCreateCompiledModel") { handle in
      unsafe graph.functions.pointee.LiteRtCreateCompiledModel(
        graph.environment.handle, graph.handle, options.handle, &handle)
    }
  }

  deinit {
    unsafe functions.pointee.LiteRtDestroyCompiledModel(handle)
  }

  var functions: UnsafePointer<CLiteRTTable> { unsafe graph.functions }

  /// What the runtime has to say about the last failure.
  func takeErrorMessage() -> String? {
    var text: UnsafeMutablePointer<CChar>?
    let status = unsafe functions.pointee.LiteRtCompiledModelGetErrorMessages(handle, &text)
    guard status == 0, let message = unsafe DynamicLibrary.takeString(text) else { return nil }
    _ = unsafe functions.pointee.LiteRtCompiledModelClearErrors(handle)
    let lines = message.split(separator: "\n").joined(separator: " ")
    return lines.isEmpty ? nil : lines
  }

  /// Gives an input a new shape; nothing is allocated yet.
  func resize(_ input: Int, to shape: [Int]) throws(ModelError) {
    let port = entryPoint.inputs[input]
    try port.info.elementType.validatedByteCount(TensorShape(signedDimensions: shape), named: port.info.name)
    let lengths = shape.map { Int32(clamping: $0) }
    try checkStatus(
      unsafe functions.pointee.LiteRtCompiledModelResizeInputTensor(
        handle, entryPoint.signatureIndex, port.slot, lengths, lengths.count),
      from: "LiteRtCompiledModelResizeInputTensor", at: .input, message: takeErrorMessage())
  }

  func inputLayout(_ slot: Int) throws(ModelError) -> LiteRtLayout {
    try graph.outputValue("LiteRtGetCompiledModelInputTensorLayout", LiteRtLayout()) { layout in
      unsafe functions.pointee.LiteRtGetCompiledModelInputTensorLayout(
        handle, entryPoint.signatureIndex, slot, &layout)
    }
  }

  /// Allocates, and tells the outputs' layouts by slot.
  ///
  /// This is where the runtime first looks at every operator: one that it does not have goes
  /// unnoticed until here.
  func allocateOutputs(at stage: ModelError.Stage) throws(ModelError) -> [LiteRtLayout] {
    var layouts = Array(repeating: LiteRtLayout(), count: entryPoint.outputs.count)
    let count = layouts.count
    try checkStatus(
      unsafe functions.pointee.LiteRtGetCompiledModelOutputTensorLayouts(
        handle, entryPoint.signatureIndex, count, &layouts, true),
      from: "LiteRtGetCompiledModelOutputTensorLayouts", at: stage, message: takeErrorMessage())
    return layouts
  }
}

/// How a model is to be compiled; needed only while that happens.
@safe struct CompilationOptions: ~Copyable {
  /// The most threads that one run may use: beyond it, asking for more makes nothing faster.
  static let maxThreads = 256

  let handle: LiteRtOptions
  private let library: LiteRTLibrary

  private init(_ library: LiteRTLibrary) throws(ModelError) {
    self.library = library
    var handle: LiteRtOptions?
    let status = unsafe library.functions.pointee.LiteRtCreateOptions(&handle)
    unsafe self.handle = try checkedHandle(handle, status, from: "LiteRtCreateOptions")
  }

  deinit {
    unsafe library.functions.pointee.LiteRtDestroyOptions(handle)
  }

  static func make(
    _ library: LiteRTLibrary, _ session: SessionOptions, weightCacheFile file: String?
  ) throws(ModelError) -> CompilationOptions {
    let options = try CompilationOptions(library)
    try options.useCPU()
    let threads = min(max(session.threads, 1), maxThreads)
    let weights = file.map { "weight_cache_file_path = \"\($0)\"\n" } ?? ""
    try options.addOptions("xnnpack", "num_threads = \(threads)\n\(weights)")
    try options.addOptions("runtime_options_string", "error_reporter_mode = \(keepMessages)\n")
    return options
  }

  private func useCPU() throws(ModelError) {
    try checkStatus(
      unsafe library.functions.pointee.LiteRtSetOptionsHardwareAccelerators(
        handle, Int32(CLiteRTAcceleratorCPU)),
      from: "LiteRtSetOptionsHardwareAccelerators")
  }

  private func addOptions(_ section: String, _ toml: String) throws(ModelError) {
    try checkStatus(
      unsafe clitert_add_options(library.functions, handle, section, toml),
      from: "LiteRtAddOpaqueOptions")
  }
}

/// The mode in which the runtime keeps its messages to be asked for, instead of printing them.
private let keepMessages = 2
