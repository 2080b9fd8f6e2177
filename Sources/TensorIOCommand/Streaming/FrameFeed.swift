import TensorIOCore
internal import Dispatch
internal import Synchronization

/// Gives the frames of a source to whoever works on them.
protocol FrameFeed {
  /// The next frame; `nil` when there are no more.
  mutating func next() throws(CommandFailure) -> Frame?
  /// How many frames have come from the source so far.
  var count: Int { get }
}

/// Says what time it is, in seconds from whenever.
typealias Clock = @Sendable () -> Double

/// Every frame, each when there is time for it.
///
/// Where the source knows its rate, the frames have the times of the video.
struct EveryFrame: FrameFeed {
  private(set) var count = 0
  private var source: any FrameSource
  private let clock: Clock
  private var start: Double?

  init(of source: any FrameSource, clock: @escaping Clock) {
    (self.source, self.clock) = (source, clock)
  }

  mutating func next() throws(CommandFailure) -> Frame? {
    guard let picture = try source.next() else { return nil }
    defer { count += 1 }
    let now = clock()
    let start = start ?? now
    self.start = start
    let time = source.rate.map { Double(count) / $0 } ?? now - start
    return Frame(number: count, time: time, picture: picture)
  }
}

/// The frame that came last, whenever there is time for one; those that came before are missed.
final class LatestFrame: FrameFeed, Sendable {
  private struct State {
    var latest: Frame?
    var count = 0
    var end: Result<Void, CommandFailure>?
  }

  private let state = Mutex(State())
  private let news = DispatchSemaphore(value: 0)

  /// Begins to read the source on a thread of its own.
  init(of source: any FrameSource, clock: @escaping Clock) {
    let start = clock()
    DispatchQueue(label: "tensorio.frames").async { [self] in
      var source = source
      let end = Result { () throws(CommandFailure) in
        while let picture = try source.next() { put(picture, at: clock() - start) }
      }
      state.withLock { $0.end = end }
      news.signal()
    }
  }

  var count: Int { state.withLock { $0.count } }

  func next() throws(CommandFailure) -> Frame? {
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
      news.wait()
    }
  }

  private func put(_ picture: FramePicture, at time: Double) {
    state.withLock { state in
      state.latest = Frame(number: state.count, time: time, picture: picture)
      state.count += 1
    }
    news.signal()
  }
}
