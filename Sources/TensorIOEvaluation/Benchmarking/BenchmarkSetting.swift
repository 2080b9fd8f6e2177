/// One way of running a model.
public struct BenchmarkSetting: Sendable, Hashable {
  /// How many threads one run may use.
  public var threads: Int
  /// How many callers run the model at the same time, each in a session of its own.
  public var concurrency: Int
  /// How many items go through the model in one run.
  public var batch: Int

  /// A way of running a model.
  public init(threads: Int, concurrency: Int = 1, batch: Int = 1) {
    (self.threads, self.concurrency, self.batch) = (threads, concurrency, batch)
  }

  /// All ways that some numbers make up together, each once.
  public static func all(
    threads: [Int], concurrency: [Int] = [1], batches: [Int] = [1]
  ) -> [BenchmarkSetting] {
    var known: Set<BenchmarkSetting> = []
    return threads.flatMap { threads in
      concurrency.flatMap { concurrency in
        batches.map { BenchmarkSetting(threads: threads, concurrency: concurrency, batch: $0) }
      }
    }.filter { known.insert($0).inserted }
  }
}
