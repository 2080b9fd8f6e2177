import Dispatch
import Synchronization
import TensorIOSystem

/// Samples the memory use of the process at regular intervals.
///
///     let sampler = MemorySampler()
///     sampler.start()
///     _ = try model.run(image)
///     sampler.stop()
///     print(sampler.peakBytes ?? 0)
///
/// Samples are taken at the start, at the stop, and after each interval in between.
public final class MemorySampler: Sendable {
  private struct State {
    var isRunning = false
    /// The number of starts, which identifies and invalidates the timers of earlier starts.
    var generation = 0
    var samples: Samples?

    mutating func sample() {
      guard let bytes = ProcessMemory.residentBytes else { return }
      var samples = samples ?? Samples(first: bytes, last: bytes, peak: bytes)
      samples.count += 1
      samples.last = bytes
      samples.peak = max(samples.peak, bytes)
      self.samples = samples
    }
  }

  /// A summary of the samples between a start and a stop.
  public struct Samples: Sendable, Hashable {
    /// The number of samples.
    public fileprivate(set) var count = 0
    /// The first sample, in bytes.
    public let first: Int
    /// The last sample, in bytes.
    public fileprivate(set) var last: Int
    /// The largest sample, in bytes.
    public fileprivate(set) var peak: Int
  }

  /// The time between two samples.
  public let interval: Duration
  private let state = Mutex(State())
  private let queue = DispatchQueue(label: "tensorio.memory")

  /// Creates a stopped sampler.
  public init(interval: Duration = .milliseconds(100)) {
    self.interval = interval
  }

  deinit { stop() }

  /// The resident memory of the process, in bytes; `nil` if the system does not report it.
  public static var residentBytes: Int? { ProcessMemory.residentBytes }

  /// The samples since the last start; `nil` before the first.
  public var samples: Samples? { state.withLock { $0.samples } }

  /// The largest sample since the last start, in bytes; `nil` before the first.
  public var peakBytes: Int? { samples?.peak }

  /// Discards all samples and starts sampling, or restarts if the sampler is running.
  public func start() {
    let generation = state.withLock { state in
      state.isRunning = true
      state.generation &+= 1
      state.samples = nil
      state.sample()
      return state.generation
    }
    schedule(generation)
  }

  /// Takes a last sample and stops; does nothing if the sampler is not running.
  public func stop() {
    state.withLock { state in
      guard state.isRunning else { return }
      state.sample()
      state.isRunning = false
    }
  }

  /// Schedules the next sample.
  ///
  /// The timer does not retain the sampler.
  private func schedule(_ generation: Int) {
    let microseconds = min(max(1, interval.milliseconds * 1000), Self.maxInterval)
    queue.asyncAfter(deadline: .now() + .microseconds(Int(microseconds))) { [weak self] in
      self?.tick(generation)
    }
  }

  /// One day in microseconds.
  private static let maxInterval = 86_400e6

  private func tick(_ generation: Int) {
    let goesOn = state.withLock { state in
      guard state.isRunning, state.generation == generation else { return false }
      state.sample()
      return true
    }
    if goesOn { schedule(generation) }
  }
}
