extension UnownedJob {
  /// Runs the job, which has not run yet, on the calling thread, until its task is done or waits.
  func run(on executor: some TaskExecutor) {
    unsafe runSynchronously(on: executor.asUnownedTaskExecutor())
  }
}
