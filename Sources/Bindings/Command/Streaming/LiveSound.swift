import Synchronization
import TensorIOCore
import TensorIOSystem

/// Sound that is read in the background while a model listens to what arrived before.
final class LiveSound: Sendable {
  private struct State {
    var samples: [Float] = []
    var isEnded = false
    var error: OperationError?
  }

  private let state = Mutex(State())
  private let stopped = Atomic(false)

  /// The time between two looks for new sound.
  private static let interval = Duration.milliseconds(20)

  /// Starts to read a source.
  ///
  /// - Parameters:
  ///   - name: A file, `microphone`, or `-` for standard input.
  ///   - sampleRate: The rate of the model.
  ///   - console: The console of the command.
  ///   - isCancelled: Whether the recording ends.
  init(
    _ name: String, sampleRate: Int, _ console: Console,
    isCancelled: @escaping @Sendable () -> Bool
  ) {
    BackgroundThread.start { [self] in
      do throws(OperationError) {
        var source = try SoundSource(
          StreamSource(name, size: nil), format: nil, sampleRate: sampleRate, isPaced: false,
          console
        ) { isCancelled() || self.stopped.load(ordering: .sequentiallyConsistent) }
        var block: [Float] = []
        while try source.read(to: &block) {
          state.withLock { $0.samples += block }
          block.removeAll(keepingCapacity: true)
        }
        state.withLock { $0.isEnded = true }
      } catch {
        state.withLock { ($0.isEnded, $0.error) = (true, error) }
      }
    }
  }

  /// Waits for sound, and returns it; `nil` at the end.
  ///
  /// - Throws: The error of the source.
  func next() throws(OperationError) -> [Float]? {
    while true {
      let (samples, isEnded, error) = state.withLock { state in
        defer { state.samples = [] }
        return (state.samples, state.isEnded, state.error)
      }
      if !samples.isEmpty { return samples }
      if let error { throw error }
      guard !isEnded else { return nil }
      BlockingSleep.sleep(Self.interval)
    }
  }

  /// Ends the reading.
  func stop() { stopped.store(true, ordering: .sequentiallyConsistent) }
}
