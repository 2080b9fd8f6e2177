/// How many items are under way at the same time, and with how many threads each.
///
/// A few items get all threads one after the other, which is what answers soonest. Of many, each is
/// run by one thread, since threads that share a run wait for each other.
package struct Parallelism: Sendable, Equatable {
  /// The threads that read, decode and run items.
  package let workers: Int
  /// How many of them may run the model at the same time.
  package let sessions: Int
  /// How many threads each of those runs has.
  package let threads: Int

  /// More items than these are many.
  package static let few = 8

  /// The split of a number of processors; the threads of a run are what the user says.
  package init(items: Int, threads: Int?, processors: Int = ThreadCount.standard) {
    guard items > Self.few else {
      (workers, sessions) = (1, 1)
      self.threads = threads ?? processors
      return
    }
    self.threads = threads ?? 1
    sessions = max(1, processors / self.threads)
    workers = max(sessions, processors)
  }
}

extension Model.Options {
  /// The options for items that are run as a split says.
  package func split(_ parallelism: Parallelism) -> Model.Options {
    var options = self
    options.sessions = parallelism.sessions
    options.threads = parallelism.threads
    return options
  }

  /// The same threads for one run after the other.
  package var oneByOne: Model.Options {
    var options = self
    options.threads *= options.sessions
    options.sessions = 1
    return options
  }
}
