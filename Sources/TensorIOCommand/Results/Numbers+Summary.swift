internal import TensorIOCore

extension Numbers {
  /// What many numbers are like: their shape, and from where to where they go.
  ///
  ///     1 × 9 × 9 × 17 numbers from -12.25 to 4.5
  var summary: String {
    let sides = shape.isEmpty ? [count] : shape
    return sides.map(String.init).joined(separator: " × ") + " numbers" + range
  }

  private var range: String {
    let finite = (0..<count).filter { self[$0].isFinite }
    guard let least = finite.min(by: { self[$0] < self[$1] }),
      let most = finite.max(by: { self[$0] < self[$1] })
    else { return count > 0 ? ", none of them finite" : "" }
    let missing = count - finite.count
    let (texts, note) = (texts, missing > 0 ? ", \(missing) of them not finite" : "")
    return " from \(texts[least]) to \(texts[most])\(note)"
  }
}

extension Numbers {
  /// The numbers as texts, as short as they can be; what is not finite is empty.
  var finiteTexts: [String] {
    switch elements {
    case .floats(let values): values.map { $0.isFinite ? "\($0)" : "" }
    case .doubles(let values): values.map { $0.isFinite ? "\($0)" : "" }
    case .integers, .booleans: texts
    }
  }

  /// The numbers as texts, as short as they can be.
  var texts: [String] {
    switch elements {
    case .floats(let values): values.map { "\($0)" }
    case .doubles(let values): values.map { "\($0)" }
    case .integers(let values): values.map { "\($0)" }
    case .booleans(let values): values.map { "\($0)" }
    }
  }
}
