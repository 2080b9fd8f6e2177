/// The variable `loop` of a `for` loop.
final class TemplateLoop {
  /// The elements of the loop.
  let list: TemplateList
  /// The position of the present element.
  var index = 0
  /// The values of the last call of `changed`.
  var lastChanged: TemplateValue?

  /// Creates the variable for elements.
  init(_ list: TemplateList) { self.list = list }

  /// Returns an attribute, or `nil` if there is none.
  func attribute(_ name: TemplateText) -> TemplateValue? {
    let count = list.elements.count
    switch name {
    case "index": return .integer(Int128(index + 1))
    case "index0": return .integer(Int128(index))
    case "revindex": return .integer(Int128(count - index))
    case "revindex0": return .integer(Int128(count - index - 1))
    case "first": return .bool(index == 0)
    case "last": return .bool(index == count - 1)
    case "length": return .integer(Int128(count))
    // Only recursive loops, which are not supported, are deeper.
    case "depth": return .integer(1)
    case "depth0": return .integer(0)
    case "previtem": return index > 0 ? list.elements[index - 1] : .undefined(name)
    case "nextitem": return index + 1 < count ? list.elements[index + 1] : .undefined(name)
    default: return nil
    }
  }
}
