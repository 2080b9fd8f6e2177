extension EvaluationResult {
  /// The names of the figures that classes have, in the order of their first appearance.
  var classFigureNames: [String] {
    var seen: Set<String> = []
    return classes.flatMap(\.figures).map(\.name).filter { seen.insert($0).inserted }
  }
}

extension ConfusionResult {
  /// A class that was taken for another.
  struct Mistake: Hashable {
    let truth: String
    let found: String
    let count: Int
  }

  /// What was taken for what most often; of equals, the first in the labels' order.
  func mostFrequent(_ limit: Int) -> [Mistake] {
    mistakes.sorted { ($1.count, $0.truth, $0.found) < ($0.count, $1.truth, $1.found) }
      .prefix(limit)
      .map { Mistake(truth: labels[$0.truth], found: labels[$0.found], count: $0.count) }
  }

  /// The cells off the diagonal, of which a matrix made by hand may have some outside of it.
  private var mistakes: [Cell] {
    cells.filter {
      $0.truth != $0.found && labels.indices.contains($0.truth)
        && labels.indices.contains($0.found)
    }
  }

  /// The classes that were most often taken for others or others for them, in the labels' order.
  func mostConfused(_ limit: Int) -> ConfusionResult {
    guard labels.count > limit else { return self }
    var weights = [Double](repeating: 0, count: labels.count)
    for cell in mistakes {
      weights[cell.truth] += Double(cell.count)
      weights[cell.found] += Double(cell.count)
    }
    let places = labels.indices.sorted { (weights[$1], Double($0)) < (weights[$0], Double($1)) }
      .prefix(limit)
      .sorted()
    return only(places)
  }

  private func only(_ places: [Int]) -> ConfusionResult {
    let new = Dictionary(uniqueKeysWithValues: places.enumerated().map { ($1, $0) })
    return ConfusionResult(
      labels: places.map { labels[$0] },
      cells: cells.compactMap { cell in
        guard let truth = new[cell.truth], let found = new[cell.found] else { return nil }
        return Cell(truth: truth, found: found, count: cell.count)
      })
  }
}
