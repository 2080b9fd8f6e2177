import Dispatch
import Synchronization
import TensorIOSystem

/// Watches how much memory the process takes while it works.
///
///     let sampler = MemorySampler()
///     sampler.start()
///     _ = try model.run(picture)
///     sampler.stop()
///     print(sampler.maximum ?? 0)
///
/// A sample is taken at the start, at the stop, and in between whenever the interval is over.
public final class MemorySampler: Sendable {
  private struct State {
    var isRunning = false
    /// Which start the timer belongs to, so that one that was stopped does not go on.
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

  /// What was seen from a start to its stop.
  public struct Samples: Sendable, Hashable {
    /// How many there were.
    public fileprivate(set) var count = 0
    /// The first, in bytes.
    public let first: Int
    /// The last, in bytes.
    public fileprivate(set) var last: Int
    /// The largest, in bytes.
    public fileprivate(set) var peak: Int
  }

  /// How long the sampler waits between two samples.
  public let interval: Duration
  private let state = Mutex(State())
  private let queue = DispatchQueue(label: "tensorio.memory")

  /// A sampler that has not been started.
  public init(interval: Duration = .milliseconds(100)) {
    self.interval = interval
  }

  deinit { stop() }

  /// The memory that the process takes now, in bytes; `nil` where the system does not tell.
  public static var residentBytes: Int? { ProcessMemory.residentBytes }

  /// What has been seen since the last start; `nil` before the first.
  public var samples: Samples? { state.withLock { $0.samples } }

  /// The most memory that was seen since the last start, in bytes; `nil` before the first.
  public var peakBytes: Int? { samples?.peak }

  /// Forgets what was seen and begins to sample; a sampler that runs begins anew.
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

  /// Takes a last sample and ends; a sampler that does not run stays as it is.
  public func stop() {
    state.withLock { state in
      guard state.isRunning else { return }
      state.sample()
      state.isRunning = false
    }
  }

  /// The timer does not keep the sampler.
  private func schedule(_ generation: Int) {
    let microseconds = min(max(1, interval.milliseconds * 1000), Self.maxInterval)
    queue.asyncAfter(deadline: .now() + .microseconds(Int(microseconds))) { [weak self] in
      self?.tick(generation)
    }
  }

  /// A day, in microseconds.
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
