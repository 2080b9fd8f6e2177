import TensorIOSystem

/// In which order items are trained on.
///
/// All of it derives from the numbers given here, so that a run that is resumed goes on exactly as
/// it would have gone on, on any machine.
struct TrainingOrder: Sendable, Equatable {
  /// The items that are trained on, and never those of `validation`.
  let training: [Int]
  /// The items that the model is only measured on.
  let validation: [Int]
  private let seed: UInt64
  private let isShuffled: Bool

  /// The order of so many items, of which the last part of a permutation is for validation.
  init(count: Int, validationFraction: Double, seed: UInt64, isShuffled: Bool) {
    self.seed = seed
    self.isShuffled = isShuffled
    let held = Self.validationCount(validationFraction, of: count)
    guard held > 0 else {
      (training, validation) = (Array(0..<count), [])
      return
    }
    let permutation = Array(0..<count).permuted(by: SplitMix64(seed: seed, stream: 0))
    training = permutation.dropLast(held).sorted()
    validation = permutation.suffix(held).sorted()
  }

  private static func validationCount(_ fraction: Double, of count: Int) -> Int {
    let share = (min(max(0, fraction), 1) * Double(count)).rounded()
    return Int(exactly: share) ?? 0
  }

  /// The items of an epoch, from 0, in the order in which they are trained on.
  func items(ofEpoch epoch: Int) -> [Int] {
    guard isShuffled else { return training }
    return training.permuted(by: SplitMix64(seed: seed, stream: UInt64(clamping: epoch) &+ 1))
  }
}
