import TensorIOTestSupport
import Testing

@testable import TensorIOServer

/// Both pollers behave identically.
@Suite struct PollerTests {
  @Test func `The poll-based poller reports readable descriptors while they are watched`() throws {
    let (poller, signal) = (try PollPoller(), try WakeSignal())
    #expect(poller.add(signal.descriptor, id: 7, interest: .read))
    #expect(poller.wait(timeoutMilliseconds: 0).isEmpty)
    signal.wake()
    let events = poller.wait(timeoutMilliseconds: HangGuard.stepSeconds * 1000)
    #expect(events.map(\.id) == [7] && events[0].isReadable && !events[0].isError)
    poller.modify(signal.descriptor, id: 7, interest: [])
    #expect(poller.wait(timeoutMilliseconds: 0).isEmpty)
    poller.modify(signal.descriptor, id: 7, interest: .read)
    signal.reset()
    #expect(poller.wait(timeoutMilliseconds: 0).isEmpty)
    signal.wake()
    poller.remove(signal.descriptor, id: 7)
    #expect(poller.wait(timeoutMilliseconds: 0).isEmpty)
  }

  @Test func `The system's poller reports readable descriptors while they are watched`() throws {
    let (poller, signal) = (try Poller(), try WakeSignal())
    #expect(poller.add(signal.descriptor, id: 7, interest: .read))
    #expect(poller.wait(timeoutMilliseconds: 0).isEmpty)
    signal.wake()
    let events = poller.wait(timeoutMilliseconds: HangGuard.stepSeconds * 1000)
    #expect(events.map(\.id) == [7] && events[0].isReadable && !events[0].isError)
    poller.modify(signal.descriptor, id: 7, interest: [])
    #expect(poller.wait(timeoutMilliseconds: 0).isEmpty)
    poller.modify(signal.descriptor, id: 7, interest: .read)
    poller.remove(signal.descriptor, id: 7)
    #expect(poller.wait(timeoutMilliseconds: 0).isEmpty)
  }
}
