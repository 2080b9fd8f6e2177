internal import TensorIOIsolation

/// The program that a worker runs.
package enum TensorIOWorker {
  /// Answers whoever started this process until nobody asks any more; the exit code.
  ///
  /// The one argument is the number of the process that started it.
  package static func run(_ arguments: [String], runtime: any WorkerRuntime.Type) -> Int32 {
    guard arguments.count == 1, let parent = Int32(arguments[0]),
      let channel = WorkerLife.begin(parent: parent)
    else { return misunderstanding }
    var bench = Workbench(runtime)
    while let (request, memory) = try? channel.receive(Request.self) {
      guard (try? channel.send(bench.answer(request, memory))) != nil else { break }
    }
    return 0
  }

  /// It was not started as a worker.
  private static let misunderstanding: Int32 = 2
}
