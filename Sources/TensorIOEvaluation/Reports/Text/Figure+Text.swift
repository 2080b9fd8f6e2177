internal import TensorIOCore

extension Figure {
  /// So many values of a figure are shown; the others are counted.
  private static let shownValues = 3

  /// The values as people read them, with their unit.
  var text: String {
    guard let first = values.first else { return Double.noNumber }
    guard values.count > 1 else { return unit.text(first) }
    let shown = values.prefix(Self.shownValues).map(unit.text).joined(separator: ", ")
    return values.count > Self.shownValues ? "\(shown), … (\(values.count))" : shown
  }
}

extension Figure.Unit {
  /// A value as people read it.
  func text(_ value: Double) -> String {
    switch self {
    case .share where value.isFinite: (value * 100).fixed(2) + " %"
    case .milliseconds where value.isFinite: value.fixed(3) + " ms"
    default: value.shortText
    }
  }
}

extension Double {
  /// What is shown in place of a number that is none.
  static let noNumber = "–"

  /// The number with about four digits that count.
  var shortText: String {
    guard isFinite else { return isNaN ? Self.noNumber : self > 0 ? "∞" : "-∞" }
    switch magnitude {
    case 0: return "0"
    case _ where self == rounded() && magnitude < 1e9: return fixed(0)
    case 1000..<1e9: return fixed(1)
    case 1..<1000: return fixed(3)
    case 1e-3..<1: return fixed(4)
    default: return scientificText
    }
  }

  private var scientificText: String {
    var (mantissa, power) = (self, 0)
    while mantissa.magnitude >= 10 { (mantissa, power) = (mantissa / 10, power + 1) }
    while mantissa.magnitude < 1 { (mantissa, power) = (mantissa * 10, power - 1) }
    return "\(mantissa.fixed(2))e\(power)"
  }
}
