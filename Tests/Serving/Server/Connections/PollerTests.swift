import TensorIOTestSupport
import Testing

@testable import TensorIOServer

/// Both pollers behave identically.
@Suite struct PollerTests {
  @Test func `The poll-based poller reports readable descriptors while they are watched`() throws {
    let (poller, pipe) = (try PollPoller(), try WakePipe())
    #expect(poller.add(pipe.readEnd, id: 7, interest: .read))
    #expect(poller.wait(timeoutMilliseconds: 0).isEmpty)
    pipe.wake()
    let events = poller.wait(timeoutMilliseconds: HangGuard.stepSeconds * 1000)
    #expect(events.map(\.id) == [7] && events[0].isReadable && !events[0].isError)
    poller.modify(pipe.readEnd, id: 7, interest: [])
    #expect(poller.wait(timeoutMilliseconds: 0).isEmpty)
    poller.modify(pipe.readEnd, id: 7, interest: .read)
    pipe.drain()
    #expect(poller.wait(timeoutMilliseconds: 0).isEmpty)
    pipe.wake()
    poller.remove(pipe.readEnd, id: 7)
    #expect(poller.wait(timeoutMilliseconds: 0).isEmpty)
  }

  @Test func `The system's poller reports readable descriptors while they are watched`() throws {
    let (poller, pipe) = (try Poller(), try WakePipe())
    #expect(poller.add(pipe.readEnd, id: 7, interest: .read))
    #expect(poller.wait(timeoutMilliseconds: 0).isEmpty)
    pipe.wake()
    let events = poller.wait(timeoutMilliseconds: HangGuard.stepSeconds * 1000)
    #expect(events.map(\.id) == [7] && events[0].isReadable && !events[0].isError)
    poller.modify(pipe.readEnd, id: 7, interest: [])
    #expect(poller.wait(timeoutMilliseconds: 0).isEmpty)
    poller.modify(pipe.readEnd, id: 7, interest: .read)
    poller.remove(pipe.readEnd, id: 7)
    #expect(poller.wait(timeoutMilliseconds: 0).isEmpty)
  }
}
