internal import Dispatch
internal import Synchronization

/// Waits in the calling thread, which is the command's own, for what is done in tasks.
enum Waiting {
  private final class Place<Value: Sendable>: Sendable {
    let value = Mutex<Value?>(nil)
  }

  /// What comes of a task.
  static func result<Value: Sendable, Failure: Error>(
    of body: @escaping @Sendable () async -> Result<Value, Failure>
  ) throws(Failure) -> Value {
    let place = Place<Result<Value, Failure>>()
    let isDone = DispatchSemaphore(value: 0)
    Task {
      let result = await body()
      place.value.withLock { $0 = result }
      isDone.signal()
    }
    while true {
      isDone.wait()
      if let result = place.value.withLock({ $0 }) { return try result.get() }
    }
  }
}
