import Testing

@testable import TensorIOServer

/// The ways to wait tell the same.
@Suite struct PollerTests {
  @Test func `the portable way tells what can be read, as long as that is wanted`() throws {
    let (poller, pipe) = (try PollPoller(), try WakePipe())
    #expect(poller.add(pipe.output, 7, .read))
    #expect(poller.wait(milliseconds: 0).isEmpty)
    pipe.wake()
    let events = poller.wait(milliseconds: 1000)
    #expect(events.map(\.id) == [7] && events[0].isReadable && !events[0].isBroken)
    poller.change(pipe.output, 7, [])
    #expect(poller.wait(milliseconds: 0).isEmpty)
    poller.change(pipe.output, 7, .read)
    pipe.clear()
    #expect(poller.wait(milliseconds: 0).isEmpty)
    pipe.wake()
    poller.remove(pipe.output, 7)
    #expect(poller.wait(milliseconds: 0).isEmpty)
  }

  @Test func `so does the way of this system`() throws {
    let (poller, pipe) = (try Poller(), try WakePipe())
    #expect(poller.add(pipe.output, 7, .read))
    #expect(poller.wait(milliseconds: 0).isEmpty)
    pipe.wake()
    let events = poller.wait(milliseconds: 1000)
    #expect(events.map(\.id) == [7] && events[0].isReadable && !events[0].isBroken)
    poller.change(pipe.output, 7, [])
    #expect(poller.wait(milliseconds: 0).isEmpty)
    poller.change(pipe.output, 7, .read)
    poller.remove(pipe.output, 7)
    #expect(poller.wait(milliseconds: 0).isEmpty)
  }
}
