extension RequestQueue {
  /// The jobs of a lane that wait for a thread, first in, first out.
  ///
  /// Every operation happens while other threads wait for the queue's lock, so that the number of jobs that have not
  /// started is counted instead of found.
  struct WaitingJobs: Sendable {
    private var jobs: [Job] = []
    /// The number of jobs that have not started.
    private(set) var unstartedCount = 0

    var isEmpty: Bool { jobs.isEmpty }
    var count: Int { jobs.count }

    mutating func append(_ job: Job) {
      jobs.append(job)
      if job.isUnstarted { unstartedCount += 1 }
    }

    /// Adds a job before all others.
    mutating func prepend(_ job: Job) {
      jobs.insert(job, at: 0)
      if job.isUnstarted { unstartedCount += 1 }
    }

    /// Removes the first job; returns `nil` if there is none.
    mutating func popFirst() -> Job? {
      guard !jobs.isEmpty else { return nil }
      return remove(at: 0)
    }

    func contains(where condition: (Job) -> Bool) -> Bool { jobs.contains(where: condition) }

    /// Removes the first job that satisfies a condition; returns `nil` if none does.
    mutating func removeFirst(where condition: (Job) -> Bool) -> Job? {
      jobs.firstIndex(where: condition).map { remove(at: $0) }
    }

    /// Removes the first jobs that have not started, and returns them in order.
    mutating func takeUnstarted(_ maxCount: Int) -> [Job] {
      let count = min(maxCount, unstartedCount)
      guard count > 0 else { return [] }
      var taken: [Job] = []
      taken.reserveCapacity(count)
      jobs.removeAll { job in
        guard job.isUnstarted, taken.count < count else { return false }
        taken.append(job)
        return true
      }
      unstartedCount -= taken.count
      return taken
    }

    private mutating func remove(at index: Int) -> Job {
      let job = jobs.remove(at: index)
      if job.isUnstarted { unstartedCount -= 1 }
      return job
    }
  }
}
