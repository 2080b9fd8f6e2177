import TensorIOSystem
import TensorIOTestSupport
import Testing

@Suite struct WaitQueueTests {
  @Test func `Elements leave in order, or at any time`() {
    var queue = WaitQueue<Int>()
    let tickets = (0..<5).map { queue.append($0) }
    #expect(queue.remove(tickets[0]) == 0 && queue.remove(tickets[2]) == 2)
    #expect(queue.remove(tickets[2]) == nil && queue.count == 3)
    #expect(queue.popFirst() == 1)
    #expect(queue.remove(tickets[1]) == nil)
    #expect(queue.popFirst { $0 > 3 } == nil && queue.popFirst { $0 == 3 } == 3)
    #expect(queue.popFirst() == 4 && queue.popFirst() == nil && queue.isEmpty)
  }

  @Test func `Any sequence of changes agrees with an array`() {
    var random = SeededGenerator(seed: 11)
    var queue = WaitQueue<Int>()
    var expected: [(ticket: WaitQueue<Int>.Ticket, value: Int)] = []
    for value in 0..<20_000 {
      switch Int.random(in: 0..<5, using: &random) {
      case 0, 1: expected.append((queue.append(value), value))
      case 2:
        guard let index = expected.indices.randomElement(using: &random) else { continue }
        let removed = expected.remove(at: index)
        #expect(queue.remove(removed.ticket) == removed.value)
      default:
        let first = expected.isEmpty ? nil : expected.removeFirst().value
        #expect(queue.popFirst() == first)
      }
      #expect(queue.count == expected.count)
    }
  }
}
