import Foundation

extension Quantity {
  /// A value with its unit.
  func text(_ value: Double) -> String {
    switch self {
    case .time: value < 1000 ? "\(value.significant) µs" : "\((value / 1000).significant) ms"
    case .peakMemory: "\(value.significant) MB"
    case .idleProcessor: "\(value.significant) %"
    }
  }
}

extension Double {
  /// The number with three digits that count, and no zeros at its end.
  var significant: String {
    let digits = self < 1 ? 3 : self < 10 ? 2 : self < 100 ? 1 : 0
    let text = String(format: "%.\(digits)f", self)
    guard text.contains(".") else { return text }
    return String(text.reversed().drop { $0 == "0" }.drop { $0 == "." }.reversed())
  }
}
