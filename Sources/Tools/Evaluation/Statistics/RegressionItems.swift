/// The errors of numbers over items, each of which may have several numbers.
struct RegressionItems: ItemMetric {
  /// The sums over the numbers of an item.
  struct Sums: Sendable {
    var count = 0.0
    var absolute = 0.0
    var squared = 0.0
    var signed = 0.0
    /// The sums of the correct numbers and of their squares, after a common number is subtracted.
    var groundTruth = (sum: 0.0, squares: 0.0)
    var maxAbsolute = 0.0

    /// Sums pairs of numbers; `origin` is subtracted from the correct ones, to avoid cancellation.
    init(_ pairs: [(predicted: Double, correct: Double)] = [], origin: Double = 0) {
      for (predicted, correct) in pairs {
        let error = predicted - correct
        (count, absolute, squared) = (count + 1, absolute + abs(error), squared + error * error)
        signed += error
        let number = correct - origin
        groundTruth = (groundTruth.sum + number, groundTruth.squares + number * number)
        maxAbsolute =
          error.isNaN || maxAbsolute.isNaN ? .nan : Swift.max(maxAbsolute, abs(error))
      }
    }

    fileprivate mutating func add(_ other: Sums, times weight: Double) {
      count += weight * other.count
      absolute += weight * other.absolute
      squared += weight * other.squared
      signed += weight * other.signed
      groundTruth.sum += weight * other.groundTruth.sum
      groundTruth.squares += weight * other.groundTruth.squares
      maxAbsolute =
        maxAbsolute.isNaN || other.maxAbsolute.isNaN
        ? .nan : Swift.max(maxAbsolute, other.maxAbsolute)
    }
  }

  private let items: [Sums]

  init(_ items: [Sums]) { self.items = items }

  var cost: Int { 7 * items.count }

  func reasonAgainstInterval(of name: String) -> String? {
    name == "max_error" ? "resamples never have a larger error than the largest one" : nil
  }

  func values(_ weights: [Int32]) -> [MetricValue] {
    var sums = Sums()
    for (index, weight) in weights.enumerated() where weight > 0 {
      sums.add(items[index], times: Double(weight))
    }
    guard sums.count > 0 else { return [] }
    return [
      .error("mae", sums.absolute / sums.count),
      .error("rmse", (sums.squared / sums.count).squareRoot()),
      sums.rSquared.map { MetricValue("r2", $0, direction: .higher) },
      .error("max_error", sums.maxAbsolute), MetricValue("bias", sums.signed / sums.count),
    ].compactMap(\.self)
  }

  func selecting(_ items: [Int]) -> any ItemMetric {
    RegressionItems(items.map { self.items[$0] })
  }
}

extension RegressionItems.Sums {
  /// The coefficient of determination, as ``RegressionMetric/rSquared``.
  fileprivate var rSquared: Double? {
    guard count > 1 else { return nil }
    let deviation = groundTruth.squares - groundTruth.sum * groundTruth.sum / count
    // A constant leaves only rounding errors.
    guard deviation > 1e-12 * groundTruth.squares else { return squared == 0 ? 1 : 0 }
    return 1 - squared / deviation
  }
}
