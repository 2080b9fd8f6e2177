import Dispatch
import Synchronization

/// Waits on the calling thread for asynchronous work.
package enum BlockingTask {
  private final class ResultBox<Value: Sendable>: Sendable {
    let value = Mutex<Value?>(nil)
  }

  /// Runs a closure in a task, waits for it, and returns its value or throws its error.
  package static func result<Value: Sendable, Failure: Error>(
    of body: @escaping @Sendable () async -> Result<Value, Failure>
  ) throws(Failure) -> Value {
    let box = ResultBox<Result<Value, Failure>>()
    let isDone = DispatchSemaphore(value: 0)
    Task {
      let result = await body()
      box.value.withLock { $0 = result }
      isDone.signal()
    }
    while true {
      isDone.wait()
      if let result = box.value.withLock({ $0 }) { return try result.get() }
    }
  }
}
