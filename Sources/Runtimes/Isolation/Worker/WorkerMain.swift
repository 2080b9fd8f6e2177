package import TensorIOCore

/// The main loop of a worker process.
package enum WorkerMain {
  /// Handles requests until the channel is closed.
  ///
  /// - Parameters:
  ///   - arguments: The process ID of the parent.
  ///   - runtimes: The runtimes that can load models.
  /// - Returns: The exit code.
  package static func run(_ arguments: [String], runtimes: [RuntimeDescriptor]) -> Int32 {
    guard arguments.count == 1, let parent = Int32(arguments[0]),
      let channel = WorkerProcessSetup.openChannel(parent: parent)
    else { return usageExitCode }
    var handler = WorkerRequestHandler(runtimes)
    while let (request, memory) = try? channel.receive(WorkerRequest.self) {
      guard (try? channel.send(handler.handle(request, memory))) != nil else { break }
    }
    return 0
  }

  /// The exit code of a process that was not launched as a worker process.
  private static let usageExitCode: Int32 = 2
}
