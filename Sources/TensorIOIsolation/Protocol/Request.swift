package import TensorIOCore

/// What a program asks of its worker; every request is answered.
package enum Request: Sendable, Hashable {
  /// Take limits upon yourself and open the runtime.
  case prepare(WorkerOrders)
  /// Load a model, whose bytes come along in shared memory unless it is a folder.
  case load(LoadOrders)
  /// Prepare the model to be run.
  case session(threads: Int)
  /// Give the inputs other shapes.
  case resize([TensorShape])
  /// Use the shared memory that comes along for one side's tensors.
  case memory(TensorSide, byteCount: Int)
  /// Compute, with what was filled.
  case invoke([Feed])
}

/// The inputs with the placeholders, or the outputs.
package enum TensorSide: String, Sendable, Hashable, FrameValue {
  case inputs, outputs
}

/// What a worker is for, and what it may use.
package struct WorkerOrders: Sendable, Hashable {
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
  package var folder: String?
}

/// A model, and what it is wanted for.
package struct LoadOrders: Sendable, Hashable {
  /// Where it lies; only folders are read from there.
  package var path: String
  /// Its name for messages.
  package var name: String
  /// How many bytes it has in the shared memory that comes along; `nil` for a folder.
  package var byteCount: Int?
  /// What it is wanted for.
  package var use: WantedUse
}

/// What an input is filled with.
package enum Feed: Sendable, Hashable {
  /// Bytes of the shared memory.
  case bytes(input: Int, Range<Int>)
  /// Texts.
  case texts(input: Int, [[UInt8]])
}
