import Synchronization
import TensorIOTestSupport
import Testing

@testable import TensorIOServer

/// The buffer between requests and the reader of the log.
@Suite(.ownThreads) struct LogWriterTests {
  /// A stream whose reader can stop and fail.
  private final class Stream: Sendable {
    let gate = TestGate()
    private let state = Mutex<(bytes: [UInt8], capacity: Int, attempts: Int)>(([], .max, 0))

    /// Accepts bytes up to the capacity, once the gate is open.
    func write(_ bytes: [UInt8]) -> Int {
      state.withLock { $0.attempts += 1 }
      gate.wait()
      return state.withLock { state in
        let count = min(bytes.count, state.capacity)
        state.bytes += bytes[..<count]
        if state.capacity < .max { state.capacity -= count }
        return count
      }
    }

    func setCapacity(_ count: Int) { state.withLock { $0.capacity = count } }

    var attempts: Int { state.withLock(\.attempts) }
    var text: String { String(decoding: state.withLock(\.bytes), as: UTF8.self) }
    var lines: [String] { text.split(separator: "\n").map(String.init) }
  }

  private func writer(_ stream: Stream, maxBytes: Int = LogWriter.defaultMaxBytes) throws
    -> LogWriter
  {
    try #require(
      LogWriter(maxBytes: maxBytes, write: { stream.write($0) }) { Array("\($0) dropped\n".utf8) })
  }

  private func line(_ number: Int) -> [UInt8] { Array("line \(number)\n".utf8) }

  @Test(.hangGuard) func `Lines are written in order and none is lost`() throws {
    let stream = Stream()
    stream.gate.open()
    let writer = try writer(stream)
    for number in 0..<5000 { writer.append(line(number)) }
    writer.close(within: .seconds(60))
    #expect(stream.lines == (0..<5000).map { "line \($0)" })
    #expect(writer.droppedLines == 0)
  }

  @Test(.hangGuard) func `A reader that stalls does not block, and dropped lines are reported`()
    async throws
  {
    let stream = Stream()
    let writer = try writer(stream, maxBytes: 10_000)
    writer.append(line(0))
    try await waitUntil { stream.attempts > 0 }
    for number in 1...1000 { writer.append(line(number)) }
    let dropped = writer.droppedLines
    #expect(dropped > 800 && dropped < 1000)
    stream.gate.open()
    let kept = 1001 - dropped
    try await waitUntil { stream.lines.count > kept }
    writer.append(line(2000))
    writer.close(within: .seconds(60))
    #expect(
      stream.lines == (0..<kept).map { "line \($0)" } + ["\(dropped) dropped", "line 2000"])
    #expect(writer.droppedLines == dropped)
  }

  @Test(.hangGuard) func `Lines that a stream does not take are counted, and lines stay whole`()
    async throws
  {
    let stream = Stream()
    stream.gate.open()
    let writer = try writer(stream)
    // The second line is cut off.
    stream.setCapacity(10)
    writer.append(line(1))
    try await waitUntil { !stream.lines.isEmpty }
    writer.append(line(2))
    try await waitUntil { writer.droppedLines > 0 }
    stream.setCapacity(.max)
    writer.append(line(3))
    writer.close(within: .seconds(60))
    #expect(stream.lines == ["line 1", "lin", "1 dropped", "line 3"])
  }

  @Test(.hangGuard) func `A stream that has failed is tried once in a while`() async throws {
    let stream = Stream()
    stream.gate.open()
    stream.setCapacity(0)
    let writer = try writer(stream)
    writer.append(line(0))
    try await waitUntil { writer.droppedLines > 0 }
    for number in 1...1000 { writer.append(line(number)) }
    writer.close(within: .seconds(60))
    #expect(writer.droppedLines == 1001)
    #expect(stream.attempts < 10)
    #expect(stream.text.isEmpty)
  }

  @Test(.hangGuard) func `Closing does not wait for a reader that stalls`() throws {
    let stream = Stream()
    let writer = try writer(stream)
    writer.append(line(0))
    writer.close(within: .milliseconds(50))
    writer.append(line(1))
    #expect(writer.droppedLines == 1)
    stream.gate.open()
  }
}
