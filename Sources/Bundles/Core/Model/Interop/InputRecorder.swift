import Synchronization
package import TensorIOBundle

/// A session that keeps what is written into its inputs, and computes nothing.
///
/// A quantizer reads the values of many items to learn the ranges of a model's activations.
final class InputRecorder: Session {
  private let tensors: [TensorInfo]
  private let inputs: Mutex<[Model.EncodedInput]>

  init(_ tensors: [TensorInfo], shapes: [[Int]]) {
    self.tensors = tensors
    inputs = Mutex(
      zip(tensors, shapes).map { Model.EncodedInput(type: $0.elementType, shape: $1) })
  }

  /// The inputs as they were written last.
  var recorded: [Model.EncodedInput] { inputs.withLock(\.self) }

  func resize(_ shapes: [[Int]]) {
    inputs.withLock { inputs in
      inputs = zip(tensors, shapes).map { Model.EncodedInput(type: $0.elementType, shape: $1) }
    }
  }

  func fill(
    _ input: Int, _ body: (inout MutableRawSpan) throws(ModelError) -> Void
  ) throws(ModelError) {
    try inputs.withLock { (inputs) throws(ModelError) in
      guard inputs.indices.contains(input) else { return }
      var span = inputs[input].bytes.mutableSpan
      var memory = unsafe span.mutableBytes
      try body(&memory)
    }
  }

  func fill(_ input: Int, strings: [[UInt8]]) throws(ModelError) {
    throw ModelError(.run, .unsupported("recording strings"))
  }

  func invoke() {}

  func read(
    _ output: Int, _ body: (RawSpan, _ shape: [Int]) throws(ModelError) -> Void
  ) throws(ModelError) {
    throw ModelError(.run, .unsupported("reading the outputs of recorded inputs"))
  }

  func readStrings(_ output: Int) throws(ModelError) -> [[UInt8]] {
    throw ModelError(.run, .unsupported("reading the outputs of recorded inputs"))
  }

  var abilities: SessionAbilities { SessionAbilities() }
}

extension Model {
  /// The tensor that a run writes for an input.
  package struct EncodedInput: Sendable {
    package let type: ElementType
    package let shape: [Int]
    package fileprivate(set) var bytes: [UInt8]

    fileprivate init(type: ElementType, shape: [Int]) {
      (self.type, self.shape) = (type, shape)
      let count = shape.checkedProduct ?? 0
      bytes = [UInt8](repeating: 0, count: count * (type.byteCount ?? 0))
    }
  }

  /// Returns the tensors of each run of the model on an input, in the order of its inputs.
  ///
  /// - Parameters:
  ///   - input: The input; each window of a sound or of a long text is a run.
  ///   - limit: The maximum number of runs.
  /// - Returns: The tensors of each run.
  /// - Throws: A `ModelError` if the input does not fit the model, or the model has no runs.
  package func encodedInputs(
    of input: ModelInput, limit: Int
  ) throws(ModelError) -> [[EncodedInput]] {
    guard let pipeline, let signature else {
      throw ModelError(.run, .unsupported("encoding the inputs of a model that runs in steps"))
    }
    return try pipeline.encodedInputs(of: input, signature.inputs, limit: limit)
  }
}

extension InferencePipeline {
  fileprivate func encodedInputs(
    of input: ModelInput, _ tensors: [TensorInfo], limit: Int
  ) throws(ModelError) -> [[Model.EncodedInput]] {
    let recorder = InputRecorder(tensors, shapes: encoder.shapes)
    var values = try match(input, Placeholders())
    var stopwatch = Stopwatch.disabled
    var runs: [[Model.EncodedInput]] = []
    if let index = encoder.audioIndex, !encoder.isPrepared(values.inputs[index]) {
      var windows = try encoder.audioWindows(values.inputs)
      var features = AudioFeatureExtractor.State()
      while runs.count < limit, let window = try windows.next() {
        values.inputs[index] = .numbers(Numbers(.floats(window.samples)))
        try encoder.prepareWindow(&values.inputs, &features)
        _ = try invoke(recorder, with: values, &stopwatch)
        runs.append(recorder.recorded)
      }
      return runs
    }
    for index in 0..<min(limit, values.inputs.textWindowCount) {
      let inputs = index == 0 ? values.inputs : values.inputs.textWindow(index)
      _ = try invoke(recorder, with: (inputs, values.placeholders), &stopwatch)
      runs.append(recorder.recorded)
    }
    return runs
  }
}
