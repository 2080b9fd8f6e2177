/// Values that can be taken once, as filters such as `map` and `select` return them.
final class TemplateIterator {
  private let elements: [TemplateValue]
  private var position = 0
  /// The number of values in one another, at least 1.
  let depth: Int

  /// Creates an iterator.
  init(_ elements: [TemplateValue]) {
    self.elements = elements
    depth = TemplateList(elements).depth
  }

  /// Takes the next element.
  func next() -> TemplateValue? {
    guard position < elements.count else { return nil }
    position += 1
    return elements[position - 1]
  }

  /// Takes all elements that are left.
  func takeAll() -> [TemplateValue] {
    let rest = position == 0 ? elements : Array(elements[position...])
    position = elements.count
    return rest
  }
}
