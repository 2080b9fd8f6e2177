/// A priority queue of elements, smallest first.
struct MinHeap<Element: Comparable> {
  private var elements: [Element] = []

  /// Adds an element.
  mutating func insert(_ element: Element) {
    elements.append(element)
    var index = elements.count - 1
    while index > 0 {
      let parent = (index - 1) / 2
      guard elements[index] < elements[parent] else { return }
      elements.swapAt(index, parent)
      index = parent
    }
  }

  /// Removes and returns the smallest element, or returns `nil` if there is none.
  mutating func popMin() -> Element? {
    guard let last = elements.popLast() else { return nil }
    guard let first = elements.first else { return last }
    elements[0] = last
    var index = 0
    while true {
      var smallest = index
      for child in 2 * index + 1..<2 * index + 3
      where child < elements.count && elements[child] < elements[smallest] {
        smallest = child
      }
      if smallest == index { return first }
      elements.swapAt(index, smallest)
      index = smallest
    }
  }
}
