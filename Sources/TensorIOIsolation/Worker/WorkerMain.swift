package import TensorIOBundle
package import TensorIOCore

/// The program that a worker runs.
package enum WorkerMain {
  /// Answers whoever started this process until nobody asks any more; the exit code.
  ///
  /// The one argument is the number of the process that started it.
  package static func run(_ arguments: [String], runtime: any LoadedRuntime.Type) -> Int32 {
    guard arguments.count == 1, let parent = Int32(arguments[0]),
      let channel = WorkerProcessSetup.openChannel(parent: parent)
    else { return usageExitCode }
    var bench = WorkerRequestHandler(runtime)
    while let (request, memory) = try? channel.receive(WorkerRequest.self) {
      guard (try? channel.send(bench.handle(request, memory))) != nil else { break }
    }
    return 0
  }

  /// It was not started as a worker.
  private static let usageExitCode: Int32 = 2
}

/// The runtime that a worker process runs models in, with its library open.
package protocol LoadedRuntime {
  /// Opens the runtime's library.
  init(_ orders: WorkerConfiguration) throws(ModelError)

  /// Loads a model from bytes, or from the folder that the request names.
  func load(_ orders: LoadRequest, bytes: [UInt8]?) throws(ModelError) -> any RuntimeModel
}
