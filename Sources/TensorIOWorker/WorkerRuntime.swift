package import TensorIOCore
package import TensorIOIsolation

/// The runtime that a worker process runs models in, with its library open.
package protocol WorkerRuntime {
  /// Opens the runtime's library.
  init(_ orders: WorkerOrders) throws(ModelError)

  /// Loads a model from bytes, or from the folder that the request names.
  func load(_ orders: LoadOrders, bytes: [UInt8]?) throws(ModelError) -> any RuntimeModel
}
