/// Those that wait for something, first come, first served, each of which can leave at any time, in constant time.
///
/// It is part of the state that a lock protects. An element is resumed by the code that has removed it, outside of the lock, and so only
/// once: when there is what it waits for, at its deadline, or when it is canceled.
package struct WaitQueue<Element> {
  /// The place of an element, with which it leaves.
  package struct Ticket: Sendable, Equatable {
    fileprivate let number: UInt64
  }

  private var elements: [UInt64: Element] = [:]
  /// The numbers of the first element, or one before it, and of the next that is added.
  private var (first, next): (UInt64, UInt64) = (0, 0)

  /// Creates an empty queue.
  package init() {}

  /// The number of elements.
  package var count: Int { elements.count }
  /// Whether nothing waits.
  package var isEmpty: Bool { elements.isEmpty }

  /// Adds an element at the end.
  package mutating func append(_ element: Element) -> Ticket {
    defer { next += 1 }
    elements[next] = element
    return Ticket(number: next)
  }

  /// Removes an element; returns `nil` if it has left already.
  package mutating func remove(_ ticket: Ticket) -> Element? {
    elements.removeValue(forKey: ticket.number)
  }

  /// Removes the first element; returns `nil` if there is none, or if it does not satisfy a condition.
  package mutating func popFirst(where condition: (Element) -> Bool = { _ in true }) -> Element? {
    while first < next {
      if let element = elements[first] {
        guard condition(element) else { return nil }
        elements[first] = nil
        first += 1
        return element
      }
      first += 1
    }
    return nil
  }
}

extension WaitQueue: Sendable where Element: Sendable {}
