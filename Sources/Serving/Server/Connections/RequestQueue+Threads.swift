import Dispatch
import Synchronization
import TensorIOSystem

// MARK: Threads

extension RequestQueue {
  func semaphore(_ pool: Pool.Name) -> DispatchSemaphore {
    switch pool {
    case .foreground: foregroundWork
    case .background: backgroundWork
    case .control: controlWork
    }
  }

  /// Adds a job and wakes or starts a thread for it.
  func append(_ job: Job, to pool: Pool.Name, _ state: inout State) {
    state[pool].append(job)
    if let collector = state[pool].lanes[job.lane]?.collector {
      collector.signal()
    } else {
      wakeThread(pool, &state)
    }
  }

  /// Wakes an idle thread, or starts another one within the limit.
  private func wakeThread(_ pool: Pool.Name, _ state: inout State) {
    if state[pool].idle > 0 {
      state[pool].idle -= 1
      semaphore(pool).signal()
    } else if !startThread(pool, &state), !state.isWatching {
      state.isWatching = true
      stallCheck.signal()
    }
  }

  /// Starts a thread unless enough of them are not blocked.
  private func startThread(_ pool: Pool.Name, _ state: inout State) -> Bool {
    guard state[pool].threads - state[pool].stalled < limits.workerThreads,
      state[pool].stalled <= limits.maxStalledThreads, !state.isClosed
    else { return false }
    state.lastThread += 1
    let id = state.lastThread
    guard
      PermanentThread.start(
        pool == .background ? .background : .normal, { [self] in serve(pool, thread: id) })
    else { return false }
    state[pool].threads += 1
    return true
  }

  /// Serves jobs until the queue is closed, or until the thread is not needed anymore.
  private func serve(_ pool: Pool.Name, thread: UInt64) {
    while true {
      let next: NextAction = state.withLock { state in
        if state.isClosed { return .exit }
        // A thread that was blocked has been replaced.
        if state[pool].threads - state[pool].stalled > limits.workerThreads {
          state[pool].threads -= 1
          if state[pool].hasRunnable(limits) { wakeThread(pool, &state) }
          return .exit
        }
        guard let job = state[pool].dequeue(limits) else {
          state[pool].idle += 1
          return .wait
        }
        return .run(job)
      }
      switch next {
      case .exit: return
      case .wait: semaphore(pool).wait()
      case .run(let job): run(job, pool, thread)
      }
    }
  }

  private enum NextAction {
    case exit, wait
    case run(Job)
  }

  /// Replaces blocked threads while requests wait for one.
  func replaceBlockedThreads() {
    while true {
      stallCheck.wait()
      var isNeeded = true
      while isNeeded {
        BlockingSleep.sleep(limits.stallTime / 2)
        isNeeded = state.withLock { state in
          if state.isClosed { return false }
          for pool in Pool.Name.allCases { replaceBlockedThreads(pool, &state) }
          state.isWatching = Pool.Name.allCases.contains { state[$0].hasRunnable(limits) }
          return state.isWatching
        }
      }
      if state.withLock(\.isClosed) { return }
    }
  }

  private func replaceBlockedThreads(_ pool: Pool.Name, _ state: inout State) {
    let now = ContinuousClock.now
    for (thread, step) in state[pool].running
    where !step.isStalled && step.start.duration(to: now) > limits.stallTime {
      state[pool].running[thread]?.isStalled = true
      state[pool].stalled += 1
    }
    var missing = state[pool].order.count
    while missing > 0, state[pool].hasRunnable(limits), startThread(pool, &state) { missing -= 1 }
  }

  /// Runs a step, whose duration decides whether its thread is replaced.
  private func timed<Value>(_ pool: Pool.Name, _ thread: UInt64, _ step: () -> Value) -> Value {
    let start = ContinuousClock.now
    state.withLock { $0[pool].running[thread] = RunningStep(start: start) }
    defer {
      state.withLock { state in
        if state[pool].running.removeValue(forKey: thread)?.isStalled == true {
          state[pool].stalled -= 1
        }
      }
    }
    return step()
  }
}

// MARK: Steps

extension RequestQueue {
  /// Runs steps of a job, and of the jobs that are merged with it, until all are done or wait.
  private func run(_ job: Job, _ pool: Pool.Name, _ thread: UInt64) {
    let lane = job.lane
    var jobs = [job]
    while var job = jobs.popLast() {
      while true {
        guard !job.context.isCanceled else {
          finish(pool)
          break
        }
        let step = timed(pool, thread) { nextStep(&job) }
        guard let followUp = handle(step, &job, pool, thread, mayYield: jobs.isEmpty) else { break }
        if case .merged(let others) = followUp { jobs += others }
      }
    }
    state.withLock { $0[pool].release(lane) }
  }

  /// How a thread continues with a job.
  private enum FollowUp {
    case next
    /// The job continues, and so do the jobs whose runs were merged with its run.
    case merged([Job])
  }

  /// Handles the result of a step; returns `nil` if the job leaves the thread.
  private func handle(
    _ step: HandlerStep, _ job: inout Job, _ pool: Pool.Name, _ thread: UInt64, mayYield: Bool
  ) -> FollowUp? {
    switch step {
    case .response(let response):
      finish(pool)
      completion(job.completed(response))
      return nil
    case .more(let continuation):
      job.next = continuation.resume
      switch reschedule(job, pool, isBackground: continuation.isBackground, mayYield: mayYield) {
      case .running: return .next
      case .waiting: return nil
      case .rejected:
        completion(job.completed(.overloaded))
        return nil
      }
    case .pending(let pending):
      park(job, pool, pending)
      return nil
    case .run(let run):
      return .merged(self.run(run, &job, pool, thread))
    }
  }

  private func nextStep(_ job: inout Job) -> HandlerStep {
    if let next = job.next { return next() }
    job.queueDuration = job.work.enqueuedAt.duration(to: .now)
    return job.work.route.begin(job.work.request)
  }

  private func finish(_ pool: Pool.Name) {
    state.withLock { $0[pool].active -= 1 }
  }

  private enum Schedule {
    case running, waiting, rejected
  }

  /// Moves a job to the background or behind those that wait, if necessary.
  private func reschedule(
    _ job: Job, _ pool: Pool.Name, isBackground: Bool, mayYield: Bool
  ) -> Schedule {
    state.withLock { state in
      if pool == .foreground, isBackground {
        state.foreground.active -= 1
        let lane = state.background.lanes[job.lane]
        let idle = limits.workerThreads - (lane?.running ?? 0)
        guard (lane?.waiting.count ?? 0) - idle < limits.maxQueued else {
          return .rejected
        }
        append(job, to: .background, &state)
        return .waiting
      }
      guard mayYield, !state[pool].order.isEmpty else { return .running }
      state[pool].active -= 1
      append(job, to: pool, &state)
      return .waiting
    }
  }

  /// Lets a job wait without a thread until its handler can go on.
  private func park(_ job: Job, _ pool: Pool.Name, _ pending: PendingStep) {
    state.withLock { state in
      state[pool].active -= 1
      state.parked += 1
    }
    pending.begin { [self] next in
      var job = job
      job.next = next
      state.withLock { state in
        state.parked -= 1
        if !job.context.isCanceled { append(job, to: pool, &state) }
      }
    }
  }

}

// MARK: Merging

extension RequestQueue {
  /// Runs a model for a job and for waiting jobs of the same lane that need the same model.
  ///
  /// Sets the next step of `job`, and returns the other jobs that the thread continues with.
  private func run(
    _ run: ModelRun, _ job: inout Job, _ pool: Pool.Name, _ thread: UInt64
  ) -> [Job] {
    var (runs, merged, others) = ([run], [Job](), [Job]())
    for var candidate in candidates(for: run, of: job.lane, pool) {
      guard !candidate.context.isCanceled else {
        finish(pool)
        continue
      }
      let step = timed(pool, thread) { nextStep(&candidate) }
      if case .run(let other) = step, run.canMerge(with: other) {
        runs.append(other)
        merged.append(candidate)
      } else {
        candidate.next = { step }
        others.append(candidate)
      }
    }
    let group = runs
    for member in [job] + merged { run.served.statistics.recordQueue(member.queueDuration) }
    let steps = timed(pool, thread) { ModelRun.completedSteps(group) }
    job.next = { [step = steps[0]] in step }
    for (index, step) in steps.dropFirst().enumerated() { merged[index].next = { step } }
    return others + merged
  }

  /// Removes the waiting jobs that may be merged with a run, and waits for them as configured.
  private func candidates(for run: ModelRun, of lane: String, _ pool: Pool.Name) -> [Job] {
    let count = run.served.maxBatchSize - 1
    guard count > 0, pool == .foreground else { return [] }
    var jobs = takeUnstarted(count, of: lane)
    let deadline = ContinuousClock.now + run.served.batchDelay
    while run.served.batchDelay > .zero, jobs.count < count {
      let remaining = ContinuousClock.now.duration(to: deadline)
      guard remaining > .zero, collect(in: lane, for: remaining) else { break }
      jobs += takeUnstarted(count - jobs.count, of: lane)
    }
    return jobs
  }

  private func takeUnstarted(_ count: Int, of lane: String) -> [Job] {
    state.withLock { $0.foreground.takeUnstarted(count, of: lane) }
  }

  /// Waits for another request of a lane; returns false after the timeout.
  private func collect(in lane: String, for timeout: Duration) -> Bool {
    let collector = DispatchSemaphore(value: 0)
    state.withLock { $0.foreground.lanes[lane]?.collector = collector }
    let hasOne = collector.wait(timeout: DispatchTime.now() + timeout.dispatchInterval) == .success
    state.withLock { state in
      state.foreground.lanes[lane]?.collector = nil
      if state.foreground.hasRunnable(limits) { wakeThread(.foreground, &state) }
    }
    return hasOne
  }
}

extension RequestQueue.Job {
  fileprivate func completed(_ response: HTTPResponse) -> CompletedResponse {
    CompletedResponse(
      connectionID: work.connectionID, context: context, response: response,
      queueDuration: queueDuration)
  }
}

extension Duration {
  fileprivate var dispatchInterval: DispatchTimeInterval {
    .nanoseconds(
      Int(clamping: components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000))
  }
}
