import CLiteRT
import TensorIOBundle
import TensorIOCore
import TensorIOSystem

/// A model compiled by LiteRT, whose entry points share its variables.
///
/// It is not thread-safe.
@safe final class CompiledGraph {
  let graph: LiteRTGraph
  let handle: LiteRtCompiledModel
  /// Ends runs early.
  let interruption: RunInterruption
  /// The custom operators, which LiteRT calls.
  private let kernels: [CustomOperatorKernel]

  init(
    _ graph: LiteRTGraph, _ options: SessionOptions, cachingWeights: Bool = true,
    interruption: RunInterruption = RunInterruption()
  ) throws(ModelError) {
    self.graph = graph
    let kernels = graph.customNodes.map {
      CustomOperatorKernel($0, graph.environment.library, interruption)
    }
    (self.interruption, self.kernels) = (interruption, kernels)
    unsafe handle = try graph.environment.withExclusiveAccess { () throws(ModelError) in
      guard cachingWeights, let weights = graph.cachedWeights else {
        return try unsafe Self.compile(graph, options, kernels, nil)
      }
      return try unsafe weights.withCacheFile(
        discarding: { unsafe graph.functions.pointee.LiteRtDestroyCompiledModel($0) }
      ) { (file) throws(ModelError) in try unsafe Self.compile(graph, options, kernels, file) }
    }
    try interruption.attach(to: self)
    try interruption.rethrow()
  }

  private static func compile(
    _ graph: LiteRTGraph, _ options: SessionOptions, _ kernels: [CustomOperatorKernel],
    _ weightCacheFile: String?
  ) throws(ModelError) -> LiteRtCompiledModel {
    let options = try CompilationOptions.make(
      graph.environment, options, weightCacheFile: weightCacheFile)
    for kernel in kernels { try unsafe kernel.add(to: options.handle) }
    var handle: LiteRtCompiledModel?
    let status = unsafe clitert_create_compiled_model(
      graph.functions, graph.environment.handle, graph.handle, options.handle, &handle)
    if status != 0, graph.environment.usesGPU {
      let cause =
        status == Self.incompleteDelegation
        ? "the GPU cannot run all of its operators"
        : "the GPU cannot run it (LiteRtCreateCompiledModel, status \(status))"
      throw ModelError(.runtime, .modelRejected(detail: "\(cause); run it on the processor"))
    }
    return try unsafe checkedHandle(handle, status, from: "LiteRtCreateCompiledModel")
  }

  /// The status for operators that no accelerator of the options runs.
  private static let incompleteDelegation: LiteRtStatus = 504

  deinit {
    unsafe graph.functions.pointee.LiteRtDestroyCompiledModel(handle)
  }
}

/// An entry point of a compiled model, which is not thread-safe.
@safe final class CompiledModel {
  let entryPoint: EntryPoint
  private let compiled: CompiledGraph
  // Copies, because looking them up takes a noticeable part of the time of a small model.
  let handle: LiteRtCompiledModel
  let functions: UnsafePointer<CLiteRTTable>
  /// Ends runs early.
  let interruption: RunInterruption

  init(_ compiled: CompiledGraph, _ entryPoint: EntryPoint) {
    self.compiled = compiled
    self.entryPoint = entryPoint
    unsafe handle = compiled.handle
    unsafe functions = compiled.graph.functions
    interruption = compiled.interruption
  }

  var graph: LiteRTGraph { compiled.graph }

  /// Returns and clears the runtime's error messages, or `nil` if there are none.
  func takeErrorMessage() -> String? {
    var messages: UnsafeMutablePointer<CChar>?
    let status = unsafe functions.pointee.LiteRtCompiledModelGetErrorMessages(handle, &messages)
    guard status == 0, let message = unsafe DynamicLibrary.takeString(messages) else { return nil }
    _ = unsafe functions.pointee.LiteRtCompiledModelClearErrors(handle)
    let line = message.split(separator: "\n").joined(separator: " ")
    return line.isEmpty ? nil : line
  }

  /// Changes the shape of an input without allocating memory.
  func resize(_ input: Int, to shape: [Int]) throws(ModelError) {
    let binding = entryPoint.inputs[input]
    try binding.info.elementType.validatedByteCount(
      TensorShape(signedDimensions: shape), named: binding.info.name)
    let dimensions = shape.map { Int32(clamping: $0) }
    try checkStatus(
      unsafe functions.pointee.LiteRtCompiledModelResizeInputTensor(
        handle, entryPoint.signatureIndex, binding.slot, dimensions, dimensions.count),
      from: "LiteRtCompiledModelResizeInputTensor", at: .input, message: takeErrorMessage())
  }

  /// Sets the model's variables to zero.
  ///
  /// LiteRT does this when it allocates tensors again, which a change of shape causes.
  func resetVariables(inputShapes: [[Int]]) throws(ModelError) {
    for (binding, shape) in zip(entryPoint.inputs, inputShapes) where !shape.isEmpty {
      let dimensions = shape.map { Int32(clamping: $0) }
      var others = dimensions
      others[0] = others[0] == 1 ? 2 : 1
      for dimensions in [others, dimensions] {
        try checkStatus(
          unsafe functions.pointee.LiteRtCompiledModelResizeInputTensorNonStrict(
            handle, entryPoint.signatureIndex, binding.slot, dimensions, dimensions.count),
          from: "LiteRtCompiledModelResizeInputTensorNonStrict", at: .run,
          message: takeErrorMessage())
      }
    }
    _ = try allocateOutputs(at: .run)
  }

  func inputLayout(_ slot: Int) throws(ModelError) -> LiteRtLayout {
    try graph.outputValue("LiteRtGetCompiledModelInputTensorLayout", LiteRtLayout()) { layout in
      unsafe functions.pointee.LiteRtGetCompiledModelInputTensorLayout(
        handle, entryPoint.signatureIndex, slot, &layout)
    }
  }

  /// Allocates all tensors and returns the outputs' layouts by slot.
  ///
  /// LiteRT prepares the operators here, so this call reports unsupported ones.
  func allocateOutputs(at stage: ModelError.Stage) throws(ModelError) -> [LiteRtLayout] {
    var layouts = Array(repeating: LiteRtLayout(), count: entryPoint.outputs.count)
    let count = layouts.count
    // LiteRT does not accept an empty array, and allocates tensors when the model runs as well.
    guard count > 0 else { return [] }
    let status = unsafe functions.pointee.LiteRtGetCompiledModelOutputTensorLayouts(
      handle, entryPoint.signatureIndex, count, &layouts, true)
    try interruption.rethrow()
    try checkStatus(
      status,
      from: "LiteRtGetCompiledModelOutputTensorLayouts", at: stage, message: takeErrorMessage())
    return layouts
  }
}

/// The options for compiling a model; they are not needed afterward.
@safe struct CompilationOptions: ~Copyable {
  /// The maximum number of threads per run; more do not make a run faster.
  static let maxThreads = 256

  let handle: LiteRtOptions
  private let library: LiteRTLibrary

  private init(_ library: LiteRTLibrary) throws(ModelError) {
    var handle: LiteRtOptions?
    let status = unsafe library.functions.pointee.LiteRtCreateOptions(&handle)
    unsafe self.handle = try checkedHandle(handle, status, from: "LiteRtCreateOptions")
    self.library = library
  }

  deinit {
    unsafe library.functions.pointee.LiteRtDestroyOptions(handle)
  }

  static func make(
    _ environment: LiteRTEnvironment, _ session: SessionOptions, weightCacheFile file: String?
  ) throws(ModelError) -> CompilationOptions {
    let options = try CompilationOptions(environment.library)
    // The results of a model that runs on the CPU in part are wrong with LiteRT 2.3.0.
    try options.use(environment.usesGPU ? CLiteRTAcceleratorGPU : CLiteRTAcceleratorCPU)
    if environment.usesGPU { try options.addOptions("gpu_options", "precision = \(floats32)\n") }
    let threads = min(max(session.threads, 1), maxThreads)
    let weights = file.map { "weight_cache_file_path = \"\($0)\"\n" } ?? ""
    try options.addOptions("xnnpack", "num_threads = \(threads)\n\(weights)")
    let profiling = session.profilesOperators ? "enable_profiling = true\n" : ""
    try options.addOptions(
      "runtime_options_string", "error_reporter_mode = \(bufferedErrors)\n\(profiling)")
    return options
  }

  private func use(_ accelerator: Int) throws(ModelError) {
    try checkStatus(
      unsafe library.functions.pointee.LiteRtSetOptionsHardwareAccelerators(
        handle, Int32(accelerator)),
      from: "LiteRtSetOptionsHardwareAccelerators")
  }

  private func addOptions(_ section: String, _ toml: String) throws(ModelError) {
    try checkStatus(
      unsafe clitert_add_options(library.functions, handle, section, toml),
      from: "LiteRtAddOpaqueOptions")
  }
}

/// The error reporter mode that stores messages for retrieval instead of printing them.
private let bufferedErrors = 2
/// The precision of GPUs that computes with 32-bit floats; by default, they use 16 bits if they can.
private let floats32 = 2
