import Dispatch
import Synchronization
package import TensorIOCore

/// Gives the frames of a source to whoever works on them.
package protocol FrameFeed {
  /// The next frame; `nil` when there are no more.
  mutating func next() throws(OperationError) -> VideoFrame?
  /// How many frames have come from the source so far.
  var receivedCount: Int { get }
}

/// Says what time it is, in seconds from whenever.
package typealias SecondsClock = @Sendable () -> Double

/// Every frame, each when there is time for it.
///
/// Where the source knows its rate, the frames have the times of the video.
package struct SequentialFrameFeed: FrameFeed {
  package private(set) var receivedCount = 0
  private var source: any FrameSource
  private let clock: SecondsClock
  private var start: Double?

  package init(of source: any FrameSource, clock: @escaping SecondsClock) {
    (self.source, self.clock) = (source, clock)
  }

  package mutating func next() throws(OperationError) -> VideoFrame? {
    guard let picture = try source.next() else { return nil }
    defer { receivedCount += 1 }
    let now = clock()
    let start = start ?? now
    self.start = start
    let time = source.frameRate.map { Double(receivedCount) / $0 } ?? now - start
    return VideoFrame(number: receivedCount, time: time, image: picture)
  }
}

/// The frame that came last, whenever there is time for one; those that came before are missed.
package final class LatestFrameFeed: FrameFeed, Sendable {
  private struct State {
    var latest: VideoFrame?
    var count = 0
    var end: Result<Void, OperationError>?
  }

  private let state = Mutex(State())
  private let frameAvailable = DispatchSemaphore(value: 0)

  /// Begins to read the source on a thread of its own.
  package init(of source: any FrameSource, clock: @escaping SecondsClock) {
    let start = clock()
    DispatchQueue(label: "tensorio.frames").async { [self] in
      var source = source
      let end = Result { () throws(OperationError) in
        while let picture = try source.next() { put(picture, at: clock() - start) }
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

  private func put(_ picture: FrameImage, at time: Double) {
    state.withLock { state in
      state.latest = VideoFrame(number: state.count, time: time, image: picture)
      state.count += 1
    }
    frameAvailable.signal()
  }
}

/// Which frames are taken of those that come: not those that come too soon after one that was.
package struct FrameRateLimiter: Sendable {
  /// So much may be missing, since times are rounded.
  private static let tolerance = 1e-6

  /// The seconds between two frames that are taken, at least.
  let minInterval: Double
  private var last: Double?

  package init(minInterval: Double = 0) {
    self.minInterval = minInterval
  }

  /// Whether the frame that comes at a time, in seconds, is taken.
  package mutating func accepts(_ time: Double) -> Bool {
    if let last, time - last < minInterval - Self.tolerance { return false }
    last = time
    return true
  }

  /// How many frames in a second are taken of so many that come.
  package func outputRate(forInputRate rate: Double) -> Double {
    rate / max(1, (minInterval * rate - Self.tolerance * rate).rounded(.up))
  }
}
