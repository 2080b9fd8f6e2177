/// Values in order: a list, a tuple, a range, or a view of a mapping.
///
/// A template cannot change a list, so that all of them are arrays.
struct TemplateList {
  /// The type of Python.
  enum Kind: Hashable {
    case list, tuple
    case range(start: Int128, end: Int128, step: Int128)
    case keys, values, items
    /// A pair that `groupby` makes, whose elements are also the attributes `grouper` and `list`.
    case group
  }

  let elements: [TemplateValue]
  let kind: Kind
  /// The number of values in one another, at least 1.
  let depth: Int

  /// Creates a list.
  init(_ elements: [TemplateValue], _ kind: Kind = .list) {
    (self.elements, self.kind) = (elements, kind)
    depth = 1 + elements.reduce(0) { max($0, $1.depth) }
  }

  /// Whether `[…]` works.
  var isSequence: Bool {
    switch kind {
    case .list, .tuple, .range, .group: true
    case .keys, .values, .items: false
    }
  }

  /// Whether the list is a tuple.
  var isTuple: Bool { kind == .tuple || kind == .group }
}

extension TemplateList {
  /// Whether the list is a range.
  var isRange: Bool { if case .range = kind { true } else { false } }

  /// Whether `<` compares the elements.
  var isOrdered: Bool { isSequence && !isRange }
}
