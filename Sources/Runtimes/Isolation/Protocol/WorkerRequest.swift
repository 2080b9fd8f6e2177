package import TensorIOBundle
package import TensorIOCore

/// A request to a worker process; each one has a response.
package enum WorkerRequest: Sendable, Hashable {
  /// Sets limits, enters the sandbox and opens the runtime.
  case configure(WorkerConfiguration)
  /// Loads a model; the bytes of a file are passed in shared memory.
  case load(LoadRequest)
  /// Creates the session.
  case makeSession(threads: Int)
  /// Resizes the inputs.
  case resize([TensorShape])
  /// Attaches the shared memory that is passed with the message.
  case attachMemory(TensorSide, byteCount: Int)
  /// Sets the values that the session keeps from run to run to their initial values.
  case resetState
  /// Fills the inputs and runs the model.
  case invoke([InputPayload])
  /// Creates the caches of a model that is run step by step, in place of earlier ones.
  case makeStepSession
  /// Removes all tokens, and sets the caches that a function computes, whose values are in the shared memory for inputs.
  case beginSteps([GivenCache])
  /// Removes all tokens after the first ones from the caches, runs the model on more tokens, and writes
  /// the scores of what follows to the shared memory. The values of other outputs, which are 32-bit floats, need memory of
  /// their own.
  case step(after: Int, tokens: [Int32], outputs: [String] = [])
  /// Writes the scores of what follows another token of the last step to the shared memory.
  case writeScores(after: Int)
}

/// The side of a session's tensors; `inputs` includes the placeholders.
package enum TensorSide: String, Sendable, Hashable, FrameCodable {
  case inputs, outputs
}

/// The configuration of a worker process.
package struct WorkerConfiguration: Sendable, Hashable {
  /// The runtime.
  package var backend: BackendIdentifier
  /// The path of the runtime's library; `nil` searches the default locations.
  package var library: String?
  /// Whether graphs are loaded without a review of their operators.
  package var trustsGraphs: Bool
  /// The maximum address space in bytes; 0 means no limit.
  package var memoryLimit: Int
  /// The maximum processor time per call in seconds; 0 means no limit.
  package var processorSeconds: Int
  /// The isolation level.
  package var level: Isolation.Level
  /// The model's folder, which remains readable in the sandbox; `nil` if the model is a file.
  package var readableFolder: String?
}

/// A model to load.
package struct LoadRequest: Sendable, Hashable {
  /// The path; files are not read from it, folders are.
  package var path: String
  /// The name for error messages.
  package var name: String
  /// The number of bytes in the attached shared memory; `nil` for a folder.
  package var byteCount: Int?
  /// The binding of the model's layers.
  package var modelUse: WorkerModelUse
}

/// The value of an input.
package enum InputPayload: Sendable, Hashable {
  /// A range of the shared memory.
  case bytes(input: Int, Range<Int>)
  /// The elements of a string input.
  case strings(input: Int, [[UInt8]])
}

/// A response of a worker process.
package enum WorkerResponse: Sendable, Equatable {
  /// The request succeeded and has no result.
  case done
  /// The model is loaded.
  case modelLoaded(LoadedModelInfo)
  /// The session is created; it can reset values that it keeps from run to run, if it has any.
  case sessionMade(hasState: Bool)
  /// The outputs have been written to the shared memory.
  case outputs([OutputLocation])
  /// The outputs require this many bytes; attach memory of that size to receive them.
  case outputMemoryRequired(Int)
  /// The caches are created.
  case stepSessionMade(StepSessionInfo)
  /// The request failed.
  case failed(ModelError)
}

/// The description of a loaded model.
package struct LoadedModelInfo: Sendable, Hashable {
  package var signature: ModelSignature
  package var signatures: [ModelSignature]
  package var warnings: [Diagnostic]
  /// Whether the model is run step by step.
  package var hasSteps: Bool

  package init(
    signature: ModelSignature, signatures: [ModelSignature], warnings: [Diagnostic],
    hasSteps: Bool = false
  ) {
    self.signature = signature
    self.signatures = signatures
    self.warnings = warnings
    self.hasSteps = hasSteps
  }
}

/// The properties of a ``StepSession``, which do not change.
package struct StepSessionInfo: Sendable, Hashable {
  package var capacity: Int?
  package var vocabularySize: Int
  package var hasScoresOfEveryToken: Bool
  /// The memory of the caches for no tokens, and what each token adds, in bytes.
  package var baseByteCount: Int
  package var byteCountPerToken: Int
}

/// A cache that a function has computed, and the range of its value in the shared memory.
package struct GivenCache: Sendable, Hashable {
  package var input: String
  package var elementType: ElementType
  package var shape: [Int]
  package var range: Range<Int>

  package init(input: String, elementType: ElementType, shape: [Int], range: Range<Int>) {
    (self.input, self.elementType) = (input, elementType)
    (self.shape, self.range) = (shape, range)
  }
}

/// The shape of an output and its range in the shared memory.
package struct OutputLocation: Sendable, Hashable {
  package var shape: TensorShape
  package var range: Range<Int>

  package init(shape: TensorShape, range: Range<Int>) {
    self.shape = shape
    self.range = range
  }
}

/// The parts of a `ModelBinding` that runtimes use to find tensors: caches, and names and shapes of layers.
package struct WorkerModelUse: Sendable, Hashable {
  package var mode: ModelMode
  package var signature: String?
  package var inputs: [LayerSpec]
  package var placeholders: [LayerSpec]
  package var outputs: [LayerSpec]
  package var caches: [CacheLink]
  package var threads: Int

  /// Extracts the parts of a binding.
  package init(_ binding: ModelBinding) {
    (mode, signature) = (binding.mode, binding.signature)
    inputs = binding.inputs.map(LayerSpec.init)
    placeholders = binding.placeholders.map(LayerSpec.init)
    outputs = binding.outputs.map(LayerSpec.init)
    caches = binding.caches
    // A worker process has one session.
    threads = binding.threadsPerSession
  }

  /// The equivalent binding.
  package var modelBinding: ModelBinding {
    var description = ModelDescription(
      inputs: inputs.map(\.layer), outputs: outputs.map(\.layer))
    description.placeholders = placeholders.map(\.layer)
    (description.caches, description.modelSignature) = (caches, signature)
    return ModelBinding(description, mode: mode, threads: threads)
  }
}

/// The name, shape and meaning of a layer.
package struct LayerSpec: Sendable, Hashable {
  package var name: String
  package var isScalar: Bool
  /// The part of a tokenized text that the layer takes; `nil` for other layers.
  package var part: TextLayer.Part?
  package var role: OutputRole?
  package var shape: TensorShape

  package init(_ layer: Layer) {
    name = layer.name
    shape = layer.shape
    isScalar = if case .scalar = layer.kind { true } else { false }
    part = if case .text(let text) = layer.kind { text.part } else { nil }
    role = layer.role
  }

  /// A layer of text or numbers with the name and shape; runtimes do not distinguish images.
  package var layer: Layer {
    if let part {
      return Layer(name: name, kind: .text(TextLayer(shape: shape, part: part)), role: role)
    }
    let numbers = NumericLayer(shape: shape)
    return Layer(name: name, kind: isScalar ? .scalar(numbers) : .array(numbers), role: role)
  }
}

extension WorkerModelUse: FrameCodable {
  package func write(to frame: inout FrameWriter) {
    frame.write(mode, signature, inputs, placeholders, outputs, caches, threads)
  }

  package init(from frame: inout FrameReader) throws(FrameError) {
    mode = try frame.read()
    signature = try frame.read()
    inputs = try frame.read()
    placeholders = try frame.read()
    outputs = try frame.read()
    caches = try frame.read()
    threads = try frame.readCount()
  }
}

extension GivenCache: FrameCodable {
  package func write(to frame: inout FrameWriter) {
    frame.write(input, elementType, TensorShape(signedDimensions: shape), range)
  }

  package init(from frame: inout FrameReader) throws(FrameError) {
    (input, elementType) = (try frame.read(), try frame.read())
    let shape: TensorShape = try frame.read()
    self.shape = shape.signedDimensions
    range = try frame.read()
  }
}

extension LayerSpec: FrameCodable {
  package func write(to frame: inout FrameWriter) { frame.write(name, isScalar, part, role, shape) }

  package init(from frame: inout FrameReader) throws(FrameError) {
    name = try frame.read()
    isScalar = try frame.read()
    part = try frame.read()
    role = try frame.read()
    shape = try frame.read()
  }
}
