import CONNX
import TensorIOBundle
import TensorIOCore

/// The inputs and outputs of one caller, for a model that all sessions share.
///
/// Not thread-safe. The session is `Sendable` so that it can move between threads; the session pool
/// lends it to one caller at a time.
@safe final class ONNXSession: Session, @unchecked Sendable {
  private let session: ONNXRuntimeSession
  private let binding: ONNXBinding
  private let inputNames: CStringTable
  private let outputNames: CStringTable
  private var shapes: [[Int]]
  private var inputs: [ONNXValue]
  /// The outputs of the last run; `nil` before the first.
  private var outputs: [ONNXValue?]
  /// The memory for outputs whose shapes do not change; `nil` if a run allocates the output.
  private var fixedOutputs: [ONNXValue?]
  /// The handles of the inputs, as a run takes them.
  private var inputHandles: [OpaquePointer?]
  /// The handles of the fixed outputs, as a run takes them.
  private var outputHandles: [OpaquePointer?]
  /// The inputs and the fixed outputs; `nil` if a run allocates an output, or the inputs have been replaced.
  private var boundTensors: ONNXBoundTensors?
  /// The options of runs, which can end them.
  private let runOptions: OpaquePointer

  init(_ session: ONNXRuntimeSession, _ binding: ONNXBinding) throws(ModelError) {
    self.session = session
    self.binding = binding
    unsafe runOptions = try session.library.handle {
      unsafe session.library.functions.pointee.OrtCreateRunOptions(&$0)
    }
    inputNames = CStringTable(binding.inputs.map(\.name))
    outputNames = CStringTable(binding.outputs.map(\.name))
    shapes = binding.inputs.map(\.shape)
    inputs = try Self.inputs(binding, shapes, session.library)
    outputs = binding.outputs.map { _ in nil }
    fixedOutputs = outputs
    unsafe inputHandles = inputs.map { unsafe $0.handle }
    unsafe outputHandles = outputs.map { _ in nil }
  }

  deinit {
    unsafe session.library.functions.pointee.OrtReleaseRunOptions(runOptions)
  }

  private static func inputs(
    _ binding: ONNXBinding, _ shapes: [[Int]], _ library: ONNXLibrary
  ) throws(ModelError) -> [ONNXValue] {
    var inputs: [ONNXValue] = []
    for (layer, shape) in zip(binding.inputs, shapes) {
      do throws(ModelError) {
        inputs.append(try ONNXValue(layer.tensorInfo.elementType, shape, of: library))
      } catch {
        throw error.at(layer: layer.name)
      }
    }
    return inputs
  }

  func resize(_ shapes: [[Int]]) throws(ModelError) {
    guard shapes != self.shapes else { return }
    guard shapes.count == binding.inputs.count else {
      throw ModelError(.input, .inputCount(expected: binding.inputs.count, actual: shapes.count))
    }
    for (layer, shape) in zip(binding.inputs, shapes) where !layer.tensorInfo.shape.accepts(shape) {
      let actual = "\(TensorShape(signedDimensions: shape))"
      throw ModelError(
        .input, .wrongShape(expected: "\(layer.tensorInfo.shape)", actual: actual),
        layer: layer.name)
    }
    let resized = try Self.inputs(binding, shapes, session.library)
    // Outputs of the last run may be views of the inputs.
    removeOutputs()
    boundTensors = nil
    inputs = resized
    unsafe inputHandles = resized.map { unsafe $0.handle }
    self.shapes = shapes
  }

  func fill(
    _ input: Int, _ body: (inout MutableRawSpan) throws(ModelError) -> Void
  ) throws(ModelError) {
    let layer = try inputLayer(input)
    guard layer.tensorInfo.elementType != .string else {
      throw ModelError(
        .input, .unsupported("access to the memory of a string tensor"), layer: layer.name)
    }
    try inputs[input].write(body)
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
    try inputs[input].write(strings: strings)
  }

  private func inputLayer(_ input: Int) throws(ModelError) -> ONNXLayer {
    guard binding.inputs.indices.contains(input) else {
      throw ModelError(.input, .inputCount(expected: binding.inputs.count, actual: input + 1))
    }
    return binding.inputs[input]
  }
}

extension ONNXSession {
  var abilities: SessionAbilities {
    var abilities = SessionAbilities()
    abilities.setCancelled = { self.setCancelled($0) }
    return abilities
  }

  private func setCancelled(_ isCancelled: Bool) {
    let functions = unsafe session.library.functions
    let status =
      unsafe isCancelled
      ? functions.pointee.OrtRunOptionsSetTerminate(runOptions)
      : functions.pointee.OrtRunOptionsUnsetTerminate(runOptions)
    try? unsafe session.library.check(status)
  }

  func invoke() throws(ModelError) {
    guard let boundTensors else { return try invokeWithAllocation() }
    do throws(ModelError) {
      unsafe try boundTensors.run(options: runOptions)
    } catch {
      removeOutputs()
      throw error
    }
    outputs = fixedOutputs
  }

  private func removeOutputs() {
    for index in outputs.indices { outputs[index] = nil }
  }

  /// Runs the model, and allocates the outputs that have no fixed memory.
  private func invokeWithAllocation() throws(ModelError) {
    let library = session.library
    removeOutputs()
    var results = unsafe outputHandles
    let status = unsafe library.functions.pointee.OrtRun(
      session.handle, runOptions, inputNames.pointers, inputHandles, inputHandles.count,
      outputNames.pointers, results.count, &results)
    // The caller owns the outputs that the run has allocated, also if it failed.
    for index in outputs.indices {
      if let fixed = fixedOutputs[index] {
        outputs[index] = fixed
      } else if let handle = unsafe results[index] {
        outputs[index] = unsafe ONNXValue(handle, of: library)
      }
    }
    do throws(ModelError) {
      unsafe try library.check(status, at: .run)
    } catch {
      removeOutputs()
      throw error
    }
    for index in outputs.indices { try allocateFixedOutput(index) }
    try bindFixedOutputs()
  }

  /// Binds the tensors for the next runs if all outputs have fixed memory.
  private func bindFixedOutputs() throws(ModelError) {
    let fixed = fixedOutputs.compactMap(\.self)
    guard fixed.count == fixedOutputs.count else { return }
    boundTensors = try ONNXBoundTensors(
      session, inputs: inputs, named: inputNames, outputs: fixed, named: outputNames)
  }

  /// Allocates memory for the next runs if the output of this run has the declared shape.
  private func allocateFixedOutput(_ index: Int) throws(ModelError) {
    let layer = binding.outputs[index]
    guard layer.hasFixedMemory, fixedOutputs[index] == nil, let output = outputs[index],
      try output.typeAndShape().shape == layer.shape
    else { return }
    let fixed = try ONNXValue(layer.tensorInfo.elementType, layer.shape, of: session.library)
    fixedOutputs[index] = fixed
    unsafe outputHandles[index] = fixed.handle
  }

  func read(
    _ output: Int, _ body: (RawSpan, _ shape: [Int]) throws(ModelError) -> Void
  ) throws(ModelError) {
    let (layer, value) = try self.output(output, isString: false)
    do throws(ModelError) {
      try value.read(as: layer.tensorInfo.elementType) { (memory, shape) throws(ModelError) in
        try body(memory, layer.scoreShape(shape))
      }
    } catch {
      throw error.at(layer: layer.name)
    }
  }

  func readStrings(_ output: Int) throws(ModelError) -> [[UInt8]] {
    try self.output(output, isString: true).value.strings()
  }

  func run(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) throws(ModelError) {
    guard boundTensors != nil, inputs.count == 1, fixedOutputs.count == 1,
      let result = fixedOutputs[0]
    else { return try unsafe runByStages(input, into: output) }
    try unsafe inputs[0].copy(from: input)
    try invoke()
    try unsafe result.copy(to: output)
  }

  private func output(
    _ output: Int, isString: Bool
  ) throws(ModelError) -> (layer: ONNXLayer, value: ONNXValue) {
    guard outputs.indices.contains(output), let value = outputs[output] else {
      throw ModelError(.output, .failed("the last run has no output \(output, as: "output")"))
    }
    let layer = binding.outputs[output]
    guard (layer.tensorInfo.elementType == .string) == isString else {
      throw ModelError(
        .output,
        .wrongType(
          expected: isString ? "strings" : "numbers", actual: "\(layer.tensorInfo.elementType)"),
        layer: layer.name)
    }
    return (layer, value)
  }
}

extension TensorShape {
  /// Returns whether a tensor of this shape can have the given dimensions.
  fileprivate func accepts(_ lengths: [Int]) -> Bool {
    lengths.count == dimensions.count
      && zip(dimensions, lengths).allSatisfy { dimension, length in
        length >= 0 && (dimension ?? length) == length
      }
  }
}
