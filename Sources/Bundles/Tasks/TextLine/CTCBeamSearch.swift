import TensorIOSystem

/// Finds the most probable text of scores by following several texts from column to column.
///
/// The probability of a text is the sum over all paths of classes that give it, which the best path alone can underestimate.
struct CTCBeamSearch {
  private let scores: [Float]
  private let columns: Int
  private let classes: Int
  private let blank: Int
  private let isProbability: Bool
  private let width: Int

  /// The number of classes of a column that continue a text.
  private static let maxContinuations = 8
  /// The probability below which a class continues no text.
  private static let minProbability = 1e-4

  init(
    _ scores: [Float], columns: Int, classes: Int, blank: Int, isProbability: Bool, width: Int
  ) {
    (self.scores, self.columns, self.classes, self.blank) = (scores, columns, classes, blank)
    (self.isProbability, self.width) = (isProbability, width)
  }

  /// The probabilities of the paths of a text that end with the blank and with its last class.
  private struct Mass {
    var blank = 0.0
    var symbol = 0.0
    var sum: Double { blank + symbol }
  }

  /// The classes of the most probable text.
  var bestPath: [Int] {
    var beams: [[Int]: Mass] = [[]: Mass(blank: 1)]
    for column in 0..<columns {
      var next: [[Int]: Mass] = [:]
      let (blankProbability, continuations) = probabilities(of: column)
      for (text, mass) in beams {
        next[text, default: Mass()].blank += mass.sum * blankProbability
        for (index, probability) in continuations {
          if index == text.last {
            next[text, default: Mass()].symbol += mass.symbol * probability
            next[text + [index], default: Mass()].symbol += mass.blank * probability
          } else {
            next[text + [index], default: Mass()].symbol += mass.sum * probability
          }
        }
      }
      beams = kept(next)
    }
    return Self.sorted(beams).first?.key ?? []
  }

  /// Returns the most probable texts, with probabilities that do not vanish after many columns.
  private func kept(_ beams: [[Int]: Mass]) -> [[Int]: Mass] {
    let best = Self.sorted(beams).prefix(width)
    guard let highest = best.first?.value.sum, highest > 0 else { return beams }
    return Dictionary(
      uniqueKeysWithValues: best.map { text, mass in
        (text, Mass(blank: mass.blank / highest, symbol: mass.symbol / highest))
      })
  }

  private static func sorted(_ beams: [[Int]: Mass]) -> [(key: [Int], value: Mass)] {
    beams.sorted { one, two in
      one.value.sum != two.value.sum
        ? one.value.sum > two.value.sum : one.key.lexicographicallyPrecedes(two.key)
    }
  }

  /// Returns the probability of the blank and of the most probable other classes of a column.
  private func probabilities(of column: Int) -> (blank: Double, [(Int, Double)]) {
    let row = column * classes..<(column + 1) * classes
    var scale = (shift: Float(0), divisor: 1.0)
    if !isProbability {
      scale.shift = scores[row].max() ?? 0
      scale.divisor = row.reduce(0) { $0 + Double(exponential(scores[$1] - scale.shift)) }
    }
    func probability(_ index: Int) -> Double {
      let score = scores[row.lowerBound + index]
      let value = isProbability ? Double(score) : Double(exponential(score - scale.shift))
      return value.isFinite ? max(0, value / scale.divisor) : 0
    }
    var best: [(Int, Double)] = []
    for index in 0..<classes where index != blank {
      let value = probability(index)
      guard
        value
          > max(
            Self.minProbability, best.count < Self.maxContinuations ? 0 : best[best.count - 1].1)
      else { continue }
      let place = best.firstIndex { $0.1 < value } ?? best.count
      best.insert((index, value), at: place)
      if best.count > Self.maxContinuations { best.removeLast() }
    }
    return (probability(blank), best)
  }
}
