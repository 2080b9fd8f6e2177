package import TensorIOBundle
package import TensorIOCore

/// The main loop of a worker process.
package enum WorkerMain {
  /// Handles requests until the channel is closed.
  ///
  /// - Parameters:
  ///   - arguments: The process ID of the parent.
  ///   - runtime: The type that loads models.
  /// - Returns: The exit code.
  package static func run(_ arguments: [String], runtime: any LoadedRuntime.Type) -> Int32 {
    guard arguments.count == 1, let parent = Int32(arguments[0]),
      let channel = WorkerProcessSetup.openChannel(parent: parent)
    else { return usageExitCode }
    var handler = WorkerRequestHandler(runtime)
    while let (request, memory) = try? channel.receive(WorkerRequest.self) {
      guard (try? channel.send(handler.handle(request, memory))) != nil else { break }
    }
    return 0
  }

  /// The exit code of a process that was not launched as a worker process.
  private static let usageExitCode: Int32 = 2
}

/// A runtime whose library is open in a worker process.
package protocol LoadedRuntime {
  /// Opens the runtime's library.
  init(_ configuration: WorkerConfiguration) throws(ModelError)

  /// Loads a model from its bytes, or from the folder in the request if `bytes` is `nil`.
  func load(_ request: LoadRequest, bytes: [UInt8]?) throws(ModelError) -> any RuntimeModel
}
