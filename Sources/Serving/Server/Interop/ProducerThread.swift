import Dispatch
import Synchronization
import TensorIOSystem

/// Runs the producers of bodies on one thread, which none of them may block.
final class ProducerThread: TaskExecutor {
  private struct State {
    var jobs: [UnownedJob] = []
    /// The number of producers that have not ended.
    var count = 0
    var isClosed = false
  }

  private let state = Mutex(State())
  private let work = DispatchSemaphore(value: 0)

  /// Starts the thread; returns false if the system has no resources for it.
  func start() -> Bool { PermanentThread.start { [self] in run() } }

  /// Starts a producer.
  func run(
    _ producer: @escaping ResponseBody.Stream.Producer, _ writer: BodyWriter
  ) -> Task<Void, Never> {
    state.withLock { $0.count += 1 }
    return Task(executorPreference: self) { [self] in
      do throws(ClientError) {
        try await producer(writer)
        writer.finish(.success(()))
      } catch {
        writer.finish(.failure(error))
      }
      state.withLock { $0.count -= 1 }
    }
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    state.withLock { $0.jobs.append(job) }
    work.signal()
  }

  /// Ends the thread after the producers, which have been canceled.
  func close() {
    state.withLock { $0.isClosed = true }
    work.signal()
  }

  private func run() {
    while true {
      work.wait()
      let jobs = state.withLock { state in
        defer { state.jobs = [] }
        return state.jobs
      }
      for job in jobs { unsafe job.runSynchronously(on: asUnownedTaskExecutor()) }
      if state.withLock({ $0.isClosed && $0.count == 0 }) { return }
    }
  }
}
