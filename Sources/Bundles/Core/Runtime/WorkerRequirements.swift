/// What worker processes need to run a runtime.
package struct WorkerRequirements: Sendable, Hashable {
  /// How a worker process receives a model.
  package enum ModelAccess: String, Sendable, Hashable {
    /// The bytes of a file in shared memory, or the path of a folder that remains readable.
    case contents
    /// The path of a file in a folder that remains readable, for models of several files.
    case parentFolder
  }

  /// How a worker process receives a model.
  package var modelAccess: ModelAccess
  /// The address space that the runtime needs, in bytes.
  package var baseMemory: Int
  /// The address space in bytes that each byte of the model adds.
  package var memoryPerModelByte: Int
  /// The address space in bytes that each thread of a run adds.
  package var memoryPerThread: Int

  /// Creates requirements; the defaults fit a runtime that reserves little more than it uses.
  package init(
    modelAccess: ModelAccess = .contents, baseMemory: Int = 2 << 30, memoryPerModelByte: Int = 8,
    memoryPerThread: Int = 128 << 20
  ) {
    self.modelAccess = modelAccess
    self.baseMemory = baseMemory
    self.memoryPerModelByte = memoryPerModelByte
    self.memoryPerThread = memoryPerThread
  }

  /// Returns the default limit of a worker's address space in bytes.
  package func memoryLimit(modelByteCount: Int, threads: Int) -> Int {
    baseMemory + memoryPerModelByte * modelByteCount + memoryPerThread * threads
  }
}
