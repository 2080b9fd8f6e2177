import Dispatch
import Synchronization
package import TensorIOCore

/// Delivers the frames of a source to their consumer.
package protocol FrameFeed {
  /// Returns the next frame, or `nil` at the end.
  mutating func next() throws(OperationError) -> VideoFrame?
  /// The number of frames received from the source so far.
  var receivedCount: Int { get }
}

/// Returns the current time in seconds since an arbitrary origin.
package typealias SecondsClock = @Sendable () -> Double

/// A feed that delivers every frame in order.
///
/// If the source has a frame rate, frames have the times of the video.
package struct SequentialFrameFeed: FrameFeed {
  package private(set) var receivedCount = 0
  private var source: any FrameSource
  private let clock: SecondsClock
  private var start: Double?

  package init(of source: any FrameSource, clock: @escaping SecondsClock) {
    (self.source, self.clock) = (source, clock)
  }

  package mutating func next() throws(OperationError) -> VideoFrame? {
    guard let image = try source.next() else { return nil }
    defer { receivedCount += 1 }
    let now = clock()
    let start = start ?? now
    self.start = start
    let time = source.frameRate.map { Double(receivedCount) / $0 } ?? now - start
    return VideoFrame(number: receivedCount, time: time, image: image)
  }
}

/// A feed that delivers the latest frame and drops those that arrived before it.
package final class LatestFrameFeed: FrameFeed, Sendable {
  private struct State {
    var latest: VideoFrame?
    var count = 0
    var end: Result<Void, OperationError>?
  }

  private let state = Mutex(State())
  private let frameAvailable = DispatchSemaphore(value: 0)

  /// Starts reading the source on a separate thread.
  package init(of source: any FrameSource, clock: @escaping SecondsClock) {
    let start = clock()
    DispatchQueue(label: "tensorio.frames").async { [self] in
      var source = source
      let end = Result { () throws(OperationError) in
        while let image = try source.next() { put(image, at: clock() - start) }
      }
      state.withLock { $0.end = end }
      frameAvailable.signal()
    }
  }

  package var receivedCount: Int { state.withLock { $0.count } }

  package func next() throws(OperationError) -> VideoFrame? {
    while true {
      let (frame, end) = state.withLock { state in
        defer { state.latest = nil }
        return (state.latest, state.end)
      }
      if let frame { return frame }
      if let end {
        try end.get()
        return nil
      }
      frameAvailable.wait()
    }
  }

  private func put(_ image: FrameImage, at time: Double) {
    state.withLock { state in
      state.latest = VideoFrame(number: state.count, time: time, image: image)
      state.count += 1
    }
    frameAvailable.signal()
  }
}

/// Limits the frame rate: rejects frames that follow an accepted frame too soon.
package struct FrameRateLimiter: Sendable {
  /// The tolerance for rounded frame times, in seconds.
  private static let tolerance = 1e-6

  /// The minimum number of seconds between two accepted frames.
  let minInterval: Double
  private var last: Double?

  package init(minInterval: Double = 0) {
    self.minInterval = minInterval
  }

  /// Returns whether to process the frame at `time`, in seconds.
  package mutating func accepts(_ time: Double) -> Bool {
    if let last, time - last < minInterval - Self.tolerance { return false }
    last = time
    return true
  }

  /// Returns the rate of accepted frames for a constant input rate.
  package func outputRate(forInputRate rate: Double) -> Double {
    rate / max(1, (minInterval * rate - Self.tolerance * rate).rounded(.up))
  }
}
