/// How far a training has come: all that a checkpoint has to tell to go on from there.
struct TrainingProgress: Sendable, Equatable {
  /// How many steps have been taken.
  var step = 0
  /// The means of the epoch so far.
  var means = RunningMeans()
  /// The lowest loss of an epoch, and the step at whose end it was.
  var best: Best?
  /// How many epochs in a row had no lower loss.
  var epochsWithoutBest = 0
  /// Whether the last step ended an epoch.
  var isAtEpochEnd = false

  struct Best: Sendable, Equatable {
    var loss: Double
    var step: Int
  }

  /// Counts a step.
  mutating func add(_ outputs: ModelOutput, items: Int, at position: TrainingPosition) {
    if isAtEpochEnd { means = RunningMeans() }
    step = position.step
    isAtEpochEnd = false
    means.add(outputs, items: items)
  }

  /// Counts an epoch, and says whether it was the best.
  mutating func endEpoch(monitored loss: Double?) -> Bool {
    isAtEpochEnd = true
    guard let loss, loss.isFinite else { return false }
    let isBest = best.map { loss < $0.loss } ?? true
    if isBest { best = Best(loss: loss, step: step) }
    epochsWithoutBest = isBest ? 0 : epochsWithoutBest + 1
    return isBest
  }

  /// Whether the loss has not fallen for so many epochs.
  func isOver(patience: Int?) -> Bool {
    patience.map { isAtEpochEnd && epochsWithoutBest >= $0 } ?? false
  }
}
