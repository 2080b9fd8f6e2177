import Dispatch
import Synchronization

/// Runs an async function on the calling thread, which blocks while the function waits.
final class CallingThread: TaskExecutor {
  private let jobs = Mutex<[UnownedJob]>([])
  private let work = DispatchSemaphore(value: 0)

  private init() {}

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.withLock { $0.append(job) }
    work.signal()
  }

  /// Returns the result of a function.
  static func wait<Value: Sendable>(_ body: @escaping @Sendable () async -> Value) -> Value {
    let thread = CallingThread()
    let result = Mutex<Value?>(nil)
    Task.immediate(executorPreference: thread) {
      let value = await body()
      result.withLock { $0 = value }
      thread.work.signal()
    }
    while true {
      thread.work.wait()
      if let value = result.withLock(\.self) { return value }
      let job = thread.jobs.withLock { $0.isEmpty ? nil : $0.removeFirst() }
      job?.run(on: thread)
    }
  }
}
