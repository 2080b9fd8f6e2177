/// A priority queue of places with ranks: the lowest rank first, and of equal ones the leftmost place.
struct MinHeap {
  /// The ranks and places, each in one number.
  private var elements: [UInt64] = []

  private static func element(_ rank: UInt32, _ place: Int) -> UInt64 {
    UInt64(rank) << 32 | UInt64(UInt32(truncatingIfNeeded: place))
  }

  /// Adds a place, before the first one is removed.
  mutating func append(_ place: Int, rank: UInt32) { elements.append(Self.element(rank, place)) }

  /// Orders the places that were appended.
  mutating func order() {
    for index in (0..<elements.count / 2).reversed() { siftDown(elements[index], from: index) }
  }

  /// Adds a place.
  mutating func insert(_ place: Int, rank: UInt32) {
    let element = Self.element(rank, place)
    elements.append(element)
    var index = elements.count - 1
    while index > 0 {
      let parent = (index - 1) / 2
      guard element < elements[parent] else { break }
      elements[index] = elements[parent]
      index = parent
    }
    elements[index] = element
  }

  /// Removes and returns the first place and its rank, or returns `nil` if there is none.
  mutating func popMin() -> (place: Int, rank: UInt32)? {
    guard let last = elements.popLast() else { return nil }
    let first = elements.first ?? last
    if !elements.isEmpty { siftDown(last, from: 0) }
    return (Int(UInt32(truncatingIfNeeded: first)), UInt32(first >> 32))
  }

  /// Puts an element in place of another one, or further down.
  private mutating func siftDown(_ element: UInt64, from start: Int) {
    var elements = elements.mutableSpan
    var index = start
    while true {
      var child = 2 * index + 1
      guard child < elements.count else { break }
      if child + 1 < elements.count, elements[child + 1] < elements[child] { child += 1 }
      guard elements[child] < element else { break }
      elements[index] = elements[child]
      index = child
    }
    elements[index] = element
  }
}
