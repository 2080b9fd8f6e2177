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
    if let collector = state[pool].lanes[job.task.lane]?.collector {
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
      state[pool].stalled <= limits.maxStalledThreads
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
        end(thread, in: &state[pool])
        // A thread that was blocked has been replaced.
        if state[pool].threads - state[pool].stalled > limits.workerThreads {
          state[pool].threads -= 1
          if state[pool].hasRunnable(limits) { wakeThread(pool, &state) }
          return .exit
        }
        guard let job = state[pool].dequeue(limits) else {
          if state.isClosed {
            state[pool].threads -= 1
            return .exit
          }
          state[pool].idle += 1
          return .wait
        }
        if job.isUnstarted { state.started += 1 }
        state[pool].running[thread] = RunningJob(lane: job.task.lane, start: .now)
        return .run(job)
      }
      switch next {
      case .exit: return
      case .wait: semaphore(pool).wait()
      case .run(let job):
        job.run()
        // The requests that were merged with it.
        while let next = job.task.takeCollectedJob() { next.run() }
      }
    }
  }

  /// Ends a thread's last job.
  private func end(_ thread: UInt64, in pool: inout Pool) {
    guard let last = pool.running.removeValue(forKey: thread) else { return }
    if last.isStalled { pool.stalled -= 1 }
    pool.release(last.lane)
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
}

// MARK: Jobs

extension RequestQueue {
  /// Adds a job of a request that has started.
  func resume(_ job: Job) {
    let pool = job.task.pool
    state.withLock { append(job, to: pool, &$0) }
  }

  /// Adds a job to the background, unless too many wait there; `body` is called before it can run.
  func moveToBackground(_ job: Job, _ body: () -> Void) -> Bool {
    state.withLock { state in
      let lane = state.background.lanes[job.task.lane]
      let idle = limits.workerThreads - (lane?.running ?? 0)
      guard (lane?.waiting.count ?? 0) - idle < limits.maxQueued else { return false }
      body()
      append(job, to: .background, &state)
      return true
    }
  }

  /// Starts the producer of a response's body, on the threads that have handled the request.
  func start(
    _ producer: @escaping ResponseBody.Stream.Producer, _ writer: BodyWriter,
    _ context: RequestContext
  ) -> Task<Void, Never> {
    let task = context.task ?? RequestTask(context, self)
    context.task = task
    state.withLock { $0.started += 1 }
    return task.start(producer, writer)
  }

  /// Whether requests of any lane wait for a thread.
  func hasWaiting(_ pool: Pool.Name) -> Bool { state.withLock { !$0[pool].order.isEmpty } }

  /// Ends a request; `nil` for a response that is not needed.
  func finish(_ task: RequestTask, _ response: HTTPResponse?) {
    state.withLock { $0.started -= 1 }
    guard let response, let work = task.work, !task.context.isCanceled else { return }
    completion(
      CompletedResponse(
        connectionID: work.connectionID, task: task, response: response))
  }
}

// MARK: Merging

extension RequestQueue {
  /// Removes the waiting requests of a lane that may be merged with a run, and waits for them as configured.
  func candidates(for served: ServedModel, in lane: String) -> [Job] {
    let count = served.maxBatchSize - 1
    guard served.batchDelay > .zero else { return takeShare(count, of: lane) }
    var jobs = takeUnstarted(count, of: lane)
    let deadline = ContinuousClock.now + served.batchDelay
    while jobs.count < count {
      let remaining = ContinuousClock.now.duration(to: deadline)
      guard remaining > .zero, collect(in: lane, for: remaining) else { break }
      jobs += takeUnstarted(count - jobs.count, of: lane)
    }
    return jobs
  }

  /// Removes waiting requests of a lane: at most as many as each thread gets if those that can run the lane share all requests.
  ///
  /// A thread that takes all of them leaves none for another one that is done shortly afterwards, which then runs the few that
  /// arrive until then, again and again: clients send their next requests when they have the answers.
  private func takeShare(_ count: Int, of lane: String) -> [Job] {
    state.withLock { state in
      let others = state.foreground.running.values.count { $0.lane != lane && !$0.isStalled }
      let threads = max(1, limits.workerThreads - others)
      let waiting = state.foreground.lanes[lane]?.waiting.unstartedCount ?? 0
      // Those that have started include the one that the others are merged with.
      let share = (state.started + waiting + threads - 1) / threads
      return state.takeUnstarted(min(count, max(0, share - 1)), of: lane)
    }
  }

  private func takeUnstarted(_ count: Int, of lane: String) -> [Job] {
    state.withLock { $0.takeUnstarted(count, of: lane) }
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

extension Duration {
  fileprivate var dispatchInterval: DispatchTimeInterval {
    .nanoseconds(
      Int(clamping: components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000))
  }
}
