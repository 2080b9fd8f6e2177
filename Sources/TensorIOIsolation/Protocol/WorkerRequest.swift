package import TensorIOBundle
package import TensorIOCore

/// What a program asks of its worker; every request is answered.
package enum WorkerRequest: Sendable, Hashable {
  /// Take limits upon yourself and open the runtime.
  case configure(WorkerConfiguration)
  /// Load a model, whose bytes come along in shared memory unless it is a folder.
  case load(LoadRequest)
  /// Prepare the model to be run.
  case makeSession(threads: Int)
  /// Give the inputs other shapes.
  case resize([TensorShape])
  /// Use the shared memory that comes along for one side's tensors.
  case attachMemory(TensorSide, byteCount: Int)
  /// Compute, with what was filled.
  case invoke([InputPayload])
}

/// The inputs with the placeholders, or the outputs.
package enum TensorSide: String, Sendable, Hashable, FrameCodable {
  case inputs, outputs
}

/// What a worker is for, and what it may use.
package struct WorkerConfiguration: Sendable, Hashable {
  /// The runtime.
  package var backend: BackendIdentifier
  /// The runtime's library, where the program names one.
  package var library: String?
  /// Whether graphs are run whatever their operators may do.
  package var trustsGraphs: Bool
  /// How many bytes of addresses it may use; 0 for any.
  package var memoryLimit: Int
  /// How many seconds of processor time a call may use; 0 for any.
  package var processorSeconds: Int
  /// What it is kept from.
  package var level: Isolation.Level
  /// The model's folder, where the runtime reads one by itself.
  package var readableFolder: String?
}

/// A model, and what it is wanted for.
package struct LoadRequest: Sendable, Hashable {
  /// Where it lies; only folders are read from there.
  package var path: String
  /// Its name for messages.
  package var name: String
  /// How many bytes it has in the shared memory that comes along; `nil` for a folder.
  package var byteCount: Int?
  /// What it is wanted for.
  package var modelUse: WorkerModelUse
}

/// What an input is filled with.
package enum InputPayload: Sendable, Hashable {
  /// Bytes of the shared memory.
  case bytes(input: Int, Range<Int>)
  /// Texts.
  case strings(input: Int, [[UInt8]])
}

/// What a worker answers.
package enum WorkerResponse: Sendable, Equatable {
  /// It was done.
  case done
  /// The model is loaded.
  case modelLoaded(LoadedModelInfo)
  /// The outputs lie in the shared memory.
  case outputs([OutputLocation])
  /// The outputs need so many bytes of shared memory, which are to be given, and then asked for again.
  case outputMemoryRequired(Int)
  /// It was not done.
  case failed(ModelError)
}

/// What a runtime says of a model.
package struct LoadedModelInfo: Sendable, Hashable {
  package var signature: ModelSignature
  package var signatures: [ModelSignature]
  package var warnings: [Diagnostic]

  package init(
    signature: ModelSignature, signatures: [ModelSignature], warnings: [Diagnostic]
  ) {
    self.signature = signature
    self.signatures = signatures
    self.warnings = warnings
  }
}

/// Where an output lies in the shared memory.
package struct OutputLocation: Sendable, Hashable {
  package var shape: TensorShape
  package var range: Range<Int>

  package init(shape: TensorShape, range: Range<Int>) {
    self.shape = shape
    self.range = range
  }
}

/// A ``ModelBinding`` as far as runtimes look at it: they find tensors by layers' names and shapes.
package struct WorkerModelUse: Sendable, Hashable {
  package var mode: ModelMode
  package var inputs: [LayerSpec]
  package var placeholders: [LayerSpec]
  package var outputs: [LayerSpec]
  package var threads: Int

  /// What matters of a use.
  package init(_ use: ModelBinding) {
    mode = use.mode
    inputs = use.inputs.map(LayerSpec.init)
    placeholders = use.placeholders.map(LayerSpec.init)
    outputs = use.outputs.map(LayerSpec.init)
    threads = use.threads
  }

  /// The use again.
  package var modelUse: ModelBinding {
    var description = ModelDescription(
      inputs: inputs.map(\.layer), outputs: outputs.map(\.layer))
    description.placeholders = placeholders.map(\.layer)
    return ModelBinding(description, mode: mode, threads: threads)
  }
}

/// A layer's name and shape.
package struct LayerSpec: Sendable, Hashable {
  package var name: String
  package var isScalar: Bool
  package var shape: TensorShape

  package init(_ layer: Layer) {
    name = layer.name
    shape = layer.shape
    isScalar = if case .scalar = layer.kind { true } else { false }
  }

  /// A layer of that name and shape; whether it is a picture, a runtime does not see.
  package var layer: Layer {
    let numbers = NumericLayer(shape: shape)
    return Layer(name: name, kind: isScalar ? .scalar(numbers) : .array(numbers))
  }
}

extension WorkerModelUse: FrameCodable {
  package func write(to frame: inout FrameWriter) {
    frame.write(mode, inputs, placeholders, outputs, threads)
  }

  package init(from frame: inout FrameReader) throws(FrameError) {
    mode = try frame.read()
    inputs = try frame.read()
    placeholders = try frame.read()
    outputs = try frame.read()
    threads = try frame.readCount()
  }
}

extension LayerSpec: FrameCodable {
  package func write(to frame: inout FrameWriter) { frame.write(name, isScalar, shape) }

  package init(from frame: inout FrameReader) throws(FrameError) {
    name = try frame.read()
    isScalar = try frame.read()
    shape = try frame.read()
  }
}
