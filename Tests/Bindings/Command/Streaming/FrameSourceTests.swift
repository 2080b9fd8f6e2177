import Synchronization
import TensorIOCore
import TensorIOImage
import Testing

@testable import TensorIOStreaming

/// Tests of frame sources and feeds.
@Suite struct FrameSourceTests {
  private static let pixels = [UInt8](0..<24)
  private static let size = FrameSize(width: 4, height: 2)

  private func frames(_ source: some FrameSource) throws -> [FrameImage] {
    var source = source
    var frames: [FrameImage] = []
    while let frame = try source.next() { frames.append(frame) }
    return frames
  }

  /// The error after `count` frames.
  private func failure(_ source: some FrameSource, after count: Int) -> OperationError? {
    var source = source
    do throws(OperationError) {
      for _ in 0..<count { _ = try source.next() }
      _ = try source.next()
      return nil
    } catch {
      return error
    }
  }

  @Test func `Raw pixels are split into frames of a fixed size`() throws {
    let size = try #require(Self.size)
    let bytes = InMemoryStream(Self.pixels + Self.pixels.reversed())
    let frames = try frames(RawVideoSource(bytes, size: size, frameRate: nil)).map {
      try $0.image.pixels
    }
    #expect(frames == [Self.pixels, Self.pixels.reversed()])
  }

  @Test func `PPM frames have individual sizes`() throws {
    let small = Array("P6\n4 2\n255\n".utf8) + Self.pixels
    let tall = Array("P6 2\t4\r\n255 ".utf8) + Self.pixels
    let frames = try frames(PPMSource(InMemoryStream(small + tall + small), frameRate: nil))
    #expect(try frames.map { try $0.image.width } == [4, 2, 4])
    #expect(try frames.map { try $0.image.pixels } == [Self.pixels, Self.pixels, Self.pixels])
  }

  @Test(arguments: [
    "P5\n4 2\n255\n", "P6\n0 2\n255\n", "P6\n4 2\n65535\n", "P6\nfour 2\n255\n",
    "P6\n99999999999999999999 2\n255\n", "P6\n99999 99999\n255\n",
    "P6                                                                              4 2 255 ",
  ])
  func `An invalid PPM header is rejected`(_ header: String) {
    let bytes = InMemoryStream(Array(header.utf8) + Self.pixels)
    #expect(failure(PPMSource(bytes, frameRate: nil), after: 0)?.code == "invalid-frame")
  }

  @Test func `A truncated frame is an error after the complete frames`() throws {
    let size = try #require(Self.size)
    let cut = Self.pixels + Self.pixels.dropLast()
    let raw = failure(RawVideoSource(InMemoryStream(cut), size: size, frameRate: nil), after: 1)
    #expect(raw?.message == "the stream ends in frame 1 after 23 of 24 bytes")
    let header = Array("P6\n4 2\n255\n".utf8)
    let pixmap = header + Self.pixels + header + [1, 2]
    #expect(
      failure(PPMSource(InMemoryStream(pixmap), frameRate: nil), after: 1)?.code
        == "truncated-stream")
    let half = header + Self.pixels + header.prefix(5)
    #expect(
      failure(PPMSource(InMemoryStream(half), frameRate: nil), after: 1)?.code == "truncated-stream"
    )
  }

  @Test func `Frames have the times of the video, or their arrival times`() throws {
    let size = try #require(Self.size)
    let bytes = Self.pixels + Self.pixels + Self.pixels
    let now = Mutex(100.0)
    let clock: SecondsClock = {
      now.withLock { time in
        defer { time += 0.25 }; return time
      }
    }
    for (rate, times) in [(10.0, [0, 0.1, 0.2]), (nil, [0, 0.25, 0.5])] {
      var feed = SequentialFrameFeed(
        of: RawVideoSource(InMemoryStream(bytes), size: size, frameRate: rate), clock: clock)
      var found: [Double] = []
      while let frame = try feed.next() { found.append(frame.time) }
      #expect(found == times)
      #expect(feed.receivedCount == 3)
    }
  }

  @Test func `The latest frame is delivered and earlier ones are dropped`() throws {
    let source = GatedFrames(count: 100)
    let feed = LatestFrameFeed(of: source, clock: { 0 })
    source.release(40)
    while feed.receivedCount < 40 {}
    #expect(try feed.next()?.number == 39)
    source.release(60)
    while feed.receivedCount < 100 {}
    #expect(try feed.next()?.number == 99)
    #expect(try feed.next() == nil)
    #expect(feed.receivedCount == 100)
  }

  @Test func `An error of the source is thrown by the feed`() throws {
    let size = try #require(Self.size)
    let feed = LatestFrameFeed(
      of: RawVideoSource(InMemoryStream([1, 2, 3]), size: size, frameRate: nil), clock: { 0 })
    #expect(throws: OperationError.truncatedStream(inFrame: 0, received: 3, expected: 24)) {
      try feed.next()
    }
  }
}

/// A source that delivers frames when the test releases them.
private final class GatedFrames: FrameSource {
  let frameRate: Double? = nil
  private let state: Mutex<(open: Int, delivered: Int)> = Mutex((0, 0))
  private let count: Int

  init(count: Int) { self.count = count }

  /// Releases more frames.
  func release(_ more: Int) { state.withLock { $0.open += more } }

  func next() -> FrameImage? {
    while true {
      let (isOpen, isOver) = state.withLock { state in
        let isOpen = state.delivered < state.open
        if isOpen { state.delivered += 1 }
        return (isOpen, state.delivered == count && !isOpen)
      }
      if isOpen { return .jpeg([]) }
      if isOver { return nil }
    }
  }
}
